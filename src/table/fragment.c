/*
 * fragment.c
 *		Checks of SQL fragments that a user gives as texts.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/parsenodes.h"
#include "parser/analyze.h"
#include "parser/parser.h"

#include "table/fragment.h"

/* The position of an error is one in the fragment, not in the client's statement. */
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

static void
begin_statement(ErrorContextCallback *callback, char *statement)
{
	callback->callback = put_internal_position;
	callback->arg = statement;
	callback->previous = error_context_stack;
	error_context_stack = callback;
}

List *
FragmentParse(char *statement)
{
	ErrorContextCallback callback;
	List *parsed;

	begin_statement(&callback, statement);
	parsed = raw_parser(statement, RAW_PARSE_DEFAULT);
	error_context_stack = callback.previous;
	return parsed;
}

static Query *
analyze(char *statement)
{
	RawStmt *parsed = linitial_node(RawStmt, FragmentParse(statement));
	ErrorContextCallback callback;
	Query *query;

	begin_statement(&callback, statement);
	query = parse_analyze_fixedparams(parsed, statement, NULL, 0, NULL);
	error_context_stack = callback.previous;
	return query;
}

static void
refuse_sets(const Query *query, const char *name)
{
	if (query->hasTargetSRFs)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s must not return a set", name),
				 errdetail("It is evaluated for each row, and must have one value.")));
}

/* Returns the statement if it is a SELECT of one unnamed column, grouped or ordered; else NULL. */
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
	bare->groupClause = select->groupClause;
	bare->sortClause = select->sortClause;
	return equal(select, bare) ? select : NULL;
}

static void
refuse_lists(const char *text, const char *name)
{
	SelectStmt *select = bare_select(FragmentParse(psprintf("SELECT %s", text)));

	if (select == NULL || select->groupClause != NIL || select->sortClause != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("%s must be one SQL expression", name)));
}

void
ExpressionOrError(const char *text, const char *relation, const char *name)
{
	refuse_lists(text, name);
	refuse_sets(analyze(psprintf("SELECT %s\nFROM %s", text, relation)), name);
}

Query *
CorrelatedExpression(const char *text, const char *relation, const char *alias, const char *name)
{
	Query *query;
	Query *subquery;
	SubLink *link;

	refuse_lists(text, name);
	query = analyze(
		psprintf("SELECT (SELECT %s\nFROM %s)\nFROM %s AS %s", text, relation, relation, alias));
	link = castNode(SubLink, linitial_node(TargetEntry, query->targetList)->expr);
	subquery = castNode(Query, link->subselect);
	refuse_sets(subquery, name);
	/* An aggregate of the other row alone is one of the query around. */
	subquery->hasAggs |= query->hasAggs;
	return subquery;
}

static void
refuse_sets_of_list(const char *text, const char *relation, const char *name)
{
	refuse_sets(analyze(psprintf("SELECT pg_catalog.row_number() OVER (ORDER BY %s\n) FROM %s",
								 text, relation)),
				name);
}

void
OrderByListOrError(const char *text, const char *relation, const char *name)
{
	if (bare_select(FragmentParse(psprintf("SELECT 1 ORDER BY %s", text))) == NULL)
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("%s must be a list of SQL expressions, as after ORDER BY", name)));
	refuse_sets_of_list(text, relation, name);
}

/* Returns whether a list for GROUP BY has a grouping set, such as ROLLUP. */
static bool
has_grouping_set(List *list)
{
	ListCell *cell;

	foreach(cell, list)
	{
		if (IsA(lfirst(cell), GroupingSet))
			return true;
	}
	return false;
}

void
ExpressionListOrError(const char *text, const char *relation, const char *name)
{
	SelectStmt *select = bare_select(FragmentParse(psprintf("SELECT 1 GROUP BY %s", text)));

	if (select == NULL || select->sortClause != NIL || has_grouping_set(select->groupClause))
		ereport(ERROR, (errcode(ERRCODE_SYNTAX_ERROR),
						errmsg("%s must be a list of SQL expressions, as after GROUP BY", name)));
	refuse_sets_of_list(text, relation, name);
}
