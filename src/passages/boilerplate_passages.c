/*
 * boilerplate_passages.c
 *		The SQL function that lists the passages which many rows have.
 */
#include "postgres.h"

#include "utils/tuplestore.h"

#include "compat.h"
#include "passages/passage_rows.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "passages/kernel/frequent_grams.h"
#include "passages/passage_length.h"

PG_FUNCTION_INFO_V1(boilerplate_passages);

enum
{
	COLUMN_PASSAGE,
	COLUMN_WORDS,
	COLUMN_ROWS,
	COLUMNS
};

typedef struct Boilerplate
{
	PassageRows rows;
	ReturnSetInfo *result;
} Boilerplate;

static void
return_boilerplate(void *context, const FrequentPassage *passage)
{
	Boilerplate *boilerplate = context;
	ReturnSetInfo *result = boilerplate->result;
	text *shown = PassageRowsText(&boilerplate->rows, passage->row, passage->from, passage->to);
	int64 rows = (int64) passage->rows;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	boilerplate->rows.found_count++;
	values[COLUMN_PASSAGE] = PointerGetDatum(shown);
	values[COLUMN_WORDS] = Int32GetDatum((int32) passage->words);
	values[COLUMN_ROWS] = nd_int64_datum(&rows);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	pfree(shown);
}

/* Arguments: query, min_words, min_rows. */
Datum
boilerplate_passages(PG_FUNCTION_ARGS)
{
	Boilerplate *boilerplate = palloc0(sizeof(Boilerplate));
	PassageRequest request = {.name = JoinFunctionName(fcinfo), .keeps_texts = true};
	FrequentGrams frequent;
	int32 min_rows;

	request.queries[0] = JoinTextArgumentOrError(fcinfo, 0, "query");
	request.reader = (ReaderSpec){.function = JoinFunctionName(fcinfo),
								  .key_policy = KEYS_SORTABLE,
								  .schema = JoinSchema(fcinfo)};
	request.min_words = MinWordsOrError(DatumGetInt32(JoinArgumentOrError(fcinfo, 1, "min_words")));
	min_rows = DatumGetInt32(JoinArgumentOrError(fcinfo, 2, "min_rows"));
	if (min_rows < 2)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("min_rows must be at least 2"), errdetail("It is %d.", min_rows)));
	boilerplate->result = JoinMaterialize(fcinfo);
	PassageRowsRead(&boilerplate->rows, &request);
	FrequentGramsFind(&frequent, &boilerplate->rows.passages, (uint64) min_rows - 1);
	FrequentGramsList(&frequent, &boilerplate->rows.passages, return_boilerplate, boilerplate);
	FrequentGramsFree(&frequent);
	PassageRowsEnd(&boilerplate->rows);
	return (Datum) 0;
}
