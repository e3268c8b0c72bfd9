/*
 * common_passages.c
 *		The SQL function common_passages: the maximal common runs of words of two texts.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "character_ranges.h"
#include "compat.h"
#include "passages/kernel/common_runs.h"
#include "memory/palloc_host.h"
#include "passages/passage_length.h"
#include "passages/passage_text.h"
#include "text/encoding.h"

PG_FUNCTION_INFO_V1(common_passages);

enum
{
	COLUMN_IN_A,
	COLUMN_IN_B,
	COLUMN_WORDS,
	COLUMNS
};

static void
add_text(Passages *passages, text *value)
{
	const char *data = VARDATA_ANY(value);
	ByteSpan utf8 = ServerToUtf8(data, VARSIZE_ANY_EXHDR(value));

	PassagesAddText(passages, utf8, false);
	Utf8Release(utf8, data);
}

static void
put_run(void *context, const CommonRun *run)
{
	ReturnSetInfo *rows = context;
	CharacterRangeDatum in_a;
	CharacterRangeDatum in_b;
	Datum values[COLUMNS];
	bool nulls[COLUMNS] = {false};

	values[COLUMN_IN_A] = CharacterRangeSet(&in_a, run->a_from, run->a_to);
	values[COLUMN_IN_B] = CharacterRangeSet(&in_b, run->b_from, run->b_to);
	values[COLUMN_WORDS] = Int32GetDatum((int32) run->words);
	tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
}

Datum
common_passages(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = (ReturnSetInfo *) fcinfo->resultinfo;
	uint32 min_words = MinWordsOrError(PG_GETARG_INT32(2));
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup passages", ALLOCSET_DEFAULT_SIZES);
	JoinHost host = PallocHost(context);
	CommonRunsSpec spec = {.take = put_run, .context = rows};
	Passages passages;

	InitMaterializedSRF(fcinfo, 0);
	PassagesInit(&passages, &host, SIZE_MAX, min_words);
	add_text(&passages, PG_GETARG_TEXT_PP(0));
	add_text(&passages, PG_GETARG_TEXT_PP(1));
	PassagesFindGrams(&passages);
	CommonRunsFind(&passages, &spec);
	MemoryContextDelete(context);
	return (Datum) 0;
}
