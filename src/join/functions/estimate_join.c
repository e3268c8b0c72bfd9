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

#include "memory/join_memory.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "join/sample/sample_join.h"
#include "kinds/sets/set_rows.h"
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

/* The memory of the sample and its join. */
#define SAMPLE_MEMORY ((Size) 96 * 1024 * 1024)

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
	SampleJoin join; /* by the last threshold */
	double seconds_left;

	/* What the join has taken. */
	double index_seconds;
	double probe_seconds;
	double postings;
	double pairs_met; /* pairs that met in lists of the index, as JoinCounters counts them */
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

/* Returns the score interval of a count that has this mean and variance. */
static void
set_interval(ThresholdEstimate *estimate, const SampleJoin *join)
{
	double scale = estimate->pairs > 0 ? Max(join->counts.variance / estimate->pairs, 1)
									   : SampleJoinWeight(join);
	double count = estimate->pairs / scale;
	double half = DEVIATIONS * DEVIATIONS / 2;
	double width = DEVIATIONS * sqrt(count + half / 2);

	estimate->low = estimate->high = estimate->pairs;
	if (join->counts.share >= 1)
		return;
	estimate->low = Max(floor(scale * (count + half - width)), 0);
	estimate->high = ceil(scale * (count + half + width));
}

/* Returns, as a mean over the rows, how many are no smaller than a row and similar in size. */
static double
share_met(const RowSample *sample, Predicate predicate)
{
	const JoinRecords *records = &sample->join.input.records;
	uint32 count = records->record_count;
	uint32 step = Max(count / MOST_SIZES, 1);
	double met = 0;
	uint32 looked_at = 0;

	for (uint32 i = 0; i < count; i += step)
	{
		int64 greatest = PredicateGreatestSize(predicate, records->records[i].size, false);

		greatest = Min(greatest, JOIN_MAX_RECORD_SIZE);
		met += (double) (JoinRecordsLowerBound(records, greatest + 1) - i) / count;
		looked_at++;
	}
	return met / Max(looked_at, 1);
}

/* Returns the work of probing if each row stands for the given number of rows. */
static double
growth_of_probing(const Estimator *estimator, double rows)
{
	double linear = MET_PER_POSTING * estimator->postings;
	double quadratic =
		estimator->pairs_met + MET_PER_FOUND * (double) estimator->sample.join.pair_count;

	if (linear + quadratic == 0)
		return rows;
	return (linear * rows + quadratic * rows * rows) / (linear + quadratic);
}

static void
set_cost(const Estimator *estimator, ThresholdEstimate *estimate)
{
	const RowSample *sample = &estimator->sample;
	double rows = 1 / (sample->share * sample->drawn); /* for each row of the sample */
	double canonicalizing = sample->join.seconds.canonicalize * rows;
	double indexing = estimator->index_seconds * rows;
	double probing = estimator->probe_seconds * growth_of_probing(estimator, rows);
	double memory = sample->join.memory_bytes * rows;
	double limit = (double) JoinInputMemory(JoinMemory());
	double loads = 1;

	estimate->seconds = sample->read_seconds;
	estimate->memory_bytes = Min(memory, limit);
	if (memory > limit)
	{
		/*
		 * Each part is joined with every part of similar sizes, and loaded again for each of them.
		 */
		loads = Max(2 * memory / limit * share_met(sample, estimate->predicate), 1);
		estimate->temp_bytes =
			rows * ((double) sample->join.input.token_count * FILE_BYTES_PER_TOKEN +
					(double) RowSampleCount(sample) * FILE_BYTES_PER_ROW);
		estimate->seconds +=
			canonicalizing * (CANONICALIZING_PER_SPILL + CANONICALIZING_PER_READING * loads);
	}
	estimate->seconds += loads * (canonicalizing + indexing) + sqrt(loads) * probing;
}

/* Returns how many pairs have met in lists. */
static double
count_met(const JoinCounters *counters)
{
	return (double) (counters->candidates + counters->pruned_by_position +
					 counters->pruned_by_bitmap + counters->pruned_by_suffix);
}

/* Joins the sample; returns false if that takes longer than `seconds`. */
static bool
join_in_time(Estimator *estimator, Predicate predicate, double seconds)
{
	SimilarityJoin *join = &estimator->sample.join;
	JoinSeconds before = join->seconds;
	double met = count_met(&join->counters);

	join->posting_count = 0;
	estimator->join = (SampleJoin){.sample = &estimator->sample,
								   .predicate = predicate,
								   .part = 1,
								   .seconds = seconds,
								   .counts_only = true};
	if (!SampleJoinRun(&estimator->join))
		return false;
	estimator->index_seconds = join->seconds.index - before.index;
	estimator->probe_seconds = join->seconds.probe - before.probe;
	estimator->postings = (double) join->posting_count;
	estimator->pairs_met = count_met(&join->counters) - met;
	return true;
}

static void
estimate_threshold(Estimator *estimator, ThresholdEstimate *estimate)
{
	instr_time begun;

	INSTR_TIME_SET_CURRENT(begun);
	while (!join_in_time(estimator, estimate->predicate,
						 RowSampleCount(&estimator->sample) > LEAST_ROWS
							 ? (estimator->seconds_left - SecondsSince(begun)) / 2
							 : get_float8_infinity()))
		RowSampleShrink(&estimator->sample, 1.0 / SHRINKING);
	estimate->pairs = PairCountsSum(&estimator->join.counts);
	estimate->sampled_rows = RowSampleCount(&estimator->sample);
	set_interval(estimate, &estimator->join);
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
	if (count > 0)
		estimator->sample.request.task.predicate = strongest_first[count - 1]->predicate;
	RowSampleRead(&estimator->sample);
	estimator->seconds_left = JOIN_SECONDS;
	for (int i = 0; i < count; i++)
		estimate_threshold(estimator, strongest_first[i]);
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

	values[COLUMN_THRESHOLD] = Float8GetDatum(estimate->predicate.threshold);
	values[COLUMN_PAIRS] = Int64GetDatum(whole(estimate->pairs));
	values[COLUMN_PAIRS_LOW] = Int64GetDatum(whole(estimate->low));
	values[COLUMN_PAIRS_HIGH] = Int64GetDatum(whole(estimate->high));
	values[COLUMN_SECONDS] = Float8GetDatum(estimate->seconds);
	values[COLUMN_MEMORY_BYTES] = Int64GetDatum(whole(estimate->memory_bytes));
	values[COLUMN_TEMP_BYTES] = Int64GetDatum(whole(estimate->temp_bytes));
	values[COLUMN_QUERY_ROWS] = Int64GetDatum(whole(sample->query_rows));
	values[COLUMN_SAMPLED_ROWS] = Int64GetDatum((int64) estimate->sampled_rows);
	ResultPut(result, values);
}

/* Arguments: query, thresholds, measure. */
Datum
estimate_join(PG_FUNCTION_ARGS)
{
	char *query = JoinTextArgumentOrError(fcinfo, 0, "query");
	Measure measure = SetMeasureOrError(JoinTextArgumentOrError(fcinfo, 2, "measure"));
	Estimator estimator = {0};
	JoinRequest *request = &estimator.sample.request;
	ThresholdEstimate *estimates;
	ReturnSetInfo *result;
	int count;

	request->queries[0] = query;
	request->reader =
		(ReaderSpec){.function = JoinFunctionName(fcinfo), .key_policy = KEYS_SORTABLE};
	estimates = thresholds_or_error(fcinfo, measure, &count);
	request->reader.schema = JoinSchema(fcinfo);
	request->task = (JoinTask){.kind = &set_rows,
							   .predicate = PredicateOrError(measure, 1),
							   .algorithm = JOIN_AUTO,
							   .memory = SAMPLE_MEMORY};
	estimator.sample.is_timed = true;
	result = JoinMaterialize(fcinfo);
	estimate_all(&estimator, estimates, count);
	for (int i = 0; i < count; i++)
		put_estimate(result, &estimator.sample, &estimates[i]);
	RowSampleEnd(&estimator.sample);
	return (Datum) 0;
}
