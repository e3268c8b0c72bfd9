/*
 * record_rows.c
 *		Reading the rows of a table of records.
 *
 * The query is run once. Values wait in a tuple store for the columns to be compared one after the other.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "allocate.h"
#include "cluster/table_keys.h"
#include "compat.h"
#include "join/memory/join_memory.h"
#include "join/progress/progress.h"
#include "join/rows/query.h"
#include "link/default_tokens.h"
#include "link/record_rows.h"
#include "text/encoding.h"
#include "text/normalize.h"
#include "text/token_sort.h"

/* The part of the memory of a join that the values take before they go to a file. */
#define PART_OF_VALUES 16

/* What makes two rows one unit; the values of all columns follow, each behind its length. */
typedef struct ContentHead
{
	uint64 excepted; /* 0, or the number in `except_pairs` and 1 */
	uint64 scope;
} ContentHead;

static void
begin_record_rows(void *context, TupleDesc columns)
{
	RecordRows *rows = context;
	const RecordRequest *request = rows->request;
	Form_pg_attribute key = TupleDescAttr(columns, RECORD_KEY);
	MemoryContext previous = MemoryContextSwitchTo(rows->context);
	MemoryContext key_context =
		AllocSetContextCreate(rows->context, "neardup record keys", ALLOCSET_DEFAULT_SIZES);

	JoinKeysInit(&rows->keys, key_context, NULL,
				 JoinKeyColumnType(key, request->key_policy, request->key_type), key->attcollation,
				 true);
	JoinInputSetKeys(&rows->join->input, INT8OID, InvalidOid, false);
	MemoryContextSwitchTo(previous);
}

/* Appends a value and its length, by which the values of a row are told apart. */
static void
append_value(ByteBuffer *buffer, const char *data, Size length)
{
	uint64 head = length;

	ByteBufferAppend(buffer, (const char *) &head, sizeof(head));
	ByteBufferAppend(buffer, data, length);
}

/* Returns the hash of a row's values as they are written; NULL is not the empty text. */
static CopyHash
hash_of_texts(const RecordRows *rows, const TupleTableSlot *slot)
{
	ByteBuffer content;
	CopyHash hash;

	ByteBufferInit(&content, 0);
	for (int i = 0; i < rows->request->column_count; i++)
	{
		uint64 null = PG_UINT64_MAX;

		if (slot->tts_isnull[RECORD_TEXTS + i])
			ByteBufferAppend(&content, (const char *) &null, sizeof(null));
		else
		{
			text *value = DatumGetTextPP(slot->tts_values[RECORD_TEXTS + i]);

			append_value(&content, VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
		}
	}
	hash = CopiesHash(rows->contents, content.data, content.used);
	ByteBufferFree(&content);
	return hash;
}

/* Sets the normalized values of a row, each palloc'd; NULL where there is none. */
static void
normalize_values(const RecordRows *rows, const TupleTableSlot *slot, Datum *values, bool *nulls)
{
	for (int i = 0; i < rows->request->column_count; i++)
	{
		text *value;
		ByteSpan utf8;
		ByteBuffer normalized;

		nulls[i] = true;
		if (slot->tts_isnull[RECORD_TEXTS + i])
			continue;
		value = DatumGetTextPP(slot->tts_values[RECORD_TEXTS + i]);
		utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
		normalized = NormalizeUtf8(utf8);
		if (normalized.used > 0)
		{
			values[i] =
				PointerGetDatum(cstring_to_text_with_len(normalized.data, (int) normalized.used));
			nulls[i] = false;
		}
		ByteBufferFree(&normalized);
		Utf8Release(utf8, VARDATA_ANY(value));
	}
}

static ByteSpan
span_of_value(Datum value)
{
	text *packed = DatumGetTextPP(value);

	return (ByteSpan){VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed)};
}

/* Returns the number of the unit of these values, which is rows->unit_count for a new one. */
static uint32
find_unit(const RecordRows *rows, ContentHead head, const Datum *values, const bool *nulls)
{
	ByteBuffer content;
	uint32 unit;

	ByteBufferInit(&content, 0);
	ByteBufferAppend(&content, (const char *) &head, sizeof(head));
	for (int i = 0; i < rows->request->column_count; i++)
	{
		ByteSpan value = nulls[i] ? (ByteSpan){"", 0} : span_of_value(values[i]);

		append_value(&content, value.data, value.length);
	}
	unit = CopiesFirst(rows->contents, content.data, content.used, rows->unit_count);
	ByteBufferFree(&content);
	return unit;
}

/* Appends the words and 4-grams of all values of a unit to the join. */
static void
append_to_join(RecordRows *rows, const Datum *values, const bool *nulls)
{
	int64 unit = rows->unit_count;
	ByteBuffer body;
	TokenList list;

	ByteBufferInit(&body, 0);
	TokenListInit(&list, 0);
	for (int i = 0; i < rows->request->column_count; i++)
	{
		ByteSpan value;

		if (nulls[i])
			continue;
		value = span_of_value(values[i]);
		if (body.used > 0)
			ByteBufferAppend(&body, " ", 1);
		ByteBufferAppend(&body, value.data, value.length);
	}
	LinkTokensOfNormalized((ByteSpan){body.data, body.used}, true, &list);
	TokensSort(list.tokens, list.count);
	list.count = TokensUnique(list.tokens, list.count);
	JoinInputAppend(&rows->join->input, nd_int64_datum(&unit),
					&(JoinRow){.data = list.tokens, .count = list.count});
}

/* Notes a unit whose values come next. */
static void
note_unit(RecordRows *rows, ContentHead head)
{
	MemoryContext previous = MemoryContextSwitchTo(rows->context);
	uint32 unit = rows->unit_count;

	if (rows->request->within != NULL)
	{
		ARRAY_MAKE_ROOM(rows->scopes, unit, rows->scope_capacity);
		rows->scopes[unit] = (uint32) head.scope;
	}
	if (rows->except != NULL)
	{
		ARRAY_MAKE_ROOM(rows->excepted, unit, rows->excepted_capacity);
		rows->excepted[unit] = head.excepted == 0 ? NO_ROW : (uint32) head.excepted - 1;
	}
	MemoryContextSwitchTo(previous);
}

/* Begins a unit with the values of its first row. */
static void
begin_unit(RecordRows *rows, ContentHead head, Datum *values, bool *nulls)
{
	note_unit(rows, head);
	append_to_join(rows, values, nulls);
	tuplestore_putvalues(rows->values, rows->columns, values, nulls);
	rows->unit_count++;
}

static void
note_record(RecordRows *rows, const TupleTableSlot *slot, CopyHash texts)
{
	uint32 number = rows->keys.count;

	ARRAY_MAKE_ROOM(rows->texts, number, rows->text_capacity);
	rows->texts[number] = texts;
	ARRAY_MAKE_ROOM(rows->units, number, rows->row_unit_capacity);
	if (rows->request->keep == NULL)
		return;
	ARRAY_MAKE_ROOM(rows->places, number, rows->place_capacity);
	rows->places[number] = (uint32) DatumGetInt64(slot->tts_values[RECORD_PLACE]);
}

static ContentHead
head_of_unit(const RecordRows *rows, const TupleTableSlot *slot)
{
	ContentHead head = {.scope = (uint64) DatumGetInt64(slot->tts_values[RECORD_SCOPE])};
	uint32 number;

	if (rows->except == NULL || slot->tts_isnull[RECORD_KEY])
		return head;
	number = ExceptPairsNumber(rows->except, 0, rows->keys.type, slot->tts_values[RECORD_KEY]);
	if (number != NO_ROW)
		head.excepted = (uint64) number + 1;
	return head;
}

static bool
take_record(void *context, TupleTableSlot *slot)
{
	RecordRows *rows = context;
	int count = rows->request->column_count;
	MemoryContext previous;
	Datum *values;
	bool *nulls;
	ContentHead head;
	CopyHash texts;
	uint32 unit;

	JoinProgressCheck();
	slot_getallattrs(slot);
	previous = MemoryContextSwitchTo(rows->row_context);
	values = palloc0(count * sizeof(Datum));
	nulls = palloc(count * sizeof(bool));
	normalize_values(rows, slot, values, nulls);
	head = head_of_unit(rows, slot);
	texts = hash_of_texts(rows, slot);
	unit = find_unit(rows, head, values, nulls);
	if (unit == rows->unit_count)
		begin_unit(rows, head, values, nulls);
	MemoryContextSwitchTo(rows->context);
	note_record(rows, slot, texts);
	rows->units[rows->keys.count] = unit;
	TableKeysAppend(&rows->keys, rows->request->key_name, slot->tts_values[RECORD_KEY],
					slot->tts_isnull[RECORD_KEY]);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(rows->row_context);
	return true;
}

bool
RecordRowsComparable(const RecordRows *rows, uint32 a, uint32 b)
{
	if (rows->scopes != NULL && rows->scopes[a] != rows->scopes[b])
		return false;
	return rows->except == NULL ||
		   !ExceptPairsHas(rows->except, rows->excepted[a], rows->excepted[b]);
}

/* The same of rows of the join, by their keys. */
static bool
are_comparable(const void *context, int64 a, int64 b)
{
	const RecordRows *rows = context;

	return RecordRowsComparable(rows, rows->ranks[a], rows->ranks[b]);
}

/* Returns values that were in the order of the units' numbers in the order of the units; or NULL. */
static uint32 *
in_order(const RecordRows *rows, uint32 *by_number)
{
	uint32 *by_unit;

	if (by_number == NULL)
		return NULL;
	by_unit = AllocateArray(rows->unit_count, sizeof(uint32));
	for (uint32 number = 0; number < rows->unit_count; number++)
		by_unit[rows->ranks[number]] = by_number[number];
	pfree(by_number);
	return by_unit;
}

/* Orders the keys, and the units by the least keys of their rows. */
static void
order_units(RecordRows *rows)
{
	uint32 next = 0;

	rows->count = rows->keys.count;
	TableKeysOrder(&rows->order, &rows->keys, rows->request->key_name);
	rows->ranks = AllocateArray(rows->unit_count, sizeof(uint32));
	rows->sizes = AllocateArray(rows->unit_count, sizeof(uint32));
	memset(rows->ranks, 0xFF, rows->unit_count * sizeof(uint32));
	memset(rows->sizes, 0, rows->unit_count * sizeof(uint32));
	for (uint32 place = 0; place < rows->count; place++)
	{
		uint32 *unit = &rows->units[rows->order.by_rank[place]];

		CHECK_FOR_INTERRUPTS();
		if (rows->ranks[*unit] == NO_ROW)
			rows->ranks[*unit] = next++;
		*unit = rows->ranks[*unit];
		rows->sizes[*unit]++;
	}
	rows->scopes = in_order(rows, rows->scopes);
	rows->excepted = in_order(rows, rows->excepted);
}

static void
begin_values(RecordRows *rows)
{
	int count = rows->request->column_count;

	rows->columns = CreateTemplateTupleDesc(count);
	for (int i = 0; i < count; i++)
		TupleDescInitEntry(rows->columns, (AttrNumber) (i + 1), NULL, BYTEAOID, -1, 0);
	nd_finish_tuple_desc(rows->columns);
	rows->values =
		tuplestore_begin_heap(false, false, (int) (JoinMemory() / 1024 / PART_OF_VALUES));
	rows->slot = MakeSingleTupleTableSlot(rows->columns, &TTSOpsMinimalTuple);
}

void
RecordRowsRead(RecordRows *rows, SimilarityJoin *join, JoinTask *task, const RecordRequest *request)
{
	QueryReceiver receiver;

	*rows = (RecordRows){.request = request, .join = join, .context = CurrentMemoryContext};
	rows->row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup record", ALLOCSET_DEFAULT_SIZES);
	rows->contents = CopiesCreate(CurrentMemoryContext);
	if (request->except_pairs != NULL)
		rows->except = ExceptPairsRead(request->except_pairs, request->key_policy,
									   request->key_type, request->key_collation, false);
	if (request->within != NULL || request->except_pairs != NULL)
		task->demand.accepts = are_comparable;
	task->demand.accepts_context = rows;
	begin_values(rows);
	SimilarityJoinBegin(join, task, CurrentMemoryContext);
	QueryReceiverInit(&receiver, begin_record_rows, take_record, rows);
	JoinRunQuery(request->function, NULL, request->query, &receiver.dest);
	SimilarityJoinRead(join);
	CopiesFree(rows->contents);
	order_units(rows);
}

void
RecordRowsRewind(RecordRows *rows)
{
	tuplestore_rescan(rows->values);
	rows->next = 0;
}

bool
RecordRowsNext(RecordRows *rows, int column, uint32 *unit, ByteSpan *value)
{
	bool isnull;
	Datum datum;

	CHECK_FOR_INTERRUPTS();
	if (!tuplestore_gettupleslot(rows->values, true, false, rows->slot))
		return false;
	datum = slot_getattr(rows->slot, column + 1, &isnull);
	*unit = rows->ranks[rows->next++];
	*value = isnull ? (ByteSpan){NULL, 0} : span_of_value(datum);
	return true;
}

void
RecordRowsForgetValues(RecordRows *rows)
{
	ExecDropSingleTupleTableSlot(rows->slot);
	tuplestore_end(rows->values);
}
