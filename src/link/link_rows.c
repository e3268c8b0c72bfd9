/*
 * link_rows.c
 *		Reads the rows of a table that is to be linked, and returns their tokens.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "compat.h"
#include "join/memory/join_memory.h"
#include "join/rows/query.h"
#include "link/default_tokens.h"
#include "link/link_rows.h"
#include "text/token_sort.h"

/* The part of the memory of a join that the texts of a table take before they go to a file. */
#define PART_OF_TEXTS 16

/* Returns what casts a column to text, as `::text` does, with the caller's rights. */
static ExprState *
find_cast(LinkRows *rows, TupleDesc columns, AttrNumber number)
{
	Form_pg_attribute column = TupleDescAttr(columns, number - 1);
	Node *value =
		(Node *) makeVar(1, number, column->atttypid, column->atttypmod, column->attcollation, 0);
	Node *as_text = coerce_to_target_type(NULL, value, column->atttypid, TEXTOID, -1,
										  COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);

	if (as_text == NULL)
		ereport(ERROR, (errcode(ERRCODE_CANNOT_COERCE),
						errmsg("cannot cast type %s to text", format_type_be(column->atttypid))));
	return ExecPrepareExpr((Expr *) as_text, rows->executor);
}

static void
begin_texts(LinkRows *rows, TupleDesc columns)
{
	int count = columns->natts - 1;

	rows->has_other_text = count == 2;
	rows->columns = CreateTemplateTupleDesc(count);
	rows->executor = CreateExecutorState();
	for (int i = 0; i < count; i++)
	{
		rows->casts[i] = find_cast(rows, columns, (AttrNumber) (i + 2));
		TupleDescInitEntry(rows->columns, (AttrNumber) (i + 1), NULL, TEXTOID, -1, 0);
	}
	nd_finish_tuple_desc(rows->columns);
	rows->texts = tuplestore_begin_heap(false, false, (int) (JoinMemory() / 1024 / PART_OF_TEXTS));
	rows->slot = MakeSingleTupleTableSlot(rows->columns, &TTSOpsMinimalTuple);
}

static void
begin_link_rows(void *context, TupleDesc columns)
{
	LinkRows *rows = context;
	MemoryContext previous = MemoryContextSwitchTo(rows->context);
	Form_pg_attribute key;
	MemoryContext key_context;

	if (columns->natts != 2 && columns->natts != 3)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s of %s must return two or three columns, a key and one text or two",
						rows->name, rows->function),
				 errdetail_plural("The query returns %d column.", "The query returns %d columns.",
								  columns->natts, columns->natts)));
	key = TupleDescAttr(columns, 0);
	key_context = AllocSetContextCreate(rows->context, "neardup link keys", ALLOCSET_DEFAULT_SIZES);
	JoinKeysInit(&rows->keys, key_context, NULL,
				 JoinKeyColumnType(key, rows->key_policy, rows->key_type), key->attcollation, true);
	if (rows->except != NULL)
		ExceptPairsCheckType(rows->except, rows->side, rows->keys.type);
	begin_texts(rows, columns);
	MemoryContextSwitchTo(previous);
}

/* Notes the number of the next key in the pairs that are no links. */
static void
note_excepted_key(LinkRows *rows, Datum key)
{
	ARRAY_MAKE_ROOM(rows->excepted, rows->keys.count, rows->excepted_capacity);
	rows->excepted[rows->keys.count] =
		ExceptPairsNumber(rows->except, rows->side, rows->keys.type, key);
}

static void
put_texts(LinkRows *rows, TupleTableSlot *slot)
{
	ExprContext *expressions = GetPerTupleExprContext(rows->executor);
	Datum texts[2] = {0};
	bool nulls[2];

	expressions->ecxt_scantuple = slot;
	for (int i = 0; i < rows->columns->natts; i++)
	{
		texts[i] = ExecEvalExpr(rows->casts[i], expressions, &nulls[i]);
		/* Neither compressed nor stored elsewhere. */
		if (!nulls[i])
			texts[i] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(texts[i]));
	}
	tuplestore_putvalues(rows->texts, rows->columns, texts, nulls);
}

static bool
take_row(void *context, TupleTableSlot *slot)
{
	LinkRows *rows = context;
	MemoryContext previous;

	slot_getallattrs(slot);
	if (slot->tts_isnull[0])
		return true;
	if (rows->keys.count == PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %d rows.", PG_INT32_MAX)));
	previous = MemoryContextSwitchTo(rows->row_context);
	if (rows->except != NULL)
		note_excepted_key(rows, slot->tts_values[0]);
	put_texts(rows, slot);
	JoinKeysAppend(&rows->keys, slot->tts_values[0]);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(rows->row_context);
	return true;
}

void
LinkRowsRead(LinkRows *rows, const char *query)
{
	QueryReceiver receiver;

	rows->context = CurrentMemoryContext;
	rows->row_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup link row", ALLOCSET_DEFAULT_SIZES);
	if (rows->except != NULL)
	{
		rows->excepted_capacity = 1024;
		rows->excepted = AllocateArray(rows->excepted_capacity, sizeof(uint32));
	}
	QueryReceiverInit(&receiver, begin_link_rows, take_row, rows);
	JoinRunQuery(rows->name, "key, text", query, &receiver.dest);
	KeyOrderInit(&rows->order, &rows->keys);
	KeyOrderCheckUnique(&rows->order, &rows->keys, rows->keys.count, &rows->name, rows->function);
}

static void
append_to_body(ByteBuffer *body, Datum value)
{
	text *packed = DatumGetTextPP(value);

	ByteBufferAppend(body, VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
}

/* Sets the body to a row's first text, or to all texts with a blank between; false if it is NULL. */
static bool
body_of_row(const LinkRows *rows, bool has_all_texts, ByteBuffer *body)
{
	const TupleTableSlot *slot = rows->slot;
	bool has_first = !slot->tts_isnull[0];
	bool has_other = has_all_texts && !slot->tts_isnull[1];

	body->used = 0;
	if (has_first)
		append_to_body(body, slot->tts_values[0]);
	if (has_first && has_other)
		ByteBufferAppend(body, " ", 1);
	if (has_other)
		append_to_body(body, slot->tts_values[1]);
	return has_first || has_all_texts;
}

void
LinkRowsAppend(LinkRows *rows, LinkTokens tokens, CallRows *places)
{
	MemoryContext previous = MemoryContextSwitchTo(rows->row_context);
	ByteBuffer body;
	TokenList list;

	ByteBufferInit(&body, 0);
	TokenListInit(&list, 0);
	tuplestore_rescan(rows->texts);
	for (uint32 number = 0; number < rows->keys.count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) tuplestore_gettupleslot(rows->texts, true, false, rows->slot);
		slot_getallattrs(rows->slot);
		if (!body_of_row(rows, tokens.has_all_texts, &body))
			continue;
		list.count = 0;
		LinkTokensOfText((ByteSpan){body.data, body.used}, tokens.has_grams, &list);
		TokensSort(list.tokens, list.count);
		list.count = TokensUnique(list.tokens, list.count);
		CallRowsAppend(places, rows->order.ranks[number],
					   &(JoinRow){.data = list.tokens, .count = list.count});
	}
	/* A row that was read from a file is in the context of the rows. */
	ExecClearTuple(rows->slot);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(rows->row_context);
}

void
LinkRowsForgetTexts(LinkRows *rows)
{
	ExecDropSingleTupleTableSlot(rows->slot);
	tuplestore_end(rows->texts);
	FreeExecutorState(rows->executor);
}

bool
LinkRowsAreExcepted(const LinkRows *rows, uint32 row, const LinkRows *others, uint32 other)
{
	uint32 x;
	uint32 y;

	if (rows->except == NULL)
		return false;
	x = rows->excepted[rows->order.by_rank[row]];
	y = others->excepted[others->order.by_rank[other]];
	return rows->side == 0 ? ExceptPairsHas(rows->except, x, y)
						   : ExceptPairsHas(rows->except, y, x);
}
