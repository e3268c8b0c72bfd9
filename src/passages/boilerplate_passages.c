/*
 * boilerplate_passages.c
 *		The SQL function that lists the passages which many rows have.
 *
 * Passages come in the order of the rows in which they are first. So the texts are kept while they are
 * read, and read again once.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "passages/passage_rows.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "passages/kernel/frequent_grams.h"
#include "passages/passage_length.h"
#include "text/encoding.h"

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
	uint32 read;   /* how many texts of the rows have been read again */
	ByteSpan text; /* the one that was read last */
} Boilerplate;

/* Moves on to the text of a row. */
static void
read_passage_text(Boilerplate *boilerplate, uint32 row)
{
	RowValues *texts = &boilerplate->rows.texts;
	text *read;

	for (; boilerplate->read <= row; boilerplate->read++)
		(void) RowValuesNext(texts);
	read = DatumGetTextPP(texts->slot->tts_values[0]);
	boilerplate->text = (ByteSpan){VARDATA_ANY(read), VARSIZE_ANY_EXHDR(read)};
}

/* Returns where a character of the text begins, as words count characters. */
static Size
byte_of_character(ByteSpan text, uint32 character)
{
	bool is_byte = GetDatabaseEncoding() == PG_SQL_ASCII;
	uint32 characters = 0;
	Size byte = 0;

	for (; byte < text.length; byte++)
	{
		if (is_byte || (text.data[byte] & 0xC0) != 0x80)
			characters++;
		if (characters == character)
			break;
	}
	return byte;
}

static void
return_boilerplate(void *context, const FrequentPassage *passage)
{
	Boilerplate *boilerplate = context;
	ReturnSetInfo *result = boilerplate->result;
	int64 rows = (int64) passage->rows;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};
	Size first;
	text *shown;

	read_passage_text(boilerplate, passage->row);
	first = byte_of_character(boilerplate->text, passage->from);
	shown = Utf8ToText(boilerplate->text.data + first,
					   byte_of_character(boilerplate->text, passage->to) - first);
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
	RowValuesRewind(&boilerplate->rows.texts);
	FrequentGramsFind(&frequent, &boilerplate->rows.passages, (uint64) min_rows - 1);
	FrequentGramsList(&frequent, &boilerplate->rows.passages, return_boilerplate, boilerplate);
	FrequentGramsFree(&frequent);
	PassageRowsEnd(&boilerplate->rows);
	return (Datum) 0;
}
