/*
 * repeated_passages.c
 *		The SQL functions that return what of each row stands in an earlier one.
 *
 * Rows are earlier in the order of the query; all rows of `against` are earlier than those.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "character_ranges.h"
#include "compat.h"
#include "passages/passage_rows.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "passages/kernel/repeats.h"
#include "passages/passage_length.h"

PG_FUNCTION_INFO_V1(repeated_passages);

enum
{
	COLUMN_ID,
	COLUMN_REPEATED,
	COLUMN_WORDS,
	COLUMN_SHARE,
	COLUMN_FIRST_ID,
	COLUMN_FIRST_RANGE,
	COLUMNS
};

typedef struct RepeatedPassages
{
	PassageRequest request;
	PassageRows rows;
	ReturnSetInfo *result;
	MemoryContext row_context;
} RepeatedPassages;

/* Arguments: [key type,] query, min_words, whole_sentences, against. */
static void
read_repeated_arguments(RepeatedPassages *repeated, FunctionCallInfo fcinfo)
{
	JoinRequest request = {0};
	int next = JoinQueryArguments(fcinfo, &request);
	bool has_against = request.queries[1] != NULL;

	repeated->request.name = request.task.name;
	repeated->request.queries[0] = request.queries[has_against ? 1 : 0];
	repeated->request.queries[1] = has_against ? request.queries[0] : NULL;
	repeated->request.reader = request.reader;
	repeated->request.reader.keys_are_compared = false;
	repeated->request.min_words =
		MinWordsOrError(DatumGetInt32(JoinArgumentOrError(fcinfo, next, "min_words")));
	repeated->request.has_sentences =
		DatumGetBool(JoinArgumentOrError(fcinfo, next + 1, "whole_sentences"));
}

static Datum
ranges_of(const RepeatedRow *row)
{
	CharacterRangeDatum *ranges = AllocateArray(row->range_count, sizeof(CharacterRangeDatum));

	for (uint32 i = 0; i < row->range_count; i++)
		(void) CharacterRangeSet(&ranges[i], (int32) row->ranges[i].from,
								 (int32) row->ranges[i].to);
	return CharacterRangesDatum(ranges, (int32) row->range_count);
}

static void
return_repeated(void *context, const RepeatedRow *row)
{
	RepeatedPassages *repeated = context;
	PassageRows *rows = &repeated->rows;
	const uint64 *starts = rows->passages.starts;
	ReturnSetInfo *result = repeated->result;
	MemoryContext previous = MemoryContextSwitchTo(repeated->row_context);
	CharacterRangeDatum first;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	rows->found_count++;
	values[COLUMN_ID] = PassageRowsKey(rows, row->row);
	values[COLUMN_REPEATED] = ranges_of(row);
	values[COLUMN_WORDS] = Int32GetDatum((int32) row->words);
	values[COLUMN_SHARE] =
		Float8GetDatum((double) row->words / (double) (starts[row->row + 1] - starts[row->row]));
	values[COLUMN_FIRST_ID] = PassageRowsKey(rows, row->first_row);
	values[COLUMN_FIRST_RANGE] =
		CharacterRangeSet(&first, (int32) row->first.from, (int32) row->first.to);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(repeated->row_context);
}

Datum
repeated_passages(PG_FUNCTION_ARGS)
{
	RepeatedPassages *repeated = palloc0(sizeof(RepeatedPassages));
	RepeatsSpec spec = {.take = return_repeated, .context = repeated};

	read_repeated_arguments(repeated, fcinfo);
	repeated->result = JoinMaterialize(fcinfo);
	repeated->row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row", ALLOCSET_DEFAULT_SIZES);
	PassageRowsRead(&repeated->rows, &repeated->request);
	spec.whole_sentences = repeated->request.has_sentences;
	if (repeated->request.queries[1] != NULL)
		spec.first_row = repeated->rows.rows.left_count;
	RepeatsFind(&repeated->rows.passages, &spec);
	PassageRowsEnd(&repeated->rows);
	MemoryContextDelete(repeated->row_context);
	return (Datum) 0;
}
