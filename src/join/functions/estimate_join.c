/*
 * estimate_join.c
 *		The SQL function that estimates a join before it is run.
 *
 * A sample of the rows is joined at each threshold, the strongest first. When the time is short,
 * the weaker ones are left to a quarter of the sample, and so on. Reading, indexing and postings
 * grow with the rows; pairs, and those that meet in the index, with their square.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/float.h"
#include "utils/tuplestore.h"

#include "memory/join_memory.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "join/sample/sample_join.h"
#include "measure/threshold.h"

PG_FUNCTION_INFO_V1(estimate_join);

enum
{
	COLUMN_THRESHOLD,
	COLUMN_PAIRS,
	COLUMN_PAIRS_LOW,
	COLUMN_PAIRS_HIGH,
	COLUMN_SECONDS,
	COLUMN_MEMORY_BYTES,
	COLUMN_TEMP_BYTES,
	COLUMN_QUERY_ROWS,
	COLUMN_SAMPLED_ROWS,
	COLUMNS
};

/* Seconds for the joins of all thresholds; each of them may take half of what is left. */
#define JOIN_SECONDS 0.9

/* A sample of no more rows is joined however long that takes. */
#define LEAST_ROWS 1000

#define SHRINKING 4

/* The interval of the pairs reaches this many standard deviations to each side. */
#define DEVIATIONS 2.0

/* Bytes that JoinSpill and its sort write to temporary files, where the vocabulary has the tokens. */
#define FILE_BYTES_PER_TOKEN 8
#define FILE_BYTES_PER_ROW 40

/*
 * Writing and sorting all rows and reading them once takes this many times as long as
 * canonicalizing them.
 */
#define CANONICALIZING_PER_SPILL 1.5
#define CANONICALIZING_PER_READING 0.5

/* Time of a posting and of a pair found, in times of a pair that meets. */
#define MET_PER_POSTING 64
#define MET_PER_FOUND 16

#define MOST_SIZES 1000

typedef struct ThresholdEstimate
{
	Predicate predicate;
	double pairs;
	double low;
	double high;
	double seconds;
	double memory_bytes;
	double temp_bytes;
	uint64 sampled_rows;
} ThresholdEstimate;

typedef struct Estimator
{
	RowSample sample;
	Predicate weakest;
	double draws;
	SampleJoin *join;
	double seconds_left;
} Estimator;

static int
compare_strength(const void *a, const void *b)
{
	const ThresholdEstimate *x = *(ThresholdEstimate *const *) a;
	const ThresholdEstimate *y = *(ThresholdEstimate *const *) b;
	int order = x->predicate.threshold > y->predicate.threshold
					? -1
					: x->predicate.threshold < y->predicate.threshold;

	return x->predicate.measure == MEASURE_HAMMING ? -order : order;
}

static int
compare_sizes(const void *a, const void *b)
{
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* Returns the score interval of a count that has this mean and variance. */
static void
set_interval(ThresholdEstimate *estimate, double variance, double weight)
{
	double scale = estimate->pairs > 0 ? Max(variance / estimate->pairs, 1) : weight;
	double count = estimate->pairs / scale;
	double half = DEVIATIONS * DEVIATIONS / 2;
	double width = DEVIATIONS * sqrt(count + half / 2);

	estimate->low = estimate->high = estimate->pairs;
	if (weight <= 1)
		return;
	estimate->low = Max(floor(scale * (count + half - width)), 0);
	estimate->high = ceil(scale * (count + half + width));
}

/* Returns, as a mean over the rows, how many are no smaller than a row and similar in size. */
static double
share_met(const SampleJoin *join, Predicate predicate)
{
	uint32 count = join->row_count;
	uint32 step = Max(count / MOST_SIZES, 1);
	uint32 *sizes;
	double met = 0;
	uint32 end = 0;
	uint32 looked_at = 0;

	if (count == 0)
		return 0;
	sizes = palloc_extended(count * sizeof(uint32), MCXT_ALLOC_HUGE);
	for (uint32 i = 0; i < count; i++)
		sizes[i] = join->sample->rows[join->rows[i]].count;
	qsort(sizes, count, sizeof(uint32), compare_sizes);
	for (uint32 i = 0; i < count; i += step)
	{
		int64 greatest = PredicateGreatestSize(predicate, sizes[i], false);

		while (end < count && sizes[end] <= greatest)
			end++;
		met += (double) (end - i) / count;
		looked_at++;
	}
	pfree(sizes);
	return met / looked_at;
}

/* Returns the work of probing if each row stands for the given number of rows. */
static double
growth_of_probing(const SampleJoin *join, double rows)
{
	double linear = MET_PER_POSTING * join->postings;
	double quadratic = join->pairs_met + MET_PER_FOUND * join->pairs_found;

	if (linear + quadratic == 0)
		return rows;
	return (linear * rows + quadratic * rows * rows) / (linear + quadratic);
}

static void
set_cost(const Estimator *estimator, ThresholdEstimate *estimate)
{
	const SampleJoin *join = estimator->join;
	double rows = 1 / (estimator->sample.share * join->drawn); /* for each joined one */
	double canonicalizing = join->join.seconds.canonicalize * rows;
	double indexing = join->index_seconds * rows;
	double probing = join->probe_seconds * growth_of_probing(join, rows);
	double memory = join->join.memory_bytes * rows;
	double limit = (double) JoinInputMemory(JoinMemory());
	double loads = 1;

	estimate->seconds = estimator->sample.read_seconds;
	estimate->memory_bytes = Min(memory, limit);
	if (memory > limit)
	{
		/*
		 * Each part is joined with every part of similar sizes, and loaded again for each of them.
		 */
		loads = Max(2 * memory / limit * share_met(join, estimate->predicate), 1);
		estimate->temp_bytes = rows * ((double) join->token_count * FILE_BYTES_PER_TOKEN +
									   (double) join->row_count * FILE_BYTES_PER_ROW);
		estimate->seconds +=
			canonicalizing * (CANONICALIZING_PER_SPILL + CANONICALIZING_PER_READING * loads);
	}
	estimate->seconds += loads * (canonicalizing + indexing) + sqrt(loads) * probing;
}

/*
 * Returns the pairs that one pair of the sample stands for; if it has none, as many as two blocks
 * could have.
 */
static double
weight_of_none(const SampleJoin *join)
{
	return join->weight * join->row_count / Max(join->unit_count, 1);
}

static void
estimate_threshold(Estimator *estimator, ThresholdEstimate *estimate)
{
	instr_time begun;

	INSTR_TIME_SET_CURRENT(begun);
	while (!SampleJoinFind(estimator->join, estimate->predicate,
						   estimator->join->row_count > LEAST_ROWS
							   ? (estimator->seconds_left - SecondsSince(begun)) / 2
							   : get_float8_infinity()))
	{
		SampleJoinEnd(estimator->join);
		estimator->draws /= SHRINKING;
		estimator->join = SampleJoinBegin(&estimator->sample, estimator->draws, estimator->weakest);
	}
	estimate->pairs = estimator->join->pairs;
	estimate->sampled_rows = estimator->join->row_count;
	set_interval(estimate, estimator->join->variance, weight_of_none(estimator->join));
	set_cost(estimator, estimate);
	estimator->seconds_left -= SecondsSince(begun);
}

static ThresholdEstimate *
thresholds_or_error(FunctionCallInfo fcinfo, Measure measure, int *count)
{
	ArrayType *array = DatumGetArrayTypeP(JoinArgumentOrError(fcinfo, 1, "thresholds"));
	ThresholdEstimate *estimates;
	Datum *values;
	bool *nulls;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values,
					  &nulls, count);
	estimates = palloc0(sizeof(ThresholdEstimate) * (*count + 1));
	for (int i = 0; i < *count; i++)
	{
		if (nulls[i])
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("threshold of %s must not be null", JoinFunctionName(fcinfo))));
		estimates[i].predicate = PredicateOrError(measure, DatumGetFloat8(values[i]));
	}
	return estimates;
}

static void
estimate_all(Estimator *estimator, ThresholdEstimate *estimates, int count)
{
	ThresholdEstimate **strongest_first = palloc(sizeof(ThresholdEstimate *) * (count + 1));

	for (int i = 0; i < count; i++)
		strongest_first[i] = &estimates[i];
	qsort(strongest_first, count, sizeof(ThresholdEstimate *), compare_strength);
	estimator->weakest = strongest_first[count - 1]->predicate;
	estimator->draws = estimator->sample.draws;
	estimator->seconds_left = JOIN_SECONDS;
	estimator->join = SampleJoinBegin(&estimator->sample, estimator->draws, estimator->weakest);
	for (int i = 0; i < count; i++)
		estimate_threshold(estimator, strongest_first[i]);
	SampleJoinEnd(estimator->join);
}

static int64
whole(double value)
{
	return (int64) Min(rint(value), 9e18);
}

static void
put_estimate(ReturnSetInfo *result, const RowSample *sample, const ThresholdEstimate *estimate)
{
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_THRESHOLD] = Float8GetDatum(estimate->predicate.threshold);
	values[COLUMN_PAIRS] = Int64GetDatum(whole(estimate->pairs));
	values[COLUMN_PAIRS_LOW] = Int64GetDatum(whole(estimate->low));
	values[COLUMN_PAIRS_HIGH] = Int64GetDatum(whole(estimate->high));
	values[COLUMN_SECONDS] = Float8GetDatum(estimate->seconds);
	values[COLUMN_MEMORY_BYTES] = Int64GetDatum(whole(estimate->memory_bytes));
	values[COLUMN_TEMP_BYTES] = Int64GetDatum(whole(estimate->temp_bytes));
	values[COLUMN_QUERY_ROWS] = Int64GetDatum(whole(sample->query_rows));
	values[COLUMN_SAMPLED_ROWS] = Int64GetDatum((int64) estimate->sampled_rows);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/* Arguments: query, thresholds, measure. */
Datum
estimate_join(PG_FUNCTION_ARGS)
{
	char *query = JoinTextArgumentOrError(fcinfo, 0, "query");
	Measure measure = SetMeasureOrError(JoinTextArgumentOrError(fcinfo, 2, "measure"));
	ReaderSpec reader = {.function = JoinFunctionName(fcinfo), .key_policy = KEYS_SORTABLE};
	Estimator estimator = {0};
	ThresholdEstimate *estimates;
	ReturnSetInfo *result;
	int count;

	estimates = thresholds_or_error(fcinfo, measure, &count);
	reader.schema = JoinSchema(fcinfo);
	result = JoinMaterialize(fcinfo);
	RowSampleRead(&estimator.sample, &reader, query);
	if (count > 0)
		estimate_all(&estimator, estimates, count);
	for (int i = 0; i < count; i++)
		put_estimate(result, &estimator.sample, &estimates[i]);
	RowSampleFree(&estimator.sample);
	return (Datum) 0;
}
