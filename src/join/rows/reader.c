/*
 * reader.c
 *		From rows of a query to records.
 *
 * A receiver reads and appends each row at once.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "join/progress/progress.h"
#include "join/rows/query.h"
#include "join/rows/reader.h"

typedef struct RowReader
{
	QueryReceiver receiver;
	JoinInput *input;
	const ReaderSpec *spec;
	RowReading reading;
	MemoryContext row_context; /* holds detoasted values of one row */
	bool ends;				   /* whether the taker wants no more rows */
} RowReader;

static const RowKind *
kind_of(const RowReader *reader)
{
	const RowTaker *taker = reader->spec->taker;

	return taker != NULL ? taker->kind : reader->input->kind;
}

static int
further_columns(const ReaderSpec *spec)
{
	if (spec->taker != NULL)
		return spec->taker->sample->blocks > 0 ? 1 : 0;
	return spec->observer != NULL ? spec->observer->further_columns : 0;
}

static void
begin_reading(void *context, TupleDesc columns)
{
	RowReader *reader = context;
	JoinInput *input = reader->input;
	const ReaderSpec *spec = reader->spec;
	Form_pg_attribute key;
	Form_pg_attribute value;
	Oid key_type;

	if (columns->natts != 2 + further_columns(spec))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("query of %s must return two columns, a key and a %s",
							   spec->function, kind_of(reader)->name),
						errdetail_plural(
							"The query returns %d column.", "The query returns %d columns.",
							columns->natts - (spec->taker != NULL ? further_columns(spec) : 0),
							columns->natts - (spec->taker != NULL ? further_columns(spec) : 0))));
	key = TupleDescAttr(columns, 0);
	key_type =
		spec->observer != NULL ? INT8OID : JoinKeyColumnType(key, spec->key_policy, spec->key_type);
	if (spec->observer != NULL)
		spec->observer->begin(spec->observer->context, columns);
	value = TupleDescAttr(columns, 1);
	reader->reading.type = getBaseType(value->atttypid);
	reader->reading.kind->check_column(&reader->reading, value);
	if (spec->taker != NULL)
		return;
	if (!input->keys_ready)
	{
		JoinKeysInit(&input->keys, input->key_context, input->records.host, key_type,
					 key->attcollation, spec->keys_are_compared);
		input->keys_ready = true;
	}
	else if (input->keys.is_integer && JoinKeyTypeIsInteger(key_type))
		input->keys.type = key_type;
	else if (input->keys.type != key_type)
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("key columns of the two queries have different types"),
						errdetail("They are of type %s and %s.", format_type_be(input->keys.type),
								  format_type_be(key_type))));
}

/* Hands over also a row that is similar to no other: it is counted. */
static void
append_row(RowReader *reader, TupleTableSlot *slot, Datum key)
{
	const RowTaker *taker = reader->spec->taker;
	const RowObserver *observer = reader->spec->observer;
	RowReading *reading = &reader->reading;
	uint64 group = observer != NULL && observer->group != NULL ? *observer->group : 0;
	JoinRow row;

	(void) reading->kind->read(reading, slot->tts_values[1], group, &row);
	if (observer != NULL && observer->takes != NULL && !observer->takes(observer->context, &row))
		return;
	if (taker == NULL)
		JoinInputAppend(reader->input, key, &row);
	else
		reader->ends = !taker->take(taker->context, slot, &row);
}

static bool
read_row(void *context, TupleTableSlot *slot)
{
	RowReader *reader = context;
	const RowObserver *observer = reader->spec->observer;
	MemoryContext previous;
	Datum key;
	int64 number;

	JoinProgressCheck();
	slot_getallattrs(slot);
	key = slot->tts_values[0];
	if (observer != NULL)
	{
		if (!observer->row(observer->context, slot, &number))
			return true;
		key = nd_int64_datum(&number);
	}
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	previous = MemoryContextSwitchTo(reader->row_context);
	append_row(reader, slot, key);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(reader->row_context);
	return !reader->ends;
}

void
JoinReadQuery(JoinInput *input, const ReaderSpec *spec, const char *query)
{
	RowReader reader;
	const char *what = psprintf("query of %s", spec->function);
	const char *columns;

	memset(&reader, 0, sizeof(reader));
	QueryReceiverInit(&reader.receiver, begin_reading, read_row, &reader);
	reader.input = input;
	reader.spec = spec;

	RowReadingInit(&reader.reading, kind_of(&reader), spec->kind_state, InvalidOid,
				   RowKindType(kind_of(&reader), spec->schema));
	reader.row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row", ALLOCSET_DEFAULT_SIZES);
	columns = psprintf("key, %s", kind_of(&reader)->name);
	if (spec->taker != NULL)
		JoinRunSample(what, columns, query, spec->taker->sample, &reader.receiver.dest);
	else
		JoinRunQuery(what, columns, query, &reader.receiver.dest);
	if (spec->observer != NULL && spec->observer->end != NULL)
		spec->observer->end(spec->observer->context);
	MemoryContextDelete(reader.row_context);
	RowReadingFree(&reader.reading);
}
