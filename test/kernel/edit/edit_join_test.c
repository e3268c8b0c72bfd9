/*
 * edit_join_test.c
 *		The join of texts by edit distance against brute force.
 */
#include "c.h"

#include "kernel/edit/edit_grams.h"
#include "kernel/edit/edit_records.h"
#include "kernel_test.h"
#include "random_texts.h"
#include "test_host.h"

#define MAX_TEXTS 80

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
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
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
	bool with_workers;
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
	JoinHost host = join->with_workers ? test_host_with_workers() : test_host();
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
		EditTextsAppend(&characters, texts[i].length, 0);
	}
	JoinRecordsInit(&records, &host);
	if (join->first_right > 0)
	{
		records.two_sided = true;
		records.first_right_row = join->first_right;
	}
	EditJoinRecords(&records, &characters, join->gram_length);
	JoinCanonicalize(&records);
	JoinEngineIndex(&engine, &records, NULL,
					EditJoinPredicate(join->max_distance, join->gram_length), join->algorithm);
	EditVerifierInit(&found->verifier, &characters, join->max_distance);
	JoinEngineFind(&engine, note_pair, found, &counters);
	right = pairs_are_right(found, join, counts);
	if (!right)
		case_has("%u texts, distance %u, algorithm %d, right side from row %u", join->count,
				 join->max_distance, (int) join->algorithm, join->first_right);

	EditVerifierFree(&found->verifier);
	JoinRelease(&host, characters.characters, characters.character_capacity, sizeof(uint32));
	JoinRelease(&host, characters.ends, characters.capacity, sizeof(uint64));
	JoinEngineFree(&engine);
	JoinRecordsFree(&records);
	if (host.bytes != 0)
	{
		case_has("%zu bytes are not accounted for", host.bytes);
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

	for_each_case (seed, 24, wrong)
	{
		JoinCase join = {.gram_length = q};

		join.count = 1 + random_below(MAX_TEXTS);
		join.with_workers = seed % 3 == 0;
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
	ok(wrong == 0, "join by %u-grams: 24 seeds, distances 0 to 7, self and R-S = brute force", q);
	ok(enough(counts.void_pairs > 5000 && counts.pairs - counts.void_pairs > 5000),
	   "join by %u-grams: there were pairs, with a bound and without", q);
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
		EditTextsAppend(&texts, i < 20 ? 5 : 20, 0);
	}
	ok(EditGramLength(&texts, 2) == 3 && EditGramLength(&texts, 3) == 2,
	   "gram length: short where many texts are, for the distance");
	JoinRelease(&host, texts.characters, texts.character_capacity, sizeof(uint32));
	JoinRelease(&host, texts.ends, texts.capacity, sizeof(uint64));
}

int
main(void)
{
	for (uint32 q = EDIT_MIN_GRAM_LENGTH; q <= EDIT_MAX_GRAM_LENGTH; q++)
		test_joins(q);
	test_gram_length();
	test_interrupts();
	return done_testing();
}
