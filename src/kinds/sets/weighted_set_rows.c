/*
 * weighted_set_rows.c
 *		Rows that are sets of tokens, compared by the weights of these.
 *
 * A weight follows from the number of rows that have the token, so it is known when all rows have
 * been read. Rows in memory are weighed when they are canonicalized. For rows in files the tokens
 * are counted beside them (document_frequencies.h); the rows are then read once more, and sorted by
 * their total weights.
 */
#include "postgres.h"

#include "rows/document_frequencies.h"
#include "kinds/sets/set_rows.h"
#include "kinds/sets/weighted_set_rows.h"
#include "measure/threshold.h"
#include "measure/token_weight.h"
#include "measure/weight_bounds.h"

/* The part of the memory that counts tokens while rows are written to files. */
#define PART_OF_FREQUENCIES 2

/* The content of an input in files; of one in memory it is NULL. */
static JoinFrequencies *
counted_tokens(const JoinInput *input)
{
	return input->content;
}

static void
append_weighted(JoinInput *input, Datum key, const JoinRow *row)
{
	if (row->count > TOKEN_WEIGHT_MAX_SET)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("set is too large for a weighted measure"),
						errdetail("It has %zu tokens, and may have at most %d.", row->count,
								  TOKEN_WEIGHT_MAX_SET)));
	JoinInputAppendTokens(input, key, row);
	if (JoinInputIsSpilled(input))
		JoinFrequenciesAdd(counted_tokens(input), row->data, (uint32) row->count);
}

static void
count_weighted_copy(JoinInput *input, const JoinRow *row)
{
	if (JoinInputIsSpilled(input))
		JoinFrequenciesAdd(counted_tokens(input), row->data, (uint32) row->count);
	else
		JoinRecordsCountCopy(&input->records, row->data, (uint32) row->count);
}

/* The dictionary of the records has counted their tokens. */
static void
spill_weighted(JoinInput *input)
{
	int sort_memory = JoinInputSortMemory(input);
	JoinFrequencies *frequencies;

	SetRowsWrite(input);
	frequencies = JoinFrequenciesBegin(input->context, input->records.host,
									   input->estimate.limit / PART_OF_FREQUENCIES, sort_memory);
	JoinFrequenciesAddAll(frequencies, &input->records.dictionary);
	input->content = frequencies;
	input->other_sort_bytes = (Size) sort_memory * 1024;
	SetRowsForget(input);
}

/* Rows are sorted by their weight when that is known. */
static int64
not_yet_measured(uint32 size)
{
	return 0;
}

/* Tokens of a larger part of the rows weigh so little that they hardly bring pairs together. */
#define PART_OF_FREQUENT 10

static JoinWeighing
weighing_of(const JoinInput *input)
{
	bool is_limited = input->most_rows <= input->row_count / PART_OF_FREQUENT;

	return (JoinWeighing){.is_weighted = true,
						  .squares = input->predicate.measure == MEASURE_IDF_COSINE,
						  .record_count = input->row_count,
						  .most_rows = is_limited ? input->most_rows : 0};
}

static void
weigh_files(JoinInput *input)
{
	JoinFrequencies *frequencies = counted_tokens(input);

	JoinFrequenciesFinish(frequencies);
	for (int side = 0; side < 2 && input->spills[side] != NULL; side++)
	{
		JoinSpill *unweighed = input->spills[side];

		input->spills[side] = JoinInputBeginSpill(input);
		input->other_file_bytes += JoinSpillBytes(unweighed);
		JoinFrequenciesWeigh(frequencies, weighing_of(input), unweighed, input->spills[side]);
		JoinSpillEnd(unweighed);
		JoinSpillSort(input->spills[side]);
	}
	input->other_file_bytes += JoinFrequenciesBytes(frequencies);
}

static int64
least_total(Predicate predicate, int64 total, bool is_right)
{
	WeightBounds bounds = WeightBoundsOf(predicate);

	return (int64) WeightTotal(&bounds, WeightLeastExtent(&bounds, WeightExtent(&bounds, total)));
}

static int64
greatest_total(Predicate predicate, int64 total, bool is_right)
{
	WeightBounds bounds = WeightBoundsOf(predicate);
	double greatest = WeightTotal(&bounds, WeightExtent(&bounds, total) / bounds.threshold);

	return greatest < (double) PG_INT64_MAX ? (int64) greatest : PG_INT64_MAX;
}

/* How many tokens are enough depends on their weights, which files do not have. */
static int64
any_token(Predicate predicate, uint32 size, int64 least)
{
	return 1;
}

/* Weights are those among all rows, whatever the part. */
static void
prepare_weighted(JoinInput *part, const JoinInput *input, Predicate *predicate)
{
	part->records.weighing = weighing_of(input);
	if (!JoinInputIsSpilled(input))
		return;
	JoinRecordsNumber(&part->records);
	JoinFrequenciesSet(counted_tokens(input), &part->records.dictionary);
}

static void
free_frequencies(JoinInput *input)
{
	if (input->content != NULL)
		JoinFrequenciesEnd(counted_tokens(input));
}

const RowKind weighted_set_rows = {.name = "set",
								   .type = "tokenset",
								   .algorithm = JOIN_AUTO,
								   .algorithms = 1 << JOIN_AUTO,
								   .predicate = PredicateOrError,
								   .check_column = SetRowsCheckColumn,
								   .read = SetRowsRead,
								   .fits = SetRowsFit,
								   .needed = SetRowsNeeded,
								   .append = append_weighted,
								   .count_copy = count_weighted_copy,
								   .keep = SetRowsKeep,
								   .spill = spill_weighted,
								   .measured = not_yet_measured,
								   .finish = weigh_files,
								   .least_similar = least_total,
								   .greatest_similar = greatest_total,
								   .least_common = any_token,
								   .prepare = prepare_weighted,
								   .free = free_frequencies};

const RowKind *
SetRowsOf(Measure measure)
{
	return MeasureIsWeighted(measure) ? &weighted_set_rows : &set_rows;
}
