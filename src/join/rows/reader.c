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

typedef struct RowReceiver
{
	DestReceiver dest; /* must be first */
	JoinInput *input;
	const ReaderSpec *spec;
	RowReading reading;
	MemoryContext row_context; /* for detoasted values */
	bool ends;				   /* as the taker says */
} RowReceiver;

static const RowKind *
kind_of(const RowReceiver *receiver)
{
	const RowTaker *taker = receiver->spec->taker;

	return taker != NULL ? taker->kind : receiver->input->kind;
}

static int
further_columns(const ReaderSpec *spec)
{
	if (spec->taker != NULL)
		return spec->taker->sample->blocks > 0 ? 1 : 0;
	return spec->observer != NULL ? spec->observer->further_columns : 0;
}

static void
reader_startup(DestReceiver *self, int operation, TupleDesc columns)
{
	RowReceiver *receiver = (RowReceiver *) self;
	JoinInput *input = receiver->input;
	const ReaderSpec *spec = receiver->spec;
	Form_pg_attribute key;
	Form_pg_attribute value;
	Oid key_type;

	if (columns->natts != 2 + further_columns(spec))
		ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
						errmsg("query of a similarity join must return two columns, a key and a %s",
							   kind_of(receiver)->name),
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
	receiver->reading.type = getBaseType(value->atttypid);
	receiver->reading.kind->check_column(&receiver->reading, value);
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
append_row(RowReceiver *receiver, TupleTableSlot *slot, Datum key)
{
	const RowTaker *taker = receiver->spec->taker;
	RowReading *reading = &receiver->reading;
	JoinRow row;

	(void) reading->kind->read(reading, slot->tts_values[1], 0, &row);
	if (taker == NULL)
		JoinInputAppend(receiver->input, key, &row);
	else
		receiver->ends = !taker->take(taker->context, slot, &row);
}

static bool
reader_receive(TupleTableSlot *slot, DestReceiver *self)
{
	RowReceiver *receiver = (RowReceiver *) self;
	const RowObserver *observer = receiver->spec->observer;
	MemoryContext previous;
	Datum key;

	JoinProgressCheck();
	slot_getallattrs(slot);
	key = slot->tts_values[0];
	if (observer != NULL && !observer->row(observer->context, slot, &key))
		return true;
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	previous = MemoryContextSwitchTo(receiver->row_context);
	append_row(receiver, slot, key);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(receiver->row_context);
	return !receiver->ends;
}

static void
reader_nothing(DestReceiver *self)
{
}

void
JoinReadQuery(JoinInput *input, const ReaderSpec *spec, const char *query)
{
	RowReceiver receiver;

	memset(&receiver, 0, sizeof(receiver));
	receiver.dest.receiveSlot = reader_receive;
	receiver.dest.rStartup = reader_startup;
	receiver.dest.rShutdown = reader_nothing;
	receiver.dest.rDestroy = reader_nothing;
	receiver.dest.mydest = DestTuplestore;
	receiver.input = input;
	receiver.spec = spec;

	RowReadingInit(&receiver.reading, kind_of(&receiver), spec->kind_state, InvalidOid,
				   RowKindType(kind_of(&receiver), spec->schema));
	receiver.row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row", ALLOCSET_DEFAULT_SIZES);
	if (spec->taker != NULL)
		JoinRunSample("query of a similarity join", query, spec->taker->sample, &receiver.dest);
	else
		JoinRunQuery("query of a similarity join", query, &receiver.dest);
	MemoryContextDelete(receiver.row_context);
	RowReadingFree(&receiver.reading);
}
