/*
 * reader.c
 *		From rows of a query to rows of a kind.
 *
 * A receiver reads each row at once and hands it to the sink.
 */
#include "postgres.h"

#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "progress/progress.h"
#include "rows/reader.h"

typedef struct RowReader
{
	QueryReceiver receiver;
	const RowSink *sink;
	const ReaderSpec *spec;
	RowReading reading;
	MemoryContext row_context; /* holds detoasted values of one row */
} RowReader;

/* Checks the columns of a query, and begins to read values of the sink's kind. */
static void
begin_values(RowReader *reader, TupleDesc columns)
{
	const RowSink *sink = reader->sink;
	/* Rows of a sample end with a column that the query does not have. */
	int count = columns->natts - (sink->sample != NULL && sink->sample->blocks > 0 ? 1 : 0);
	Form_pg_attribute value;

	if (count != 2 + sink->further_columns)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("query of %s must return two columns, a key and a %s",
							   reader->spec->function, sink->kind->name),
						errdetail_plural("The query returns %d column.",
										 "The query returns %d columns.", count, count)));
	sink->begin(sink->context, reader->spec, columns);
	value = TupleDescAttr(columns, 1);
	reader->reading.type = getBaseType(value->atttypid);
	sink->kind->check_column(&reader->reading, value);
}

static void
begin_reading(void *context, TupleDesc columns)
{
	RowReader *reader = context;

	if (reader->sink->kind != NULL)
		begin_values(reader, columns);
	else
		reader->sink->begin(reader->sink->context, reader->spec, columns);
}

static bool
read_row(void *context, TupleTableSlot *slot)
{
	RowReader *reader = context;
	const RowSink *sink = reader->sink;
	MemoryContext previous = MemoryContextSwitchTo(reader->row_context);
	bool goes_on = true;
	uint64 group = 0;
	JoinRow row;

	JoinProgressCheck();
	slot_getallattrs(slot);
	if (sink->sees != NULL ? sink->sees(sink->context, slot, &group)
						   : !slot->tts_isnull[0] && !slot->tts_isnull[1])
	{
		(void) sink->kind->read(&reader->reading, slot->tts_values[1], group, &row);
		goes_on = sink->take(sink->context, slot, &row);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextReset(reader->row_context);
	return goes_on;
}

void
JoinReadQuery(const RowSink *sink, const ReaderSpec *spec, const char *query)
{
	RowReader reader = {.sink = sink, .spec = spec};
	const char *what = spec->query != NULL ? spec->query : psprintf("query of %s", spec->function);
	const char *columns = spec->columns;

	QueryReceiverInit(&reader.receiver, begin_reading, read_row, &reader);
	if (sink->kind != NULL)
	{
		columns = psprintf("key, %s", sink->kind->name);
		RowReadingInit(&reader.reading, sink->kind, sink->input, InvalidOid,
					   RowKindType(sink->kind, spec->schema));
	}
	reader.row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row", ALLOCSET_DEFAULT_SIZES);
	if (sink->sample != NULL)
		JoinRunSample(what, columns, query, sink->sample, &reader.receiver.dest);
	else
		JoinRunQuery(what, columns, query, &reader.receiver.dest);
	if (sink->end != NULL)
		sink->end(sink->context);
	MemoryContextDelete(reader.row_context);
	if (sink->kind != NULL)
		RowReadingFree(&reader.reading);
}
