/*
 * edit_grams_test.c
 *		The q-grams of a text as a set.
 */
#include "c.h"

#include "kernel/edit/edit_grams.h"
#include "kernel_test.h"
#include "random_texts.h"
#include "test_host.h"

/* The sorted tokens of a text; how many of them repeat another one is added to repeated. */
static uint32
sorted_tokens(JoinHost *host, const Text *text, uint32 q, int64 *tokens, uint32 *repeated)
{
	EditGrams grams;
	uint32 count;

	EditGramsInit(&grams, host, q);
	EditGramsOf(&grams, text->characters, text->length);
	count = grams.count;
	memcpy(tokens, grams.tokens, count * sizeof(int64));
	qsort(tokens, count, sizeof(int64), compare_tokens);
	for (uint32 i = 1; i < count; i++)
		*repeated += tokens[i] == tokens[i - 1];
	EditGramsFree(&grams);
	return count;
}

static uint32
common_tokens(const int64 *x, uint32 x_count, const int64 *y, uint32 y_count)
{
	uint32 common = 0;

	for (uint32 i = 0, j = 0; i < x_count && j < y_count;)
	{
		bool x_is_less = x[i] < y[j];
		bool y_is_less = x[i] > y[j];

		common += !x_is_less && !y_is_less;
		i += !y_is_less;
		j += !x_is_less;
	}
	return common;
}

static void
test_grams(uint32 q)
{
	static Text x;
	static Text y;
	static int64 x_tokens[MAX_LENGTH + 2];
	static int64 y_tokens[MAX_LENGTH + 2];
	JoinHost host = test_host();
	uint32 repeated = 0;
	uint32 wrong_counts = 0;
	uint32 lost = 0;
	uint32 on_bound = 0;
	char rule[128];

	random_state = 100 + q;
	for (int round = 0; round < 4000; round++)
	{
		uint32 alphabet = 1 + random_below(4);
		uint32 x_count;
		uint32 y_count;
		int64 common;
		int64 bound;

		random_text(&x, random_below(round % 100 == 0 ? 700 : 60), alphabet, 1);
		y = x;
		for (uint32 edits = random_below(5); edits > 0; edits--)
			edit_text(&y, alphabet, 1);
		x_count = sorted_tokens(&host, &x, q, x_tokens, &repeated);
		y_count = sorted_tokens(&host, &y, q, y_tokens, &repeated);
		wrong_counts += x_count != x.length + q - 1 || y_count != y.length + q - 1;
		common = common_tokens(x_tokens, x_count, y_tokens, y_count);
		bound = (int64) Max(x_count, y_count) - (int64) q * plain_distance(&x, &y);
		lost += common < bound;
		on_bound += bound > 0 && common == bound;
	}
	snprintf(rule, sizeof(rule), "%u-grams: length + %u tokens, all different", q, q - 1);
	ok(wrong_counts == 0 && repeated == 0 && host.bytes == 0, rule);
	snprintf(rule, sizeof(rule), "%u-grams: never fewer in common than the bound, which is reached",
			 q);
	ok(lost == 0 && on_bound > 100, rule);
}

/* As in edit_grams.c: the seat of the second gram that arrives at a token. */
static uint64
second_seat(uint64 token)
{
	uint64 h = token + 2 * UINT64CONST(0x9e3779b97f4a7c15);

	h ^= h >> 33;
	h *= UINT64CONST(0xff51afd7ed558ccd);
	h ^= h >> 33;
	h *= UINT64CONST(0xc4ceb9fe1a85ec53);
	h ^= h >> 33;
	return h;
}

static void
unpack_gram(uint32 *characters, uint64 token)
{
	characters[0] = token >> 42;
	characters[1] = token >> 21 & 0x1fffff;
	characters[2] = token & 0x1fffff;
}

/* A text with a gram twice and with the very gram that the second one's token stands for. */
static void
test_collision(void)
{
	static Text x;
	static Text y;
	int64 x_tokens[32];
	int64 y_tokens[32];
	JoinHost host = test_host();
	uint64 gram = (uint64) 'a' << 42 | (uint64) 'b' << 21 | 'c';
	uint32 repeated = 0;
	uint32 x_count;
	uint32 y_count;
	bool collides = false;

	while (second_seat(gram) >> 63 != 0)
		gram++;
	x.length = 9;
	unpack_gram(x.characters, gram);
	unpack_gram(x.characters + 3, gram);
	unpack_gram(x.characters + 6, second_seat(gram));
	y.length = 9;
	unpack_gram(y.characters, second_seat(gram));
	unpack_gram(y.characters + 3, gram);
	unpack_gram(y.characters + 6, gram);
	x.length = 6;
	x_count = sorted_tokens(&host, &x, 3, x_tokens, &repeated);
	for (uint32 i = 0; i < x_count; i++)
		collides |= x_tokens[i] == (int64) second_seat(gram);
	ok(collides, "3-grams: the copy of a gram has the token of another one");

	x.length = 9;
	x_count = sorted_tokens(&host, &x, 3, x_tokens, &repeated);
	y_count = sorted_tokens(&host, &y, 3, y_tokens, &repeated);
	ok(repeated == 0 && x_count == 11 && y_count == 11,
	   "3-grams: a collision within a text leaves none repeated");

	/* In common: the three grams, and the two that cross from one gram to its copy. */
	ok(common_tokens(x_tokens, x_count, y_tokens, y_count) == 5,
	   "3-grams: nor does it depend on which of them comes first");
}

int
main(void)
{
	for (uint32 q = EDIT_MIN_GRAM_LENGTH; q <= EDIT_MAX_GRAM_LENGTH; q++)
		test_grams(q);
	test_collision();
	return done_testing();
}
