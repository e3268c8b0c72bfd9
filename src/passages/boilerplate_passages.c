/*
 * boilerplate_passages.c
 *		The SQL function that lists the passages which many rows have.
 *
 * Passages come in the order of the rows in which they are first. So the texts are written to a file
 * while they are read, and read from it once.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/buffile.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "join/rows/spill.h"
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
	BufFile *texts;	 /* of all rows, each after its length */
	uint32 read;	 /* how many of them have been read */
	ByteBuffer text; /* the one that was read last */
} Boilerplate;

static void
keep_passage_text(void *context, ByteSpan utf8)
{
	Boilerplate *boilerplate = context;

	BufFileWrite(boilerplate->texts, &utf8.length, sizeof(Size));
	BufFileWrite(boilerplate->texts, unconstify(char *, utf8.data), utf8.length);
}

/* Moves on to the text of a row. */
static void
read_passage_text(Boilerplate *boilerplate, uint32 row)
{
	ByteBuffer *text = &boilerplate->text;
	Size length;

	for (; boilerplate->read <= row; boilerplate->read++)
	{
		CHECK_FOR_INTERRUPTS();
		JoinFileRead(boilerplate->texts, &length, sizeof(Size));
		text->used = 0;
		ByteBufferReserve(text, length);
		JoinFileRead(boilerplate->texts, text->data, length);
		text->used = length;
	}
}

/* Returns where a character of the text begins, as words count characters. */
static Size
byte_of_character(const ByteBuffer *text, uint32 character)
{
	bool is_byte = GetDatabaseEncoding() == PG_SQL_ASCII;
	uint32 characters = 0;
	Size byte = 0;

	for (; byte < text->used; byte++)
	{
		if (is_byte || (text->data[byte] & 0xC0) != 0x80)
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
	first = byte_of_character(&boilerplate->text, passage->from);
	shown = Utf8ToText(boilerplate->text.data + first,
					   byte_of_character(&boilerplate->text, passage->to) - first);
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
	PassageRequest request = {.name = JoinFunctionName(fcinfo),
							  .see_text = keep_passage_text,
							  .see_context = boilerplate};
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
	boilerplate->texts = BufFileCreateTemp(false);
	ByteBufferInit(&boilerplate->text, 0);
	PassageRowsRead(&boilerplate->rows, &request);
	if (BufFileSeek(boilerplate->texts, 0, 0, SEEK_SET) != 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not seek in temporary file of a similarity join")));
	FrequentGramsFind(&frequent, &boilerplate->rows.passages, (uint64) min_rows - 1);
	FrequentGramsList(&frequent, &boilerplate->rows.passages, return_boilerplate, boilerplate);
	FrequentGramsFree(&frequent);
	PassageRowsEnd(&boilerplate->rows);
	BufFileClose(boilerplate->texts);
	ByteBufferFree(&boilerplate->text);
	return (Datum) 0;
}
