/*
 * join_shape.c
 *		Sorts the clauses of a join by their use, and finds out whether it is a self-join.
 *
 * In
 *
 *		SELECT * FROM docs a JOIN docs b ON jaccard_ge(a.tokens, b.tokens, 0.8)
 *			AND a.site = b.site AND a.id < b.id
 *
 * the first clause is the driver: the similarity predicate between the sides that the kernel joins
 * by. Of several, it is the most selective one. If it is a comparison that its threshold does not
 * tell exactly (measure_comparison.h), it is a filter, too. The second is an equality: the kernel finds only
 * pairs whose sides have the same hash (join_run.c). The third is a filter, which each pair takes
 * before it is a row of the join. In an outer join, clauses of WHERE on the result are applied
 * last, to matched and unmatched rows alike: these are in `after`.
 *
 * The driver and the equalities are evaluated before the filters. A security barrier wants its
 * clauses, which have a lower security level, evaluated first, unless those that come before are
 * leakproof. So a clause can be the driver or an equality only if it is leakproof or no clause has
 * a lower level.
 *
 * The example is a self-join: both sides are the same table under the same restrictions, and
 * compare the same expressions. Then their rows are read once, and each pair of them counts both
 * ways. The clause a.id < b.id also rejects each row with itself, which need not be tried at all.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "join/node/join_shape.h"
#include "kinds/hint_clause.h"

/* Returns whether an expression has columns of this side only, and has some. */
static bool
is_of_side(PlannerInfo *root, Node *expression, const RelOptInfo *side)
{
	Relids relids = pull_varnos(root, expression);

	return !bms_is_empty(relids) && bms_is_subset(relids, side->relids);
}

/* Returns whether one evaluation per row gives the value for all pairs of the row. */
static bool
can_be_evaluated_once(Node *expression)
{
	return !contain_volatile_functions(expression) && !contain_subplans(expression);
}

/*
 * Returns whether a predicate has one operand of each side, and a threshold of neither, and tells
 * which operand is the outer side's.
 */
static bool
connects_sides(const JoinShape *shape, const PredicateClause *predicate, bool *outer_is_y)
{
	PlannerInfo *root = shape->root;

	if (is_of_side(root, predicate->x, shape->sides[0]) &&
		is_of_side(root, predicate->y, shape->sides[1]))
		*outer_is_y = false;
	else if (is_of_side(root, predicate->x, shape->sides[1]) &&
			 is_of_side(root, predicate->y, shape->sides[0]))
		*outer_is_y = true;
	else
		return false;
	if (!bms_is_empty(pull_varnos(root, predicate->threshold)) ||
		!can_be_evaluated_once(predicate->threshold))
		return false;
	return can_be_evaluated_once(predicate->x) && can_be_evaluated_once(predicate->y);
}

static Index
least_security_level(const List *clauses)
{
	Index least = PG_UINT32_MAX;
	ListCell *cell;

	foreach(cell, clauses) least = Min(least, lfirst_node(RestrictInfo, cell)->security_level);
	return least;
}

/* Returns whether the clause may be evaluated before all others. */
static bool
can_come_first(RestrictInfo *clause, Index least_level)
{
	return clause->security_level <= least_level || clause->leakproof;
}

/*
 * Returns whether the node can partition by the clause. The operator must be strict, since rows
 * with a NULL key are dropped without calling it.
 */
static bool
is_hashable_equality(const RestrictInfo *clause)
{
	Oid functions[2];

	return OidIsValid(clause->hashjoinoperator) && clause->can_join &&
		   op_strict(((OpExpr *) clause->clause)->opno) &&
		   get_op_hash_functions(clause->hashjoinoperator, &functions[0], &functions[1]) &&
		   !contain_subplans((Node *) clause->clause);
}

static bool
is_equality_between(const JoinShape *shape, RestrictInfo *clause)
{
	Relids outer = shape->sides[0]->relids;
	Relids inner = shape->sides[1]->relids;

	if (!is_hashable_equality(clause))
		return false;
	return (bms_is_subset(clause->left_relids, outer) &&
			bms_is_subset(clause->right_relids, inner)) ||
		   (bms_is_subset(clause->left_relids, inner) &&
			bms_is_subset(clause->right_relids, outer));
}

SpecialJoinInfo
JoinShapeAsInner(const JoinShape *shape)
{
	return (SpecialJoinInfo){
		.type = T_SpecialJoinInfo,
		.min_lefthand = shape->sides[0]->relids,
		.min_righthand = shape->sides[1]->relids,
		.syn_lefthand = shape->sides[0]->relids,
		.syn_righthand = shape->sides[1]->relids,
		.jointype = JOIN_INNER,
	};
}

/* Estimates the share of all pairs that satisfy a predicate, as in an inner join. */
static double
predicate_selectivity(const JoinShape *shape, const PredicateClause *predicate)
{
	SpecialJoinInfo join = JoinShapeAsInner(shape);
	ClausePlace place = {.is_join = true, .join = &join};

	return PredicateSelectivity(shape->root, predicate, &place);
}

/*
 * Sets the driver to the most selective predicate that can be one; returns false if there is none.
 */
static bool
choose_driver(JoinShape *shape, const List *clauses, Index least_level)
{
	double least = 2;
	ListCell *cell;

	foreach(cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		PredicateClause predicate;
		bool outer_is_y;
		double selectivity;

		if (!can_come_first(clause, least_level) ||
			!PredicateClauseOf((Node *) clause->clause, &predicate) || predicate.weights != NULL ||
			!connects_sides(shape, &predicate, &outer_is_y))
			continue;
		selectivity = predicate_selectivity(shape, &predicate);
		if (selectivity >= least)
			continue;
		least = shape->selectivity = selectivity;
		shape->driver = clause;
		shape->predicate = predicate;
		shape->outer_is_y = outer_is_y;
	}
	return shape->driver != NULL;
}

/* Whether a driver is true of all pairs that reach its threshold, and need not be a filter, too. */
static bool
is_told_by_threshold(const PredicateClause *driver)
{
	return ThresholdIsOfMeasure(driver->rule) || ComparisonIsExact(driver->rule.comparison);
}

bool
JoinShapeSortClauses(JoinShape *shape, const List *clauses)
{
	Index least_level = least_security_level(clauses);
	List *of_join = NIL;
	ListCell *cell;

	foreach(cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);

		if (clause->pseudoconstant)
			return false;
		if (IsSimilarityHint((Node *) clause->clause))
			continue;
		if (IS_OUTER_JOIN(shape->type) && RINFO_IS_PUSHED_DOWN(clause, shape->relation->relids))
			shape->after = lappend(shape->after, clause);
		else
			of_join = lappend(of_join, clause);
	}
	if (!choose_driver(shape, of_join, least_level))
		return false;
	foreach(cell, of_join)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);

		if (clause == shape->driver && is_told_by_threshold(&shape->predicate))
			continue;
		if (clause != shape->driver && can_come_first(clause, least_level) &&
			is_equality_between(shape, clause))
			shape->equalities = lappend(shape->equalities, clause);
		else
			shape->filters = lappend(shape->filters, clause);
	}
	return true;
}

Node *
JoinShapeOfOuter(const JoinShape *shape, const void *expression)
{
	Node *copy = copyObject((Node *) expression);

	ChangeVarNodes(copy, shape->sides[1]->relid, shape->sides[0]->relid, 0);
	return copy;
}

/* Returns whether a partition or child of a table, of whatever level, is a foreign table. */
static bool
has_foreign_child(PlannerInfo *root, Index relation)
{
	ListCell *cell;

	foreach(cell, root->append_rel_list)
	{
		AppendRelInfo *child = lfirst_node(AppendRelInfo, cell);

		if (child->parent_relid == relation &&
			(planner_rt_fetch(child->child_relid, root)->relkind == RELKIND_FOREIGN_TABLE ||
			 has_foreign_child(root, child->child_relid)))
			return true;
	}
	return false;
}

/* Returns whether two scans of the side's table, in one query, return the same rows. */
static bool
is_plain_table(PlannerInfo *root, const RelOptInfo *side)
{
	RangeTblEntry *entry;

	if (side->reloptkind != RELOPT_BASEREL || side->rtekind != RTE_RELATION)
		return false;
	entry = planner_rt_fetch(side->relid, root);
	return entry->relkind != RELKIND_FOREIGN_TABLE && entry->tablesample == NULL &&
		   !(entry->inh && has_foreign_child(root, side->relid));
}

/*
 * Returns whether both sides are restricted by equal conditions, clause by clause in the same
 * order.
 */
static bool
have_same_restrictions(const JoinShape *shape)
{
	List *outer = shape->sides[0]->baserestrictinfo;
	List *inner = shape->sides[1]->baserestrictinfo;
	ListCell *cell;
	ListCell *inner_cell;

	if (list_length(outer) != list_length(inner))
		return false;
	forboth(cell, outer, inner_cell, inner)
	{
		RestrictInfo *a = lfirst_node(RestrictInfo, cell);
		RestrictInfo *b = lfirst_node(RestrictInfo, inner_cell);

		if (a->security_level != b->security_level || !can_be_evaluated_once((Node *) a->clause) ||
			!equal(a->clause, JoinShapeOfOuter(shape, b->clause)))
			return false;
	}
	return true;
}

Node *
JoinShapeKey(const JoinShape *shape, const RestrictInfo *equality, int side)
{
	bool is_left = bms_is_subset(equality->left_relids, shape->sides[side]->relids);

	return is_left ? get_leftop(equality->clause) : get_rightop(equality->clause);
}

Node *
JoinShapeOperand(const JoinShape *shape, int side)
{
	return (side == 0) == shape->outer_is_y ? shape->predicate.y : shape->predicate.x;
}

bool
JoinShapeIsSelfJoin(const JoinShape *shape)
{
	PlannerInfo *root = shape->root;
	ListCell *cell;

	if (!is_plain_table(root, shape->sides[0]) || !is_plain_table(root, shape->sides[1]) ||
		planner_rt_fetch(shape->sides[0]->relid, root)->relid !=
			planner_rt_fetch(shape->sides[1]->relid, root)->relid ||
		!have_same_restrictions(shape) ||
		!equal(JoinShapeOperand(shape, 0), JoinShapeOfOuter(shape, JoinShapeOperand(shape, 1))))
		return false;
	foreach(cell, shape->equalities)
	{
		RestrictInfo *equality = lfirst_node(RestrictInfo, cell);

		if (!equal(JoinShapeKey(shape, equality, 0),
				   JoinShapeOfOuter(shape, JoinShapeKey(shape, equality, 1))))
			return false;
	}
	return true;
}

/*
 * Returns whether the filter compares the same expression of both sides by <, > or <>, so that it
 * rejects each row with itself.
 */
static bool
is_irreflexive(const JoinShape *shape, const RestrictInfo *filter)
{
	OpExpr *comparison = (OpExpr *) filter->clause;
	ListCell *cell;

	if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2 ||
		!op_strict(comparison->opno) || !can_be_evaluated_once((Node *) comparison) ||
		!is_of_side(shape->root, linitial(comparison->args), shape->sides[0]) !=
			!is_of_side(shape->root, lsecond(comparison->args), shape->sides[1]) ||
		!equal(JoinShapeOfOuter(shape, linitial(comparison->args)),
			   JoinShapeOfOuter(shape, lsecond(comparison->args))))
		return false;
	foreach(cell, nd_op_interpretations(comparison->opno))
	{
		int order = nd_op_order((nd_OpInterpretation *) lfirst(cell));

		if (order == BTLessStrategyNumber || order == BTGreaterStrategyNumber ||
			order == ND_ORDER_UNEQUAL)
			return true;
	}
	return false;
}

bool
JoinShapeSkipsItself(const JoinShape *shape)
{
	ListCell *cell;

	foreach(cell, shape->filters)
	{
		if (is_irreflexive(shape, lfirst_node(RestrictInfo, cell)))
			return true;
	}
	return false;
}
