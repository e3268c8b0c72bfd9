/*
 * passage_join.c
 *		The SQL functions of the join by common passages.
 *
 * Runs that many rows have are no pairs. A warning names some of them by the row that has them first,
 * and where: the texts are not kept.
 */
#include "postgres.h"

#include "utils/tuplestore.h"

#include "character_ranges.h"
#include "passages/passage_rows.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "passages/kernel/common_runs.h"
#include "passages/passage_length.h"

PG_FUNCTION_INFO_V1(passage_join);

enum
{
	COLUMN_A,
	COLUMN_B,
	COLUMN_IN_A,
	COLUMN_IN_B,
	COLUMN_WORDS,
	COLUMNS
};

typedef struct PassageJoin
{
	PassageRequest request;
	uint64 max_rows;
	PassageRows rows;
	bool is_self_join;
	ReturnSetInfo *result;
} PassageJoin;

static uint64
max_rows_argument(FunctionCallInfo fcinfo, int number)
{
	int32 value = DatumGetInt32(JoinArgumentOrError(fcinfo, number, "max_rows"));

	if (value < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_rows must be at least 1"), errdetail("It is %d.", value)));
	return (uint64) value;
}

/* Arguments: [key type,] query, min_words, max_rows, against. */
static void
read_passage_arguments(PassageJoin *join, FunctionCallInfo fcinfo)
{
	JoinRequest request = {0};
	int next = JoinQueryArguments(fcinfo, &request);

	join->is_self_join = request.queries[1] == NULL;
	join->request.name = request.task.name;
	join->request.queries[0] = request.queries[0];
	join->request.queries[1] = request.queries[1];
	join->request.reader = request.reader;
	join->request.min_words =
		MinWordsOrError(DatumGetInt32(JoinArgumentOrError(fcinfo, next, "min_words")));
	join->max_rows = max_rows_argument(fcinfo, next + 1);
}

static bool
keys_differ(void *context, uint32 a, uint32 b)
{
	const PassageJoin *join = context;

	return JoinKeysCompare(&join->rows.rows.keys, a, b) != 0;
}

/* In a self-join, the row with the lesser key comes first. */
static void
return_run(void *context, const CommonRun *run)
{
	PassageJoin *join = context;
	bool swap = join->is_self_join && JoinKeysCompare(&join->rows.rows.keys, run->a, run->b) > 0;
	CharacterRangeDatum range_of_a;
	CharacterRangeDatum range_of_b;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	join->rows.found_count++;
	values[swap ? COLUMN_B : COLUMN_A] = PassageRowsKey(&join->rows, run->a);
	values[swap ? COLUMN_A : COLUMN_B] = PassageRowsKey(&join->rows, run->b);
	values[swap ? COLUMN_IN_B : COLUMN_IN_A] =
		CharacterRangeSet(&range_of_a, (int32) run->a_from, (int32) run->a_to);
	values[swap ? COLUMN_IN_A : COLUMN_IN_B] =
		CharacterRangeSet(&range_of_b, (int32) run->b_from, (int32) run->b_to);
	values[COLUMN_WORDS] = Int32GetDatum((int32) run->words);
	tuplestore_putvalues(join->result->setResult, join->result->setDesc, values, nulls);
}

/* How many passages the warning names. */
#define SHOWN_PASSAGES 5

typedef struct LeftOut
{
	uint64 count;
	FrequentPassage most[SHOWN_PASSAGES]; /* the passages in the most rows, in descending order */
} LeftOut;

static void
note_left_out(void *context, const FrequentPassage *passage)
{
	LeftOut *left_out = context;
	uint64 place = Min(left_out->count, SHOWN_PASSAGES);

	left_out->count++;
	for (; place > 0 && left_out->most[place - 1].rows < passage->rows; place--)
	{
		if (place < SHOWN_PASSAGES)
			left_out->most[place] = left_out->most[place - 1];
	}
	if (place < SHOWN_PASSAGES)
		left_out->most[place] = *passage;
}

static bool
is_of_against(const PassageJoin *join, uint32 row)
{
	return !join->is_self_join && row >= join->rows.rows.left_count;
}

static void
warn_of_left_out(PassageJoin *join, FrequentGrams *frequent)
{
	LeftOut left_out = {0};
	StringInfoData detail;

	if (frequent->count == 0)
		return;
	FrequentGramsList(frequent, &join->rows.passages, note_left_out, &left_out);
	initStringInfo(&detail);
	for (uint64 i = 0; i < Min(left_out.count, SHOWN_PASSAGES); i++)
	{
		const FrequentPassage *passage = &left_out.most[i];

		appendStringInfo(&detail, "%sCharacters [%u,%u) of row %s%s are in " UINT64_FORMAT " rows.",
						 i > 0 ? "\n" : "", passage->from, passage->to,
						 JoinKeyText(&join->rows.rows.keys, passage->row),
						 is_of_against(join, passage->row) ? " of against" : "", passage->rows);
	}
	ereport(WARNING,
			(errmsg_plural("%llu passage of more than max_rows rows was left out",
						   "%llu passages of more than max_rows rows were left out",
						   (unsigned long) left_out.count, (unsigned long long) left_out.count),
			 errdetail_internal("%s", detail.data),
			 errhint("boilerplate_passages lists them; max_rows is " UINT64_FORMAT ".",
					 join->max_rows)));
}

Datum
passage_join(PG_FUNCTION_ARGS)
{
	PassageJoin *join = palloc0(sizeof(PassageJoin));
	FrequentGrams frequent;
	CommonRunsSpec spec = {.frequent = &frequent, .take = return_run, .context = join};

	read_passage_arguments(join, fcinfo);
	join->result = JoinMaterialize(fcinfo);
	PassageRowsRead(&join->rows, &join->request);
	if (join->is_self_join)
		spec.are_compared = keys_differ;
	else
		spec.left_count = join->rows.rows.left_count;
	FrequentGramsFind(&frequent, &join->rows.passages, join->max_rows);
	if (join->is_self_join || join->rows.rows.left_count > 0)
		CommonRunsFind(&join->rows.passages, &spec);
	warn_of_left_out(join, &frequent);
	FrequentGramsFree(&frequent);
	PassageRowsEnd(&join->rows);
	return (Datum) 0;
}
