/*
 * track_keys.c
 *		The keys that a statement has written.
 *
 * Keys are all that is taken from transition tables. What is to be recorded for them is read from
 * the view later, so that it does not matter if the rows have changed again meanwhile, by another
 * trigger or a later part of the same command.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "track/track_keys.h"

typedef struct Collector
{
	const TrackTable *table;
	TrackKeys keys; /* so far, unsorted */
	uint32 capacity;
} Collector;

/* Appends a copy of a row's key. */
static void
add_key(Collector *collector, TupleTableSlot *slot)
{
	const TrackTable *table = collector->table;
	TrackKeys *keys = &collector->keys;
	bool isnull;
	Datum key = slot_getattr(slot, table->key, &isnull);

	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NOT_NULL_VIOLATION),
						errmsg("the key of a tracked table must not be null")));
	if (keys->count == collector->capacity)
	{
		if (keys->count >= MaxAllocSize / sizeof(Datum) / 2)
			ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
							errmsg("too many rows of a tracked table in one statement"),
							errdetail("There are more than %u.", keys->count)));
		collector->capacity = Max(collector->capacity * 2, 16);
		keys->keys = keys->keys == NULL ? palloc(collector->capacity * sizeof(Datum))
										: repalloc(keys->keys, collector->capacity * sizeof(Datum));
	}
	keys->keys[keys->count++] = datumCopy(key, table->key_by_value, table->key_length);
}

/* Reads a transition table. Other triggers read it too, so a reader has a position of its own. */
typedef struct Transition
{
	Tuplestorestate *store;
	int pointer; /* this reader's position */
	TupleTableSlot *slot;
} Transition;

static Transition
open_transition(Tuplestorestate *store, const TriggerData *trigger)
{
	Transition transition = {.store = store};

	if (store == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED),
				 errmsg("trigger \"%s\" has no transition table", trigger->tg_trigger->tgname)));
	transition.pointer = tuplestore_alloc_read_pointer(store, EXEC_FLAG_REWIND);
	tuplestore_select_read_pointer(store, transition.pointer);
	tuplestore_rescan(store);
	transition.slot =
		MakeSingleTupleTableSlot(RelationGetDescr(trigger->tg_relation), &TTSOpsMinimalTuple);
	return transition;
}

/* Reads the next row into the slot. Returns false after the last one. */
static bool
transition_next(Transition *transition)
{
	CHECK_FOR_INTERRUPTS();
	tuplestore_select_read_pointer(transition->store, transition->pointer);
	return tuplestore_gettupleslot(transition->store, true, false, transition->slot);
}

static void
close_transition(Transition *transition)
{
	ExecDropSingleTupleTableSlot(transition->slot);
}

/* Whether key or set are made of the column. */
static bool
is_read(const TrackTable *table, AttrNumber column)
{
	return bms_is_member(column - FirstLowInvalidHeapAttributeNumber, table->columns) ||
		   bms_is_member(-FirstLowInvalidHeapAttributeNumber, table->columns);
}

/* Whether the columns that key and set are made of have equal bytes, so that both are the same. */
static bool
is_unchanged(const TrackTable *table, TupleTableSlot *former, TupleTableSlot *current)
{
	TupleDesc columns = former->tts_tupleDescriptor;

	for (int i = 0; i < columns->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(columns, i);
		bool former_null;
		bool current_null;
		Datum a;
		Datum b;

		if (column->attisdropped || !is_read(table, (AttrNumber) (i + 1)))
			continue;
		a = slot_getattr(former, i + 1, &former_null);
		b = slot_getattr(current, i + 1, &current_null);
		if (former_null != current_null ||
			(!former_null && !datum_image_eq(a, b, column->attbyval, column->attlen)))
			return false;
	}
	return true;
}

/* Collects the keys of all rows of a transition table. */
static void
collect_all(Collector *collector, const TriggerData *trigger, Tuplestorestate *store)
{
	Transition rows = open_transition(store, trigger);

	while (transition_next(&rows))
		add_key(collector, rows.slot);
	close_transition(&rows);
}

/* Collects the keys of rows that have changed. Both tables have the rows in the same order. */
static void
collect_changed(Collector *collector, const TriggerData *trigger)
{
	Transition former = open_transition(trigger->tg_oldtable, trigger);
	Transition current = open_transition(trigger->tg_newtable, trigger);

	while (transition_next(&former))
	{
		if (!transition_next(&current))
			elog(ERROR, "transition tables of an update differ in length");
		if (is_unchanged(collector->table, former.slot, current.slot))
			continue;
		add_key(collector, former.slot);
		add_key(collector, current.slot);
	}
	close_transition(&former);
	close_transition(&current);
}

static int
compare_keys(const void *a, const void *b, void *context)
{
	const TrackTable *table = context;

	return DatumGetInt32(FunctionCall2Coll(table->compare_keys, table->key_collation,
										   *(const Datum *) a, *(const Datum *) b));
}

/* Sorts the keys, and drops those that occur again. */
static void
keys_sort(const TrackTable *table, TrackKeys *keys)
{
	uint32 count = 0;

	if (keys->count < 2)
		return;
	qsort_arg(keys->keys, keys->count, sizeof(Datum), compare_keys, (void *) table);
	for (uint32 i = 0; i < keys->count; i++)
	{
		if (count == 0 || compare_keys(&keys->keys[i], &keys->keys[count - 1], (void *) table) != 0)
			keys->keys[count++] = keys->keys[i];
	}
	keys->count = count;
}

TrackKeys
TrackKeysWritten(const TrackTable *table, const TriggerData *trigger)
{
	Collector collector = {.table = table};

	if (TRIGGER_FIRED_BY_INSERT(trigger->tg_event))
		collect_all(&collector, trigger, trigger->tg_newtable);
	else if (TRIGGER_FIRED_BY_DELETE(trigger->tg_event))
		collect_all(&collector, trigger, trigger->tg_oldtable);
	else
		collect_changed(&collector, trigger);
	keys_sort(table, &collector.keys);
	return collector.keys;
}
