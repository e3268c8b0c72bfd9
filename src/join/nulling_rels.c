/*
 * nulling_rels.c
 *		The marks of columns that outer joins may have set to NULL.
 *
 * From PostgreSQL 16 on a column carries the outer joins below that may have replaced its value
 * by NULL. The clauses of a left join know its columns from before, its result from after. The
 * planner wants all that refers to a column of a custom scan's tuple to carry the same marks
 * (search_indexed_tlist_for_var). So the node's expressions get those of the result; a table's
 * columns all have the same.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "join/nulling_rels.h"

#if PG_VERSION_NUM >= 160000

/* Whether an input computes the place holder. */
static bool
is_computed(const PlaceHolderVar *holder, const List *inputs)
{
	ListCell *cell;

	foreach (cell, inputs)
	{
		Expr *expression = lfirst_node(TargetEntry, cell)->expr;

		if (IsA(expression, PlaceHolderVar) &&
			((PlaceHolderVar *) expression)->phid == holder->phid)
			return true;
	}
	return false;
}

List *
NullingRelsOfResult(const RelOptInfo *join, const List *inputs)
{
	List *result = pull_var_clause((Node *) join->reltarget->exprs, PVC_INCLUDE_PLACEHOLDERS);
	List *within = NIL;
	ListCell *cell;

	foreach (cell, result)
	{
		PlaceHolderVar *holder = lfirst(cell);

		if (IsA(holder, PlaceHolderVar) && !is_computed(holder, inputs))
			within = list_concat(
				within, pull_var_clause((Node *) holder->phexpr, PVC_RECURSE_PLACEHOLDERS));
	}
	return list_concat(result, within);
}

/* Those of a column or place holder. */
static Relids
marks_of(const List *result, const Node *node)
{
	ListCell *cell;

	foreach (cell, result)
	{
		const Node *other = lfirst(cell);

		if (nodeTag(other) != nodeTag(node))
			continue;
		if (IsA(node, Var) && ((const Var *) other)->varno == ((const Var *) node)->varno)
			return ((const Var *) other)->varnullingrels;
		if (IsA(node, PlaceHolderVar) &&
			((const PlaceHolderVar *) other)->phid == ((const PlaceHolderVar *) node)->phid)
			return ((const PlaceHolderVar *) other)->phnullingrels;
	}
	return NULL;
}

static Node *
set_marks(Node *node, void *result)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var *column = copyObject((Var *) node);

		column->varnullingrels = marks_of(result, node);
		return (Node *) column;
	}
	if (IsA(node, PlaceHolderVar))
	{
		PlaceHolderVar *holder =
			(PlaceHolderVar *) expression_tree_mutator(node, set_marks, result);

		holder->phnullingrels = marks_of(result, node);
		return (Node *) holder;
	}
	return expression_tree_mutator(node, set_marks, result);
}

void *
NullingRelsSet(const List *result, const void *expression)
{
	return set_marks((Node *) expression, (List *) result);
}

#else

List *
NullingRelsOfResult(const RelOptInfo *join, const List *inputs)
{
	return NIL;
}

void *
NullingRelsSet(const List *result, const void *expression)
{
	return (void *) expression;
}

#endif
