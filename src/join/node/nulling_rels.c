/*
 * nulling_rels.c
 *		Sets the nulling relations of a plan's expressions.
 *
 * Since PostgreSQL 16 a reference to a column names the outer joins that may have made it NULL. In
 * a left join the references of the result name it, and the references of its clauses do not. The
 * planner wants all references to a column of the scan tuple to agree
 * (search_indexed_tlist_for_var), so the node's expressions get the nulling relations of the
 * result. All columns of a table have the same ones.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"

#include "join/node/nulling_rels.h"

#if PG_VERSION_NUM >= 160000

/* Returns whether an input returns this place holder. */
static bool
is_computed(const PlaceHolderVar *holder, const List *inputs)
{
	ListCell *cell;

	foreach(cell, inputs)
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

	foreach(cell, result)
	{
		PlaceHolderVar *holder = lfirst(cell);

		if (IsA(holder, PlaceHolderVar) && !is_computed(holder, inputs))
			within = list_concat(
				within, pull_var_clause((Node *) holder->phexpr, PVC_RECURSE_PLACEHOLDERS));
	}
	return list_concat(result, within);
}

/*
 * Returns the nulling relations that the result has for a column of the same table as this one, or
 * for the same place holder.
 */
static Relids
rels_of(const List *result, const Node *node)
{
	ListCell *cell;

	foreach(cell, result)
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
set_rels(Node *node, void *result)
{
	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var *column = copyObject((Var *) node);

		column->varnullingrels = rels_of(result, node);
		return (Node *) column;
	}
	if (IsA(node, PlaceHolderVar))
	{
		PlaceHolderVar *holder = (PlaceHolderVar *) expression_tree_mutator(node, set_rels, result);

		holder->phnullingrels = rels_of(result, node);
		return (Node *) holder;
	}
	return expression_tree_mutator(node, set_rels, result);
}

void *
NullingRelsSet(const List *result, const void *expression)
{
	return set_rels((Node *) expression, (List *) result);
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
