/*
 * find_records.c
 *		Finding one record in a table: is it known?
 *
 * The nearest rows by their tokens are compared with the record as place_records compares a new row with known
 * ones, and those of the greatest scores are returned.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "link/record_lookup.h"
#include "link/record_search.h"

PG_FUNCTION_INFO_V1(find_records);

/* Columns of find_records. */
enum
{
	FOUND_ID,
	FOUND_SCORE,
	FOUND_SIMILARITIES,
	FOUND_COLUMNS
};

/* A row that was found. */
typedef struct FoundRecord
{
	double score;
	uint32 number; /* of its key */
	uint64 candidate;
} FoundRecord;

static int
compare_found(const void *a, const void *b)
{
	const FoundRecord *x = a;
	const FoundRecord *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* Returns the rows that were compared with the record, those of the greatest scores first. */
static FoundRecord *
rank_rows(RecordSearch *search, uint32 *count)
{
	const CallRows *rows = &search->rows.rows;
	FoundRecord *found = AllocateArray(rows->count, sizeof(FoundRecord));

	*count = 0;
	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		Candidate pair = *RecordCandidateAt(&search->candidates, i);
		double score;

		CHECK_FOR_INTERRUPTS();
		/* The record has the least key, and its group the least rank. */
		if (pair.a != 0 || pair.b == 0)
			continue;
		score = RecordSearchScore(search, i);
		for (uint32 j = 0; j < CallRowsGroupSize(rows, pair.b); j++)
			found[(*count)++] = (FoundRecord){
				.score = score, .number = CallRowsMembers(rows, pair.b)[j] - 1, .candidate = i};
	}
	qsort(found, *count, sizeof(FoundRecord), compare_found);
	return found;
}

static void
return_found(const RecordRequest *request, const RecordLookup *lookup, int most,
			 ReturnSetInfo *result)
{
	RecordRequest of_rows = *request;
	RecordSearch *search;
	MemoryContext previous;
	FoundRecord *found;
	uint32 count;

	of_rows.key_policy = KEYS_INTEGER;
	of_rows.query = (char *) lookup->query;
	search = RecordSearchRun(&of_rows, false);
	previous = MemoryContextSwitchTo(search->context);
	found = rank_rows(search, &count);
	for (uint32 i = 0; i < Min(count, (uint32) most); i++)
	{
		bool nulls[FOUND_COLUMNS] = {false};
		Datum values[FOUND_COLUMNS];

		values[FOUND_ID] = JoinKeysResult(&lookup->keys, request->key_policy, found[i].number);
		values[FOUND_SCORE] = nd_float8_datum(&found[i].score);
		values[FOUND_SIMILARITIES] = RecordSearchSimilarities(search, found[i].candidate);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	MemoryContextSwitchTo(previous);
	RecordSearchEnd(search);
}

Datum
find_records(PG_FUNCTION_ARGS)
{
	RecordRequest request = RecordRequestRead(fcinfo, RECORD_HAS_RECORD);
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	int last = PG_NARGS() - 1;
	Jsonb *record = DatumGetJsonbP(JoinArgumentOrError(fcinfo, last - 2, "record"));
	int most = DatumGetInt32(JoinArgumentOrError(fcinfo, last, "most"));
	RecordLookup lookup;

	if (most < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("most of %s must be at least 1", request.function)));
	lookup = RecordLookupRun(&request, JoinSchema(fcinfo), record);
	if (lookup.query != NULL)
		return_found(&request, &lookup, most, result);
	return (Datum) 0;
}
