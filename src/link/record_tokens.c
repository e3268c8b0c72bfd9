/*
 * record_tokens.c
 *		The tokens by which records are candidates: the SQL function record_tokens.
 *
 * The values are put together with blanks between, as duplicate_records puts them, so that an index on these
 * tokens finds what the join finds.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/typcache.h"

#include "link/record_text.h"
#include "table/default_tokens.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(record_tokens);

/* What a call knows of the type of its records. */
typedef struct RecordShape
{
	Oid type;
	int32 typmod;
	RecordTexts *texts;
} RecordShape;

static RecordTexts *
texts_of_record(FmgrInfo *call, HeapTupleHeader record, TupleDesc columns)
{
	RecordShape *shape = call->fn_extra;
	MemoryContext previous;
	RecordTexts *texts;

	if (shape != NULL && shape->type == HeapTupleHeaderGetTypeId(record) &&
		shape->typmod == HeapTupleHeaderGetTypMod(record))
		return shape->texts;
	previous = MemoryContextSwitchTo(call->fn_mcxt);
	texts = RecordTextsBegin(columns, 0);
	/* What was known of another type stays until no error can come. */
	if (shape == NULL)
		shape = palloc(sizeof(RecordShape));
	else
		pfree(shape->texts);
	*shape = (RecordShape){.type = HeapTupleHeaderGetTypeId(record),
						   .typmod = HeapTupleHeaderGetTypMod(record),
						   .texts = texts};
	MemoryContextSwitchTo(previous);
	call->fn_extra = shape;
	return texts;
}

/* Returns the normalized values of a record with blanks between. */
static ByteBuffer
body_of_record(FmgrInfo *call, HeapTupleHeader record)
{
	TupleDesc columns =
		lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(record), HeapTupleHeaderGetTypMod(record));
	RecordTexts *texts = texts_of_record(call, record, columns);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(record), .t_data = record};
	Datum *values = palloc(Max(columns->natts, 1) * sizeof(Datum));
	bool *nulls = palloc(Max(columns->natts, 1) * sizeof(bool));
	ByteBuffer body;

	ItemPointerSetInvalid(&tuple.t_self);
	heap_deform_tuple(&tuple, columns, values, nulls);
	ByteBufferInit(&body, 0);
	for (int i = 0; i < columns->natts; i++)
	{
		if (nulls[i])
			continue;
		if (body.used > 0 && body.data[body.used - 1] != ' ')
			ByteBufferAppend(&body, " ", 1);
		RecordTextNormalize(RecordTextOf(texts, i, values[i]), &body);
	}
	if (body.used > 0 && body.data[body.used - 1] == ' ')
		body.used--;
	ReleaseTupleDesc(columns);
	pfree(values);
	pfree(nulls);
	return body;
}

Datum
record_tokens(PG_FUNCTION_ARGS)
{
	ByteBuffer body = body_of_record(fcinfo->flinfo, PG_GETARG_HEAPTUPLEHEADER(0));
	TokenList list;

	TokenListInit(&list, 0);
	LinkTokensOfNormalized((ByteSpan){body.data, body.used}, true, &list);
	ByteBufferFree(&body);
	PG_RETURN_TOKENSET(TokensetFromList(&list, false));
}
