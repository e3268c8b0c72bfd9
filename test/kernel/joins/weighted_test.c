/*
 * weighted_test.c
 *		Weighted joins against brute force.
 *
 * Random sets over small and large universes, uniform and skewed; self and R-S joins; list by list and
 * record by record; alone and with workers. Half of the thresholds are the value of a pair, to the
 * bit. Some joins have a limit of rows, and find the pairs that are similar without the tails.
 */
#include "c.h"

#include "random_sets.h"
#include "kernel_test.h"
#include "measure/token_weight.h"
#include "test_host.h"

#define MAX_RECORDS 90

/* Joins that went list by list. */
static uint32 lists;

/* By set, and by two sets: sums of weights. */
typedef struct Sums
{
	int64 totals[MAX_RECORDS];
	int64 overlaps[MAX_RECORDS][MAX_RECORDS];
} Sums;

/* What is compared: the sets without their tails, and the whole ones. */
typedef struct Compared
{
	uint64 most_rows;
	Sums heads;
	Sums wholes;
} Compared;

typedef struct Found
{
	const Compared *sums;
	Predicate predicate;
	const JoinRecords *records;
	const JoinRecord *by_row[MAX_RECORDS]; /* which a worker has elsewhere */
	uint32 wrong_overlaps;
	uint8 times[MAX_RECORDS][MAX_RECORDS];
} Found;

static bool
are_similar(Predicate predicate, const Sums *sums, uint32 x, uint32 y)
{
	return PredicateHolds(predicate, sums->overlaps[x][y], sums->totals[x], sums->totals[y]);
}

static void
note_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Found *found = context;
	const JoinRecords *records = found->records;
	const JoinRecord *own_x = found->by_row[x->row];
	const Sums *wholes = &found->sums->wholes;

	found->times[x->row][y->row]++;
	found->wrong_overlaps += (int64) overlap != found->sums->heads.overlaps[x->row][y->row];
	if (records->tails != NULL)
		found->wrong_overlaps +=
			JoinIsSimilarWhole(records, found->predicate, own_x, found->by_row[y->row], &overlap) !=
			are_similar(found->predicate, wholes, x->row, y->row);
	found->wrong_overlaps += (int64) overlap != wholes->overlaps[x->row][y->row] ||
							 JoinRecordMeasuredWhole(records, own_x) != wholes->totals[x->row];
}

static bool
has_token(const Set *set, int64 token)
{
	for (uint32 k = 0; k < set->size; k++)
	{
		if (set->tokens[k] == token)
			return true;
	}
	return false;
}

/* Sets the weight of each token of a set. */
static void
weigh_tokens(const Set *sets, uint32 count, const Set *set, uint32 *weights)
{
	for (uint32 k = 0; k < set->size; k++)
	{
		uint64 frequency = 0;

		for (uint32 i = 0; i < count; i++)
			frequency += has_token(&sets[i], set->tokens[k]);
		weights[k] = TokenWeight(count, frequency);
	}
}

static int64
add_up_from(const uint32 *weights, uint32 size, uint32 least, uint32 end, bool squares)
{
	int64 sum = 0;

	for (uint32 k = 0; k < size; k++)
		sum += weights[k] >= least && weights[k] < end ? TokenWeightTerm(weights[k], squares) : 0;
	return sum;
}

/*
 * Returns the least weight of a token that is not in the tail: the greatest one that leaves no token of
 * few rows in the tail, and no more weight than comes before it, without what one set alone has.
 */
static uint32
least_of_head(const uint32 *weights, uint32 size, uint32 count, uint64 most_rows, bool squares)
{
	uint32 frequent = TokenWeight(count, most_rows);
	uint32 single = TokenWeight(count, 1);
	uint32 least = PG_UINT32_MAX;

	for (uint32 i = 0; i < size; i++)
	{
		uint32 next = 0; /* greatest weight below `least` */

		for (uint32 k = 0; k < size; k++)
			next = weights[k] < least ? Max(next, weights[k]) : next;
		if (least != PG_UINT32_MAX && next < frequent &&
			add_up_from(weights, size, least, single, squares) >=
				add_up_from(weights, size, 0, least, squares))
			break;
		least = next;
	}
	return least;
}

static void
add_up(Compared *sums, const Set *sets, uint32 count, bool squares)
{
	static uint32 weights[MAX_RECORDS][MAX_SET_SIZE];
	uint32 leasts[MAX_RECORDS] = {0};

	for (uint32 x = 0; x < count; x++)
	{
		weigh_tokens(sets, count, &sets[x], weights[x]);
		if (sums->most_rows > 0)
			leasts[x] = least_of_head(weights[x], sets[x].size, count, sums->most_rows, squares);
	}
	memset(&sums->heads, 0, sizeof(Sums));
	memset(&sums->wholes, 0, sizeof(Sums));
	for (uint32 x = 0; x < count; x++)
	{
		for (uint32 k = 0; k < sets[x].size; k++)
		{
			uint32 weight = weights[x][k];
			int64 term = TokenWeightTerm(weight, squares);

			sums->wholes.totals[x] += term;
			sums->heads.totals[x] += weight >= leasts[x] ? term : 0;
			for (uint32 y = 0; y < count; y++)
			{
				if (!has_token(&sets[y], sets[x].tokens[k]))
					continue;
				sums->wholes.overlaps[x][y] += term;
				sums->heads.overlaps[x][y] += weight >= leasts[x] && weight >= leasts[y] ? term : 0;
			}
		}
	}
}

static bool
join_is_right(const Set *sets, const Compared *sums, uint32 count, uint32 first_right,
			  Predicate predicate, JoinAlgorithm algorithm, JoinHost host, uint64 *pairs)
{
	JoinRecords records;
	JoinEngine engine;
	JoinCounters counters = {0};
	Found *found = calloc(1, sizeof(Found));
	bool right = true;

	found->sums = sums;
	found->predicate = predicate;
	found->records = &records;
	JoinRecordsInit(&records, &host);
	records.weighing = (JoinWeighing){.is_weighted = true,
									  .squares = predicate.measure == MEASURE_IDF_COSINE,
									  .record_count = count,
									  .most_rows = sums->most_rows};
	for (uint32 i = 0; i < count; i++)
		JoinRecordsAppend(&records, i, sets[i].tokens, sets[i].size);
	if (first_right > 0)
	{
		records.two_sided = true;
		records.first_right_row = first_right;
	}
	JoinCanonicalize(&records);
	for (uint32 i = 0; i < records.record_count; i++)
		found->by_row[records.records[i].row] = &records.records[i];
	JoinEngineIndex(&engine, &records, NULL, predicate, algorithm);
	lists += engine.spec.algorithm == JOIN_AUTO;
	JoinEngineFind(&engine, note_pair, found, &counters);
	right &= host.done == host.total;

	for (uint32 x = 0; x < count; x++)
	{
		for (uint32 y = 0; y < count; y++)
		{
			bool similar = are_similar(predicate, &sums->heads, x, y);
			int times = found->times[x][y];

			if (first_right > 0)
				right &= times == (x < first_right && y >= first_right && similar);
			else if (x < y)
				right &= times + found->times[y][x] == similar;
			*pairs += times;
		}
	}
	right &= found->wrong_overlaps == 0;
	if (!right)
		case_has("%s %.17g, right side from row %u", MeasureName(predicate.measure),
				 predicate.threshold, first_right);

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

/* By the engine that is chosen, and record by record. */
static bool
joins_are_right(const Set *sets, const Compared *sums, uint32 count, uint32 first_right,
				Predicate predicate, JoinHost host, uint64 *pairs)
{
	return join_is_right(sets, sums, count, first_right, predicate, JOIN_AUTO, host, pairs) &&
		   join_is_right(sets, sums, count, first_right, predicate, JOIN_PPJOIN, host, pairs);
}

/* A threshold that some pair may reach exactly, or any. */
static double
random_threshold(const Sums *sums, uint32 count, Measure measure)
{
	uint32 x = random_below(count);
	uint32 y = random_below(count);
	double value = MeasureValue(measure, sums->overlaps[x][y], sums->totals[x], sums->totals[y]);

	if (value > 0.05 && value <= 1 && random_below(2) == 0)
		return value;
	return (1 + random_below(10)) / 10.0;
}

static void
test_joins(Measure measure)
{
	static Set sets[MAX_RECORDS];
	static Compared sums;
	uint64 tails = 0;
	static const uint32 universes[] = {5, 12, 40, 300, 5000};
	uint32 wrong = 0;
	uint64 pairs = 0;

	lists = 0;
	for_each_case (seed, 200, wrong)
	{
		uint32 count;

		count = 1 + random_below(MAX_RECORDS);
		make_sets(sets, count, universes[seed % 5], seed % 2, seed % 3 ? 20 : MAX_SET_SIZE);
		sums.most_rows = seed % 4 == 3 ? 1 + random_below(count) : 0;
		add_up(&sums, sets, count, measure == MEASURE_IDF_COSINE);
		for (uint32 x = 0; x < count; x++)
			tails += sums.heads.totals[x] < sums.wholes.totals[x];
		for (int i = 0; i < 3; i++)
		{
			Predicate predicate = {.measure = measure,
								   .threshold = random_threshold(&sums.heads, count, measure)};
			JoinHost host = (seed + i) % 2 == 0 ? test_host_with_workers() : test_host();

			/* At times there is room for a part of the arrays only. */
			if (seed % 16 == 8 && host.arena.base != NULL)
				host.arena.size = 64 * (1 + random_below(200));
			wrong += !joins_are_right(sets, &sums, count, 0, predicate, host, &pairs);
			wrong +=
				!joins_are_right(sets, &sums, count, Max(count / 2, 1), predicate, host, &pairs);
			wrong +=
				!joins_are_right(sets, &sums, count, Max(count / 8, 1), predicate, host, &pairs);
		}
	}
	ok(wrong == 0, "%s: 200 seeds, self and R-S = brute force", MeasureName(measure));
	ok(enough(pairs > 1000 && lists > 300 && tails > 300),
	   "%s: there were pairs to find, and lists, and tails", MeasureName(measure));
}

int
main(void)
{
	test_joins(MEASURE_IDF_JACCARD);
	test_joins(MEASURE_IDF_COSINE);
	return done_testing();
}
