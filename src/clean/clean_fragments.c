/*
 * clean_fragments.c
 *		Expressions over a table's columns that a user gives as texts.
 *
 * A text is read once, with the search path of the caller. What is made of it are expressions in
 * which all names have their schemas, but for those that are found in pg_catalog: PostgreSQL prints
 * these without. The statements that the expressions are put into run with pg_catalog first, where a
 * function of another schema may still fit the arguments better, as one of two texts does better than
 * pg_catalog's concat_ws of any arguments. So what is printed is read again with that path, and must
 * be what it was, or what it is in pg_catalog alone: some of what is printed reads as another tree of
 * the same meaning.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_operator.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/analyze.h"
#include "parser/parser.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "clean/clean_fragments.h"
#include "table/fragment.h"

PG_FUNCTION_INFO_V1(clean_fragments);

/* The alias of the table in the expressions that are returned. */
#define TABLE_ALIAS "t"

/* The search path with which expressions are printed. */
#define CATALOG_PATH "pg_catalog, pg_temp"

static Query *
parse_expressions(const char *text, const char *relation, const char *argument, bool is_list)
{
	char *statement = psprintf("SELECT %s\nFROM %s", text, relation);

	if (is_list)
		ExpressionListOrError(text, relation, argument);
	else
		ExpressionOrError(text, relation, argument);
	return parse_analyze_fixedparams(
		linitial_node(RawStmt, raw_parser(statement, RAW_PARSE_DEFAULT)), statement, NULL, 0, NULL);
}

/* The new row, where an expression or a subquery of it names it. */
typedef struct NewRow
{
	Oid type;
	int level; /* how many levels up it is */
} NewRow;

/*
 * Returns an expression in which each column of the new row is a field of the whole row. It is printed
 * as (new.*).posted, even where columns of the table are printed without an alias.
 */
static Node *
with_whole_row(Node *node, void *context)
{
	NewRow *row = context;
	Var *column = (Var *) node;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		Query *query;

		row->level++;
		query = query_tree_mutator((Query *) node, with_whole_row, context, 0);
		row->level--;
		return (Node *) query;
	}
	if (IsA(node, Var) && (int) column->varlevelsup == row->level && column->varattno > 0)
	{
		FieldSelect *field = makeNode(FieldSelect);

		field->arg =
			(Expr *) makeVar(column->varno, 0, row->type, -1, InvalidOid, column->varlevelsup);
		field->fieldnum = column->varattno;
		field->resulttype = column->vartype;
		field->resulttypmod = column->vartypmod;
		field->resultcollid = column->varcollid;
		return (Node *) field;
	}
	return expression_tree_mutator(node, with_whole_row, context);
}

static bool
names_new_row(Node *node, void *context)
{
	NewRow *row = context;
	bool result;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		row->level++;
		result = query_tree_walker((Query *) node, names_new_row, context, 0);
		row->level--;
		return result;
	}
	if (IsA(node, Var))
		return (int) ((Var *) node)->varlevelsup == row->level;
	return expression_tree_walker(node, names_new_row, context);
}

List *
CleanFragmentsParse(Oid table, const char *text, const char *argument, bool is_list)
{
	const char *name = get_rel_name(table);
	NewRow row = {get_rel_type_id(table), 1};
	Query *query;
	List *expressions = NIL;
	ListCell *cell;

	if (name == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", table)));
	name = quote_qualified_identifier(get_namespace_name(get_rel_namespace(table)), name);
	if (strcmp(argument, ARGUMENT_OF_PAIRS) == 0)
		query = CorrelatedExpression(text, name, NEW_ROW_ALIAS, argument);
	else
		query = parse_expressions(text, name, argument, is_list);
	if (query->hasAggs || query->hasWindowFuncs)
		ereport(ERROR, (errcode(ERRCODE_GROUPING_ERROR),
						errmsg("%s must be of the columns of one row", argument)));
	foreach(cell, query->targetList) expressions =
		lappend(expressions, lfirst_node(TargetEntry, cell)->expr);
	return (List *) with_whole_row((Node *) expressions, &row);
}

static void
set_locally(const char *setting, const char *value)
{
	(void) set_config_option(setting, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

/* Reads a text with a search path. */
static List *
parse_with_path(Oid table, const char *text, const char *argument, const char *path)
{
	int level = NewGUCNestLevel();
	List *expressions;

	set_locally("search_path", path);
	expressions = CleanFragmentsParse(table, text, argument, false);
	AtEOXact_GUC(true, level);
	return expressions;
}

/* Raises an error if what qualified_sql() has made of an expression means something else with a search path. */
static void
check_meaning(Oid table, Node *original, const char *expression, const char *argument,
			  const char *path)
{
	List *now = parse_with_path(table, expression, argument, path);

	if (!equal(linitial(now), original) &&
		!equal(now, parse_with_path(table, expression, argument, CATALOG_PATH)))
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_FUNCTION),
				 errmsg("%s would mean something else with this search path", argument),
				 errdetail("The search path is: %s. It has functions, operators or types that "
						   "take the place of those of pg_catalog in: %s.",
						   path, expression),
				 errhint("Take the schema that has them out of the search path.")));
}

/*
 * Returns an expression as SQL that means the same where pg_catalog comes first in the search path,
 * under any style of dates, with the columns of an alias, or those of the table by their names alone.
 */
static char *
qualified_sql(Node *expression, Oid table, bool has_alias)
{
	const char *name = has_alias ? TABLE_ALIAS : get_rel_name(table);
	int level = NewGUCNestLevel();
	char *sql;

	set_locally("search_path", CATALOG_PATH);
	set_locally("datestyle", "ISO");
	set_locally("intervalstyle", "postgres");
	set_locally("extra_float_digits", "3");
	sql = deparse_expression(
		expression,
		list_concat(deparse_context_for(name, table), deparse_context_for(NEW_ROW_ALIAS, table)),
		has_alias, false);
	AtEOXact_GUC(true, level);
	return sql;
}

/* Returns the operator = of a type as SQL, or NULL if it has none. */
static char *
equality_sql(Oid type)
{
	Oid oid = lookup_type_cache(getBaseType(type), TYPECACHE_EQ_OPR)->eq_opr;
	HeapTuple tuple;
	Form_pg_operator equality;
	char *sql;

	if (!OidIsValid(oid))
		return NULL;
	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(oid));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", oid);
	equality = (Form_pg_operator) GETSTRUCT(tuple);
	sql = psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(equality->oprnamespace)),
				   NameStr(equality->oprname));
	ReleaseSysCache(tuple);
	return sql;
}

/*
 * clean_fragments(rel, fragment, argument, is_list, path): the expressions of a text, as SQL over the
 * columns of "t" and over those of the table, and of the new row, "new"; their types, the operators that
 * compare them, whether they name the new row, and whether a constraint may have them; path: the search
 * path with which statements that have them will run.
 */
Datum
clean_fragments(PG_FUNCTION_ARGS)
{
	Oid table = PG_GETARG_OID(0);
	char *argument = text_to_cstring(PG_GETARG_TEXT_PP(2));
	List *expressions = CleanFragmentsParse(table, text_to_cstring(PG_GETARG_TEXT_PP(1)), argument,
											PG_GETARG_BOOL(3));
	char *path = text_to_cstring(PG_GETARG_TEXT_PP(4));
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	foreach(cell, expressions)
	{
		Node *expression = lfirst(cell);
		char *equality = equality_sql(exprType(expression));
		char *plain = qualified_sql(expression, table, false);
		NewRow row = {InvalidOid, 1};
		bool is_of_pairs = names_new_row(expression, &row);
		Datum values[6] = {CStringGetTextDatum(qualified_sql(expression, table, true)),
						   CStringGetTextDatum(plain),
						   ObjectIdGetDatum(exprType(expression)),
						   (Datum) 0,
						   BoolGetDatum(is_of_pairs),
						   BoolGetDatum(!is_of_pairs && !contain_mutable_functions(expression) &&
										!contain_subplans(expression))};
		bool nulls[6] = {false, false, false, equality == NULL, false, false};

		check_meaning(table, expression, plain, argument, path);
		if (equality != NULL)
			values[3] = CStringGetTextDatum(equality);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	return (Datum) 0;
}
