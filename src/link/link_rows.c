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

#include "table/default_tokens.h"
#include "link/link_rows.h"
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

static void
begin_texts(LinkRows *rows, TupleDesc columns)
{
	int count = columns->natts - 1;

	rows->has_other_text = count == 2;
	rows->executor = CreateExecutorState();
	for (int i = 0; i < count; i++)
		rows->casts[i] = find_cast(rows, columns, (AttrNumber) (i + 2));
	RowValuesBegin(&rows->texts, count, TEXTOID);
}

static void
check_link_columns(void *context, TupleDesc columns)
{
	LinkRows *rows = context;

	if (columns->natts != 2 && columns->natts != 3)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("%s of %s must return two or three columns, a key and one text or two",
						rows->name, rows->function),
				 errdetail_plural("The query returns %d column.", "The query returns %d columns.",
								  columns->natts, columns->natts)));
	begin_texts(rows, columns);
}

static void
put_texts(void *context, TupleTableSlot *slot, uint32 number)
{
	LinkRows *rows = context;
	ExprContext *expressions = GetPerTupleExprContext(rows->executor);
	Datum texts[2] = {0};
	bool nulls[2];

	expressions->ecxt_scantuple = slot;
	for (int i = 0; i < rows->texts.columns->natts; i++)
	{
		texts[i] = ExecEvalExpr(rows->casts[i], expressions, &nulls[i]);
		/* Neither compressed nor stored elsewhere. */
		if (!nulls[i])
			texts[i] = PointerGetDatum(PG_DETOAST_DATUM_PACKED(texts[i]));
	}
	RowValuesPut(&rows->texts, texts, nulls);
}

void
LinkRowsRead(LinkRows *rows, const ReaderSpec *reader, int side, const char *query,
			 ExceptPairs *except)
{
	JoinRequest request = {.queries = {query}, .reader = *reader};
	RowWishes wishes = {.keys = KEYS_UNIQUE,
						.except = except,
						.except_column = side,
						.context = rows,
						.begin = check_link_columns,
						.note = put_texts};

	*rows = (LinkRows){.name = side == 0 ? "query_a" : "query_b", .function = reader->function};
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

void
LinkRowsForgetTexts(LinkRows *rows)
{
	RowValuesEnd(&rows->texts);
	FreeExecutorState(rows->executor);
}
