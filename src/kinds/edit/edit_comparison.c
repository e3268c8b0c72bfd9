/*
 * edit_comparison.c
 *		Makes edit_within(x, y, k) of edit_distance(x, y) <= k, which an index serves.
 *
 * The planner asks the support function of a function for an index condition if the function itself
 * is the condition, but not if it is one side of a comparison. So the comparison is replaced before
 * the planner distributes the conditions of a query: when it looks a relation up that has an index
 * of the class edit_ops. Partitions are looked up later, so that for a partitioned table nobody
 * looks for the index. By then all calls have been simplified, which has loaded this library.
 *
 * Both are equal for a constant k that is not negative; edit_within raises an error for others. The
 * planner makes constants of parameters, unless it plans for all their values.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kinds/edit/edit_comparison.h"
#include "kinds/edit/edit_ops.h"
#include "kinds/index_class.h"
#include "strings/strings.h"

/*
 * Returns a distance as a constant of type int4, of which no text has more; NULL if it is not known,
 * is NULL or negative. Drivers send integers of any width.
 */
static Const *
constant_distance(const Node *distance)
{
	const Const *constant = (const Const *) distance;
	int64 value;

	if (!IsA(distance, Const) || constant->constisnull)
		return NULL;
	if (constant->consttype == INT2OID)
		value = DatumGetInt16(constant->constvalue);
	else if (constant->consttype == INT8OID)
		value = DatumGetInt64(constant->constvalue);
	else
		value = DatumGetInt32(constant->constvalue);
	if (value < 0)
		return NULL;
	return makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
					 Int32GetDatum((int32) Min(value, PG_INT32_MAX)), false, true);
}

/*
 * Returns the arguments x and y and the distance k, as a list, of edit_distance(x, y) <= k or
 * k >= edit_distance(x, y); NIL for other expressions. *function becomes the function that is
 * called.
 */
static List *
arguments_of_comparison(const OpExpr *comparison, Oid *function)
{
	Oid operation = get_opcode(comparison->opno);
	bool is_reversed = operation == F_INT4GE || operation == F_INT24GE || operation == F_INT84GE;
	Node *call;
	Const *distance;
	List *args;

	if (!is_reversed && operation != F_INT4LE && operation != F_INT42LE && operation != F_INT48LE)
		return NIL;
	call = list_nth(comparison->args, is_reversed ? 1 : 0);
	args = ArgumentsOfCall(call, edit_distance, 2);
	if (args == NIL)
		return NIL;
	distance = constant_distance(list_nth(comparison->args, is_reversed ? 0 : 1));
	if (distance == NULL)
		return NIL;
	*function = ((FuncExpr *) call)->funcid;
	return list_make3(linitial(args), lsecond(args), distance);
}

/* Returns an expression with all such comparisons replaced. */
static Node *
replace_comparisons(Node *expression, void *context)
{
	Oid called;
	Oid function;
	List *args;

	if (expression == NULL || !IsA(expression, OpExpr))
		return expression_tree_mutator(expression, replace_comparisons, context);
	args = arguments_of_comparison((OpExpr *) expression, &called);
	if (args == NIL)
		return expression_tree_mutator(expression, replace_comparisons, context);
	function = FunctionBeside(called, "edit_within", (Oid[]){TEXTOID, TEXTOID, INT4OID}, 3);
	if (!OidIsValid(function))
		return expression;
	return (Node *) makeFuncExpr(function, BOOLOID, args, InvalidOid,
								 ((OpExpr *) expression)->inputcollid, COERCE_EXPLICIT_CALL);
}

/* Replaces the conditions of a tree of joins, in place. */
static void
replace_conditions(Node *tree)
{
	if (tree == NULL || IsA(tree, RangeTblRef))
		return;
	if (IsA(tree, FromExpr))
	{
		FromExpr *from = (FromExpr *) tree;
		ListCell *cell;

		foreach(cell, from->fromlist) replace_conditions(lfirst(cell));
		from->quals = replace_comparisons(from->quals, NULL);
	}
	else if (IsA(tree, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) tree;

		replace_conditions(join->larg);
		replace_conditions(join->rarg);
		join->quals = replace_comparisons(join->quals, NULL);
	}
}

/* Whether the relation has an index of the class edit_ops, on its last key column. */
static bool
has_edit_index(const RelOptInfo *relation)
{
	ListCell *cell;

	foreach(cell, relation->indexlist)
	{
		const IndexOptInfo *index = lfirst(cell);

		if (IndexClassSetOfText(index->opfamily[index->nkeycolumns - 1]) == edit_tokens)
			return true;
	}
	return false;
}

static void
prepare_relation(PlannerInfo *root, const RelOptInfo *relation, bool has_partitions)
{
	if (relation->reloptkind == RELOPT_BASEREL && (has_partitions || has_edit_index(relation)))
		replace_conditions((Node *) root->parse->jointree);
}

#if PG_VERSION_NUM >= 190000
static build_simple_rel_hook_type previous_hook = NULL;

static void
build_relation(PlannerInfo *root, RelOptInfo *relation, RangeTblEntry *entry)
{
	if (previous_hook != NULL)
		previous_hook(root, relation, entry);
	prepare_relation(root, relation, entry->inh);
}

void
EditComparisonInit(void)
{
	previous_hook = build_simple_rel_hook;
	build_simple_rel_hook = build_relation;
}
#else
static get_relation_info_hook_type previous_hook = NULL;

static void
get_information(PlannerInfo *root, Oid oid, bool has_partitions, RelOptInfo *relation)
{
	if (previous_hook != NULL)
		previous_hook(root, oid, has_partitions, relation);
	prepare_relation(root, relation, has_partitions);
}

void
EditComparisonInit(void)
{
	previous_hook = get_relation_info_hook;
	get_relation_info_hook = get_information;
}
#endif
