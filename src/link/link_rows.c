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
#include "table/default_tokens.h"
#include "link/link_rows.h"
#include "text/encoding.h"
#include "text/normalize.h"
#include "text/token_sort.h"

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

/* Returns the number of a column of `differ`; the first column is the key. */
static AttrNumber
find_differ(const LinkRows *rows, TupleDesc columns, const char *name)
{
	for (int i = 1; i < columns->natts; i++)
	{
		if (strcmp(NameStr(TupleDescAttr(columns, i)->attname), name) == 0)
			return (AttrNumber) (i + 1);
	}
	ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
					errmsg("%s of %s returns no column \"%s\" beside the key", rows->name,
						   rows->function, name),
					errdetail("The columns that differ names are returned by both queries.")));
}

static bool
is_differ(const LinkRows *rows, TupleDesc columns, AttrNumber number)
{
	for (int i = 0; i < rows->differ.count; i++)
	{
		if (find_differ(rows, columns, rows->differ.names[i]) == number)
			return true;
	}
	return false;
}

/* Begins with the texts, and then the columns of `differ`; the query has columns for both. */
static void
begin_texts(LinkRows *rows, TupleDesc columns)
{
	int count = 0;

	rows->executor = CreateExecutorState();
	rows->casts = AllocateArray(columns->natts - 1, sizeof(ExprState *));
	for (AttrNumber number = 2; number <= columns->natts; number++)
	{
		if (!is_differ(rows, columns, number))
			rows->casts[count++] = find_cast(rows, columns, number);
	}
	rows->has_other_text = count == 2;
	for (int i = 0; i < rows->differ.count; i++)
		rows->casts[count++] =
			find_cast(rows, columns, find_differ(rows, columns, rows->differ.names[i]));
	rows->values = AllocateArray(count, sizeof(Datum));
	rows->nulls = AllocateArray(count, sizeof(bool));
	RowValuesBegin(&rows->texts, count, TEXTOID);
}

static void
check_link_columns(void *context, TupleDesc columns)
{
	LinkRows *rows = context;
	int compared = columns->natts;

	for (AttrNumber number = 2; number <= columns->natts; number++)
		compared -= is_differ(rows, columns, number);
	if (compared != 2 && compared != 3)
		ereport(
			ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s of %s must return two or three columns, a key and one text or two",
					rows->name, rows->function),
			 rows->differ.count == 0
				 ? errdetail_plural("The query returns %d column.", "The query returns %d columns.",
									compared, compared)
				 : errdetail_plural("The query returns %d column beside those that differ names.",
									"The query returns %d columns beside those that differ names.",
									compared, compared),
			 compared > 3
				 ? errhint("Join texts to one by concat_ws(' ', ...). The second text has what "
						   "the first, a name or a title, does not say.")
				 : 0));
	begin_texts(rows, columns);
}

static void
put_texts(void *context, TupleTableSlot *slot, uint32 number)
{
	LinkRows *rows = context;
	ExprContext *expressions = GetPerTupleExprContext(rows->executor);

	expressions->ecxt_scantuple = slot;
	for (int i = 0; i < rows->texts.columns->natts; i++)
	{
		rows->values[i] = ExecEvalExpr(rows->casts[i], expressions, &rows->nulls[i]);
		/* Neither compressed nor stored elsewhere. */
		if (!rows->nulls[i])
			rows->values[i] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(rows->values[i]));
	}
	RowValuesPut(&rows->texts, rows->values, rows->nulls);
}

void
LinkRowsRead(LinkRows *rows, const ReaderSpec *reader, int side, const char *query,
			 ExceptPairs *except, LinkDiffer differ)
{
	JoinRequest request = {.queries = {query}, .reader = *reader};
	RowWishes wishes = {.keys = KEYS_UNIQUE,
						.except = except,
						.except_column = side,
						.context = rows,
						.begin = check_link_columns,
						.note = put_texts};

	*rows = (LinkRows){
		.name = side == 0 ? "query_a" : "query_b", .function = reader->function, .differ = differ};
	request.reader.query = wishes.names[0] = rows->name;
	request.reader.columns = "key, text";
	CallRowsRead(&rows->rows, &wishes, NULL, &request);
	CallRowsPlace(&rows->rows, NULL);
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
	const TupleTableSlot *slot = rows->texts.slot;
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
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup link row", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	ByteBuffer body;
	TokenList list;

	ByteBufferInit(&body, 0);
	TokenListInit(&list, 0);
	RowValuesRewind(&rows->texts);
	for (uint32 number = 0; RowValuesNext(&rows->texts); number++)
	{
		if (!body_of_row(rows, tokens.has_all_texts, &body))
			continue;
		list.count = 0;
		LinkTokensOfText((ByteSpan){body.data, body.used}, tokens.has_grams, &list);
		TokensSort(list.tokens, list.count);
		list.count = TokensUnique(list.tokens, list.count);
		CallRowsAppend(places, rows->rows.order.ranks[number],
					   &(JoinRow){.data = list.tokens, .count = list.count});
	}
	RowValuesRewind(&rows->texts);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
}

/* Returns what a value is compared by. */
static ByteBuffer
normalized(Datum value)
{
	text *packed = DatumGetTextPP(value);
	ByteSpan utf8 = ServerToUtf8(VARDATA_ANY(packed), VARSIZE_ANY_EXHDR(packed));
	ByteBuffer buffer = NormalizeUtf8(utf8);

	Utf8Release(utf8, VARDATA_ANY(packed));
	return buffer;
}

void
LinkRowsTakeVeto(LinkRows *rows, Veto *veto, uint32 first)
{
	int text_count = rows->has_other_text ? 2 : 1;

	RowValuesRewind(&rows->texts);
	for (uint32 number = 0; RowValuesNext(&rows->texts); number++)
	{
		const TupleTableSlot *slot = rows->texts.slot;

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < rows->differ.count; i++)
		{
			ByteBuffer value;

			if (slot->tts_isnull[text_count + i])
				continue;
			value = normalized(slot->tts_values[text_count + i]);
			VetoTake(veto, i, first + rows->rows.order.ranks[number],
					 (ByteSpan){value.data, value.used});
			ByteBufferFree(&value);
		}
	}
	RowValuesRewind(&rows->texts);
}

void
LinkRowsForgetTexts(LinkRows *rows)
{
	RowValuesEnd(&rows->texts);
	FreeExecutorState(rows->executor);
}
