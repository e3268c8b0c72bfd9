/*
 * fragment.c
 *		Parts of a statement that a user gave as texts.
 *
 * Only the grammar is looked at: names and types are for the statement that the
 * text becomes a part of.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "parser/parser.h"

#include "cluster/fragment.h"

/* A position in the text is none in the statement that the client sent. */
static void
put_internal_position(void *statement)
{
	int position = geterrposition();

	if (position <= 0)
		return;
	errposition(0);
	internalerrposition(position);
	internalerrquery(statement);
}

static List *
parse(char *statement)
{
	ErrorContextCallback callback;
	List *parsed;

	callback.callback = put_internal_position;
	callback.arg = statement;
	callback.previous = error_context_stack;
	error_context_stack = &callback;
	parsed = raw_parser(statement, RAW_PARSE_DEFAULT);
	error_context_stack = callback.previous;
	return parsed;
}

/* The statement if it is one SELECT with nothing but a single column and an order, else NULL. */
static SelectStmt *
bare_select(List *parsed)
{
	SelectStmt *bare = makeNode(SelectStmt);
	SelectStmt *select;

	if (list_length(parsed) != 1)
		return NULL;
	select = (SelectStmt *) linitial_node(RawStmt, parsed)->stmt;
	if (!IsA(select, SelectStmt) || list_length(select->targetList) != 1 ||
		linitial_node(ResTarget, select->targetList)->name != NULL)
		return NULL;
	bare->targetList = select->targetList;
	bare->sortClause = select->sortClause;
	return equal(select, bare) ? select : NULL;
}

void
ExpressionOrError(const char *text, const char *name)
{
	SelectStmt *select = bare_select(parse(psprintf("SELECT %s", text)));

	if (select == NULL || select->sortClause != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("%s must be one SQL expression", name)));
}

void
OrderByListOrError(const char *text, const char *name)
{
	if (bare_select(parse(psprintf("SELECT 1 ORDER BY %s", text))) == NULL)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("%s must be a list of SQL expressions, as after ORDER BY", name)));
}
