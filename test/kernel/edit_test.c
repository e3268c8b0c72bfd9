/*
 * edit_test.c
 *		Edit distance, q-grams and the join of texts against a plain dynamic
 *		program, without a server.
 *
 * Texts are random over small alphabets, or copies of others that were edited
 * a little; some alphabets make all characters share one slot of a
 * pattern's table. Prints TAP. Compiled as join_test.c is.
 */
#include "c.h"

#include "join/kernel/edit_grams.h"
#include "join/kernel/edit_join.h"
#include "kernel_test.h"

#define MAX_LENGTH 2000
#define MAX_TEXTS 80

typedef struct Text
{
	uint32 length;
	uint32 characters[MAX_LENGTH];
} Text;

static uint32
plain_distance(const Text *x, const Text *y)
{
	static uint32 column[MAX_LENGTH + 1];

	for (uint32 i = 0; i <= x->length; i++)
		column[i] = i;
	for (uint32 j = 1; j <= y->length; j++)
	{
		uint32 diagonal = column[0];

		column[0] = j;
		for (uint32 i = 1; i <= x->length; i++)
		{
			uint32 best = diagonal + (x->characters[i - 1] != y->characters[j - 1]);

			diagonal = column[i];
			best = Min(best, Min(column[i], column[i - 1]) + 1);
			column[i] = best;
		}
	}
	return column[x->length];
}

/* The characters of an alphabet are so far apart. */
static const uint32 strides[] = {1, EDIT_BLOCK_SLOTS, 40961};

static uint32
random_character(uint32 alphabet, uint32 stride)
{
	return 'a' + stride * random_below(alphabet);
}

static void
random_text(Text *text, uint32 length, uint32 alphabet, uint32 stride)
{
	text->length = length;
	for (uint32 i = 0; i < length; i++)
		text->characters[i] = random_character(alphabet, stride);
}

/* Inserts, deletes or replaces one character. */
static void
edit_text(Text *text, uint32 alphabet, uint32 stride)
{
	uint32 kind = text->length == 0 ? 0 : random_below(3);
	uint32 place = random_below(text->length + (kind == 0));
	uint32 *at = text->characters + place;
	uint32 rest = text->length - place;

	if (kind == 0 && text->length < MAX_LENGTH)
	{
		memmove(at + 1, at, rest * sizeof(uint32));
		text->length++;
	}
	if (kind == 1)
	{
		memmove(at, at + 1, (rest - 1) * sizeof(uint32));
		text->length--;
	}
	else if (place < text->length)
		*at = random_character(alphabet, stride);
}

/* Compares by the pattern of the longer text, with limits around the distance and at random. */
static uint32
wrong_distances(JoinHost *host, const Text *x, const Text *y)
{
	const Text *longer = x->length >= y->length ? x : y;
	const Text *shorter = longer == x ? y : x;
	uint32 distance = plain_distance(x, y);
	uint32 limits[] = {distance,
					   distance + 1,
					   distance + 63,
					   distance > 0 ? distance - 1 : 0,
					   distance / 2,
					   random_below(longer->length + 2),
					   0,
					   PG_INT32_MAX};
	uint32 wrong = 0;
	EditPattern pattern;

	EditPatternInit(&pattern, host);
	EditPatternSet(&pattern, longer->characters, longer->length);
	for (int i = 0; i < (int) lengthof(limits); i++)
		wrong += EditDistanceWithin(&pattern, shorter->characters, shorter->length, limits[i]) !=
				 (distance <= limits[i] ? distance : PG_UINT32_MAX);
	EditPatternFree(&pattern);
	return wrong;
}

static void
test_distances(const char *rule, int rounds, uint32 least, uint32 greatest)
{
	static Text x;
	static Text y;
	JoinHost host = test_host();
	uint32 wrong = 0;

	random_state = 20240517 + greatest;
	for (int round = 0; round < rounds; round++)
	{
		uint32 alphabet = 1 + random_below(round % 5 == 0 ? 70 : 4);
		uint32 stride = strides[round % lengthof(strides)];

		random_text(&x, least + random_below(greatest - least + 1), alphabet, stride);
		if (round % 2 == 0)
			random_text(&y, least + random_below(greatest - least + 1), alphabet, stride);
		else
		{
			y = x;
			for (uint32 edits = random_below(2 + x.length / 8); edits > 0; edits--)
				edit_text(&y, alphabet, stride);
		}
		wrong += wrong_distances(&host, &x, &y);
	}
	ok(wrong == 0 && host.bytes == 0, rule);
}

/* One pattern is compared with many texts, and set anew for a shorter text. */
static void
test_pattern_reuse(void)
{
	static Text x;
	static Text y;
	JoinHost host = test_host();
	EditPattern pattern;
	uint32 wrong = 0;

	random_state = 31;
	EditPatternInit(&pattern, &host);
	for (int round = 0; round < 200; round++)
	{
		random_text(&x, 20 + random_below(200), 3, 1);
		EditPatternSet(&pattern, x.characters, x.length);
		for (int i = 0; i < 10; i++)
		{
			uint32 distance;

			random_text(&y, random_below(x.length + 1), 3, 1);
			distance = plain_distance(&x, &y);
			wrong += EditDistanceWithin(&pattern, y.characters, y.length, distance) != distance;
			wrong += EditDistanceWithin(&pattern, y.characters, y.length, 5) !=
					 (distance <= 5 ? distance : PG_UINT32_MAX);
		}
	}
	EditPatternFree(&pattern);
	ok(wrong == 0 && host.bytes == 0, "distance: a pattern serves many texts, and is set anew");
}

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

static Text texts[MAX_TEXTS];
static uint32 distances[MAX_TEXTS][MAX_TEXTS];

/* times[x][y] counts how often the pair was emitted. */
typedef struct Found
{
	EditVerifier verifier;
	uint32 wrong_distances;
	uint8 times[MAX_TEXTS][MAX_TEXTS];
} Found;

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	Found *found = context;
	uint32 distance = EditVerifierDistance(&found->verifier, x, y);

	if (distance == PG_UINT32_MAX)
		return;
	found->times[x->row][y->row]++;
	found->wrong_distances += distance != distances[x->row][y->row];
}

typedef struct JoinCase
{
	uint32 count;
	uint32 first_right; /* 0 in a self-join */
	uint32 max_distance;
	uint32 gram_length;
	JoinAlgorithm algorithm;
	bool with_helpers;
} JoinCase;

/* What a test has seen: pairs found, and those whose bound is void. */
typedef struct PairCounts
{
	uint64 pairs;
	uint64 void_pairs;
} PairCounts;

static bool
pairs_are_right(const Found *found, const JoinCase *join, PairCounts *counts)
{
	bool right = found->wrong_distances == 0;

	for (uint32 x = 0; x < join->count; x++)
	{
		for (uint32 y = 0; y < join->count; y++)
		{
			uint32 grams = Max(texts[x].length, texts[y].length) + join->gram_length - 1;
			bool similar = distances[x][y] <= join->max_distance;
			int times = found->times[x][y];

			if (join->first_right > 0)
				right &= times == (x < join->first_right && y >= join->first_right && similar);
			else if (x < y)
				right &= times + found->times[y][x] == similar;
			counts->pairs += times;
			if (times > 0 && grams <= join->gram_length * join->max_distance)
				counts->void_pairs++;
		}
	}
	return right;
}

static bool
join_is_right(const JoinCase *join, PairCounts *counts)
{
	JoinHost host = join->with_helpers ? test_host_with_helpers() : test_host();
	EditTexts characters;
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	Found *found = calloc(1, sizeof(Found));
	bool right;

	EditTextsInit(&characters, &host);
	for (uint32 i = 0; i < join->count; i++)
	{
		memcpy(EditTextsReserve(&characters, texts[i].length + 3), texts[i].characters,
			   texts[i].length * sizeof(uint32));
		EditTextsAppend(&characters, texts[i].length);
	}
	JoinRecordsInit(&records, &host);
	if (join->first_right > 0)
	{
		records.two_sided = true;
		records.first_right_row = join->first_right;
	}
	EditJoinRecords(&records, &characters, join->gram_length);
	JoinRecordsCanonicalize(&records);
	JoinShareRecords(&records);
	JoinEngineIndex(&engine, &records, EditJoinPredicate(join->max_distance, join->gram_length),
					join->algorithm);
	EditVerifierInit(&found->verifier, &characters, join->max_distance);
	JoinEngineProbe(&engine, note_pair, found, &counters);
	right = pairs_are_right(found, join, counts);

	EditVerifierFree(&found->verifier);
	JoinRelease(&host, characters.characters, characters.character_capacity, sizeof(uint32));
	JoinRelease(&host, characters.ends, characters.capacity, sizeof(uint64));
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	if (host.bytes != 0)
	{
		printf("# %zu bytes are not accounted for\n", host.bytes);
		right = false;
	}
	free(found);
	return right;
}

/* Half of the texts are edited copies of earlier ones. */
static void
make_texts(uint32 count, uint32 greatest)
{
	uint32 alphabet = 2 + random_below(3);

	for (uint32 i = 0; i < count; i++)
	{
		if (i == 0 || random_below(2) == 0)
			random_text(&texts[i], random_below(greatest + 1), alphabet, 1);
		else
		{
			texts[i] = texts[random_below(i)];
			for (uint32 edits = random_below(6); edits > 0; edits--)
				edit_text(&texts[i], alphabet, 1);
		}
	}
	for (uint32 x = 0; x < count; x++)
		for (uint32 y = 0; y < count; y++)
			distances[x][y] = plain_distance(&texts[x], &texts[y]);
}

static void
test_joins(uint32 q)
{
	static const uint32 lengths[] = {4, 12, 40, 90};
	PairCounts counts = {0};
	uint32 wrong = 0;
	char rule[128];

	for (uint32 seed = 1; seed <= 24; seed++)
	{
		JoinCase join = {.gram_length = q};

		random_state = seed * UINT64CONST(0x9E3779B97F4A7C15);
		join.count = 1 + random_below(MAX_TEXTS);
		join.with_helpers = seed % 3 == 0;
		make_texts(join.count, lengths[seed % lengthof(lengths)]);
		for (join.max_distance = 0; join.max_distance <= 7; join.max_distance++)
		{
			join.algorithm = (JoinAlgorithm) (join.max_distance % 4);
			join.first_right = 0;
			wrong += !join_is_right(&join, &counts);
			join.algorithm = (JoinAlgorithm) ((join.max_distance + 1) % 4);
			join.first_right = Max(join.count / 2, 1);
			wrong += !join_is_right(&join, &counts);
			join.first_right = Max(join.count / 8, 1);
			wrong += !join_is_right(&join, &counts);
		}
	}
	snprintf(rule, sizeof(rule),
			 "join by %u-grams: 24 seeds, distances 0 to 7, self and R-S = brute force", q);
	ok(wrong == 0, rule);
	snprintf(rule, sizeof(rule), "join by %u-grams: there were pairs, with a bound and without", q);
	ok(counts.void_pairs > 5000 && counts.pairs - counts.void_pairs > 5000, rule);
}

/* Two texts of which one pair alone takes long. */
static void
test_interrupts(void)
{
	const uint32 length = 200000;
	const uint32 limit = 4000;
	JoinHost host = test_host();
	uint32 *x = malloc(length * sizeof(uint32));
	uint32 *y = malloc(length * sizeof(uint32));
	EditPattern pattern;
	EditGrams grams;
	uint32 distance;

	/* Every hundredth character differs from all others. */
	for (uint32 i = 0; i < length; i++)
	{
		x[i] = 'a' + i * i % 23;
		y[i] = i % 100 == 0 ? 0x10000 : x[i];
	}
	EditPatternInit(&pattern, &host);
	interrupt_checks = 0;
	EditPatternSet(&pattern, x, length);
	ok(interrupt_checks >= 1, "interrupts: a pattern that is set");
	interrupt_checks = 0;
	distance = EditDistanceWithin(&pattern, y, length, limit);
	ok(distance == length / 100, "distance: of texts of 200,000 characters");
	ok(interrupt_checks >= (uint64) length * (limit / 64) / JOIN_WORK_BETWEEN_CHECKS,
	   "interrupts: a comparison of long texts");
	EditPatternFree(&pattern);

	interrupt_checks = 0;
	EditGramsInit(&grams, &host, 3);
	for (int i = 0; i < 8; i++)
		EditGramsOf(&grams, x, length);
	ok(interrupt_checks >= 8 * (uint64) length / JOIN_WORK_BETWEEN_CHECKS,
	   "interrupts: grams of long texts");
	EditGramsFree(&grams);
	ok(host.bytes == 0, "interrupts: all memory is accounted for");
	free(x);
	free(y);
}

/* Texts all too short for 3-grams are joined by the others. */
static void
test_gram_length(void)
{
	JoinHost host = test_host();
	EditTexts texts;

	EditTextsInit(&texts, &host);
	for (int i = 0; i < 100; i++)
	{
		EditTextsReserve(&texts, 20);
		EditTextsAppend(&texts, i < 20 ? 5 : 20);
	}
	ok(EditGramLength(&texts, 2) == 3 && EditGramLength(&texts, 3) == 2,
	   "gram length: short where many texts are, for the distance");
	JoinRelease(&host, texts.characters, texts.character_capacity, sizeof(uint32));
	JoinRelease(&host, texts.ends, texts.capacity, sizeof(uint64));
}

int
main(void)
{
	test_distances("distance: texts of up to 40 characters", 6000, 0, 40);
	test_distances("distance: around the 64 characters of a block", 2000, 58, 70);
	test_distances("distance: several blocks", 1500, 0, 330);
	test_distances("distance: long texts", 12, 1000, 1900);
	test_pattern_reuse();
	for (uint32 q = EDIT_MIN_GRAM_LENGTH; q <= EDIT_MAX_GRAM_LENGTH; q++)
	{
		test_grams(q);
		test_joins(q);
	}
	test_collision();
	test_gram_length();
	test_interrupts();
	printf("1..%d\n", tests);
	return failures > 0;
}
