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
	uint32 no_grams = 0; /* tokens that a gram does not have, and a copy neither */

	for_each_case (round, 4000, wrong_counts + repeated + no_grams + lost)
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
		case_has("texts of %u and %u characters", x.length, y.length);
		x_count = sorted_tokens(&host, &x, q, x_tokens, &repeated);
		y_count = sorted_tokens(&host, &y, q, y_tokens, &repeated);
		wrong_counts += x_count != x.length + q - 1 || y_count != y.length + q - 1;
		for (uint32 i = 0; i < x_count; i++)
			no_grams += x_tokens[i] >> (21 * q - 21) > EDIT_MARK_AFTER;
		common = common_tokens(x_tokens, x_count, y_tokens, y_count);
		bound = (int64) Max(x_count, y_count) - (int64) q * plain_distance(&x, &y);
		lost += common < bound;
		on_bound += bound > 0 && common == bound;
	}
	ok(wrong_counts == 0 && repeated == 0 && host.bytes == 0,
	   "%u-grams: length + %u tokens, all different", q, q - 1);
	ok(no_grams == 0, "%u-grams: tokens of copies are negative", q);
	ok(lost == 0 && enough(on_bound > 100),
	   "%u-grams: never fewer in common than the bound, which is reached", q);
}

/* The inverse of a multiplication by an odd number, by Newton's method. */
static uint64
inverse(uint64 odd)
{
	uint64 x = odd;

	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* The gram whose second seat is `seat`, or would be if its highest bit were not set (edit_grams.c). */
static uint64
gram_of_second_seat(uint64 seat)
{
	seat ^= seat >> 33;
	seat *= inverse(UINT64CONST(0xc4ceb9fe1a85ec53));
	seat ^= seat >> 33;
	seat *= inverse(UINT64CONST(0xff51afd7ed558ccd));
	seat ^= seat >> 33;
	return seat - 2 * UINT64CONST(0x9e3779b97f4a7c15);
}

/* Writes a gram twice, one after the other. */
static void
write_twice(uint32 *characters, uint64 gram)
{
	for (int i = 0; i < 6; i++)
		characters[i] = gram >> (42 - 21 * (i % 3)) & 0x1fffff;
}

/* Texts with two grams whose copies have the same token. */
static void
test_collision(void)
{
	static Text x;
	static Text y;
	int64 x_tokens[32];
	int64 y_tokens[32];
	JoinHost host = test_host();
	uint64 seat = UINT64CONST(1) << 63;
	uint64 a;
	uint64 b;
	uint32 repeated = 0;
	uint32 x_count;
	uint32 y_count;

	do
	{
		a = gram_of_second_seat(++seat);
		b = gram_of_second_seat(seat ^ UINT64CONST(1) << 63);
	} while (a >> 63 != 0 || b >> 63 != 0);
	x.length = y.length = 6;
	write_twice(x.characters, a);
	write_twice(y.characters, b);
	x_count = sorted_tokens(&host, &x, 3, x_tokens, &repeated);
	y_count = sorted_tokens(&host, &y, 3, y_tokens, &repeated);
	ok(common_tokens(x_tokens, x_count, y_tokens, y_count) == 1,
	   "3-grams: the copies of two grams have the same token");

	x.length = y.length = 12;
	write_twice(x.characters + 6, b);
	write_twice(y.characters + 6, a);
	x_count = sorted_tokens(&host, &x, 3, x_tokens, &repeated);
	y_count = sorted_tokens(&host, &y, 3, y_tokens, &repeated);
	ok(repeated == 0 && x_count == 14 && y_count == 14,
	   "3-grams: a collision within a text leaves none repeated");

	/* In common: the four grams, and of each the two that cross to its copy. */
	ok(common_tokens(x_tokens, x_count, y_tokens, y_count) == 8,
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
