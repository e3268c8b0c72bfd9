/*
 * clean_indexes.c
 *		The indexes of a table that serve a search for similar rows.
 *
 * A search has an expression of tokens, a scope, which is a list of expressions that are compared by
 * =, and a condition on the rows that count. An index neardup serves it if the index has that scope,
 * in any order, and then either the tokens or a call of jaccard_ball of them, and if it has all rows
 * that count. The index of an exclusion constraint is one of balls, and promises that no two rows of
 * a scope are as similar as its threshold.
 *
 * A constraint of some rows alone may leave out a new row. That one does not count either, so it is
 * as if it had come before all rows that are similar to it.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "fmgr.h"
#include "funcapi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/tuplestore.h"

#include "clean/clean_fragments.h"
#include "clean/clean_table.h"

PG_FUNCTION_INFO_V1(clean_indexes);

/* What is searched for. The expressions are simplified as those of an index are. */
typedef struct Search
{
	Node *tokens;
	List *scope;
	List *among; /* conditions, all of which must be true */
	Oid schema;	 /* of neardup */
} Search;

static List *
simplify(List *expressions)
{
	return (List *) eval_const_expressions(NULL, (Node *) expressions);
}

/* Returns what each column of an index holds: a column of the table, or an expression. */
static List *
index_columns(Relation index)
{
	List *expressions = RelationGetIndexExpressions(index);
	ListCell *next = list_head(expressions);
	List *columns = NIL;

	for (int i = 0; i < index->rd_index->indnatts; i++)
	{
		AttrNumber number = index->rd_index->indkey.values[i];

		if (number == 0)
		{
			columns = lappend(columns, lfirst(next));
			next = lnext(expressions, next);
		}
		else
		{
			Oid type;
			int32 modifier;
			Oid collation;

			get_atttypetypmodcoll(index->rd_index->indrelid, number, &type, &modifier, &collation);
			columns = lappend(columns, makeVar(1, number, type, modifier, collation, 0));
		}
	}
	return columns;
}

/* Returns whether the columns before the last one are the scope, each compared by its own collation. */
static bool
has_scope(Relation index, List *columns, List *scope)
{
	if (list_length(columns) != list_length(scope) + 1)
		return false;
	for (int i = 0; i < list_length(scope); i++)
	{
		Node *column = list_nth(columns, i);

		if (!list_member(scope, column) || index->rd_indcollation[i] != exprCollation(column))
			return false;
	}
	return list_difference(scope, columns) == NIL;
}

/* Returns whether a column of an index has balls of the tokens, all of one threshold, and that. */
static bool
is_ball(Node *column, const Search *search, float8 *threshold)
{
	FuncExpr *call = (FuncExpr *) column;
	Const *value;

	if (!IsA(column, FuncExpr) || get_func_namespace(call->funcid) != search->schema ||
		strcmp(get_func_name(call->funcid), "jaccard_ball") != 0 ||
		!equal(linitial(call->args), search->tokens) || !IsA(lsecond(call->args), Const))
		return false;
	value = lsecond(call->args);
	if (value->constisnull)
		return false;
	*threshold = DatumGetFloat8(value->constvalue);
	return true;
}

/* Returns whether rows of the table may be in other tables, to which its constraints say nothing. */
static bool
has_children(Relation table)
{
	return table->rd_rel->relkind != RELKIND_PARTITIONED_TABLE &&
		   has_subclass(RelationGetRelid(table));
}

/* Returns the name of the constraint of an index of balls, if each row obeys it at once; else NULL. */
static char *
exclusion_of(Relation index, Relation table)
{
	if (!index->rd_index->indisexclusion || !index->rd_index->indimmediate || has_children(table))
		return NULL;
	return get_constraint_name(get_index_constraint(RelationGetRelid(index)));
}

static void
put_index(ReturnSetInfo *result, Relation index, Relation table, const Search *search)
{
	List *columns = index_columns(index);
	Node *last = llast(columns);
	float8 threshold = 0;
	bool is_of_balls = is_ball(last, search, &threshold);
	char *constraint = is_of_balls ? exclusion_of(index, table) : NULL;
	Datum values[3] = {ObjectIdGetDatum(RelationGetRelid(index)), (Datum) 0,
					   Float8GetDatum(threshold)};
	bool nulls[3] = {false, constraint == NULL, !is_of_balls};

	if (!has_scope(index, columns, search->scope) ||
		!(is_of_balls || equal(last, search->tokens)) ||
		!predicate_implied_by(RelationGetIndexPredicate(index), search->among, false))
		return;
	if (constraint != NULL)
		values[1] = CStringGetTextDatum(constraint);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}

/*
 * clean_indexes(rel, tokens, within, among): the indexes neardup of a table that serve a search; of those
 * of balls the threshold, and the name of the constraint if there is one that all rows obey. No table
 * and no tokens have none.
 */
Datum
clean_indexes(PG_FUNCTION_ARGS)
{
	Oid oid;
	Oid method = get_index_am_oid("neardup", false);
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	Search search = {.schema = get_func_namespace(fcinfo->flinfo->fn_oid)};
	Relation table;
	ListCell *cell;

	InitMaterializedSRF(fcinfo, 0);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	oid = PG_GETARG_OID(0);
	search.tokens = linitial(
		simplify(CleanFragmentsParse(oid, text_to_cstring(PG_GETARG_TEXT_PP(1)), "tokens", false)));
	if (!PG_ARGISNULL(2))
		search.scope = simplify(
			CleanFragmentsParse(oid, text_to_cstring(PG_GETARG_TEXT_PP(2)), "within", true));
	if (!PG_ARGISNULL(3))
		search.among = make_ands_implicit(linitial(simplify(
			CleanFragmentsParse(oid, text_to_cstring(PG_GETARG_TEXT_PP(3)), "among", false))));

	table = CleanTableOpen(oid);
	foreach(cell, RelationGetIndexList(table))
	{
		Relation index = index_open(lfirst_oid(cell), AccessShareLock);

		if (index->rd_rel->relam == method && index->rd_index->indisvalid)
			put_index(result, index, table, &search);
		index_close(index, AccessShareLock);
	}
	table_close(table, AccessShareLock);
	return (Datum) 0;
}
