/*
 * hint_estimates.c
 *		What a hint answers of the condition beside it: how many rows satisfy it, and what it costs.
 *
 * Selectivity. The planner multiplies the selectivities of the conditions of a relation, or of a join.
 * It knows nothing of a comparison of a measure, and takes a fraction that is the same for all
 * comparisons of an order. Of pg_trgm's operators it knows nothing where the other side is not a
 * constant. And conditions on the same two values are not independent of each other:
 *
 *		name % $1 AND similarity(name, $1) > 0.5
 *		similarity(name, $1) BETWEEN 0.3 AND 0.5
 *
 * So a hint looks for the other conditions that stand beside it, and answers for all of them that are
 * about the same measure of the same values: the fraction of the strictest, less those above the upper
 * bound. The planner keeps the selectivity of each condition in its RestrictInfo, where the hint stores
 * 1 for the comparisons: what they take away is in its own. An operator by a setting may be the
 * condition of another extension's index, which wants to know its fraction: of it the hint stores the
 * estimate. It can do so because the hint stands before the condition, and is asked first. Where it is
 * not, as within an OR, or where the planner does not keep it, as of the rows of one table for each row
 * of another, the hint's fraction is what is left to the estimate, as far as it is at most 1.
 *
 * Cost. pg_trgm's functions say that they cost as much as an addition. The hint costs what the value
 * costs more. A scan of the table pays that for each row, and an index for each that it returns
 * (index/cost.c).
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "kinds/hint_clause.h"
#include "kinds/hint_estimates.h"
#include "kinds/predicate_clause.h"

/* More than any measure costs that has its cost in SQL, and than what is around it, in operators. */
#define OPERATORS_OF_VALUE 400
#define OPERATORS_AROUND_VALUE 20

/* Between two thresholds are at least so many of those above the lower one. */
#define LEAST_BETWEEN 0.05

/* ------------------------------------------------------------------------------------------------
 * The conditions beside a hint
 * ------------------------------------------------------------------------------------------------ */

/* Returns what a list of conditions has at a place: the condition, or an OR with a RestrictInfo each. */
static Node *
condition_in(const RestrictInfo *condition)
{
	return (Node *) (condition->orclause != NULL ? condition->orclause : condition->clause);
}

static List *list_with_hint(List *conditions, const List *args);

/* Looks into the arms of an OR. */
static List *
arm_with_hint(const BoolExpr *either, const List *args)
{
	List *found = NIL;
	ListCell *cell;

	foreach(cell, either->args)
	{
		Node *arm = lfirst(cell);

		found =
			list_with_hint(is_andclause(arm) ? ((BoolExpr *) arm)->args : list_make1(arm), args);
		if (found != NIL)
			break;
	}
	return found;
}

/* Returns the list of conditions that all hold, one of which is the hint with these arguments. */
static List *
list_with_hint(List *conditions, const List *args)
{
	List *found = NIL;
	ListCell *cell;

	foreach(cell, conditions)
	{
		Node *condition = lfirst(cell);

		if (!IsA(condition, RestrictInfo))
			continue;
		condition = condition_in((RestrictInfo *) condition);
		if (IsA(condition, FuncExpr) && ((FuncExpr *) condition)->args == args)
			return conditions;
		if (is_orclause(condition))
			found = arm_with_hint((BoolExpr *) condition, args);
		if (found != NIL)
			break;
	}
	return found;
}

/*
 * Returns the RestrictInfos beside the hint with these arguments, itself included; NIL if it is not
 * found. All that a condition refers to has it.
 */
static List *
conditions_beside(PlannerInfo *root, List *args)
{
	int number = -1;
	Relids relations = root == NULL ? NULL : pull_varnos(root, (Node *) args);

	while ((number = bms_next_member(relations, number)) >= 0)
	{
		RelOptInfo *relation =
			number < root->simple_rel_array_size ? root->simple_rel_array[number] : NULL;
		List *found = NIL;

		if (relation != NULL)
			found = list_with_hint(relation->baserestrictinfo, args);
		if (relation != NULL && found == NIL)
			found = list_with_hint(relation->joininfo, args);
		if (found != NIL)
			return found;
	}
	return NIL;
}

/* Takes the function of the condition to a hint, which has another one, for the hint's. */
static void
take_function(PredicateClause *hint, List *conditions)
{
	PredicateClause other;
	ListCell *cell;

	foreach(cell, conditions)
	{
		const RestrictInfo *condition = lfirst(cell);

		if (hint->rule.source == THRESHOLD_COMPARED && IsA(condition, RestrictInfo) &&
			PredicateClauseOf((Node *) condition->clause, &other) && HintIsOf(hint, &other))
			hint->function = other.function;
	}
}

/* ------------------------------------------------------------------------------------------------
 * Selectivity
 * ------------------------------------------------------------------------------------------------ */

/* Returns the selectivity that the planner takes for a comparison of which it knows nothing. */
static double
taken_for_comparison(Comparison comparison)
{
	return comparison.order == COMPARED_EQUAL ? 1.0 / DEFAULT_NUM_DISTINCT : DEFAULT_INEQ_SEL;
}

/* Whether statistics of an expression tell of a side of a comparison, so that the planner knows it. */
static bool
is_known_to_planner(PlannerInfo *root, Node *condition)
{
	bool is_known = false;
	ListCell *cell;

	foreach(cell, ((OpExpr *) condition)->args)
	{
		VariableStatData variable;

		if (IsA(lfirst(cell), Const) || IsA(lfirst(cell), Param))
			continue;
		examine_variable(root, lfirst(cell), 0, &variable);
		is_known = is_known || HeapTupleIsValid(variable.statsTuple);
		ReleaseVariableStats(variable);
	}
	return is_known;
}

/* What a hint answers, while the conditions beside it are looked at. */
typedef struct HintEstimate
{
	const SupportRequestSelectivity *request;
	ClausePlace place;
	PredicateClause clause; /* the hint's */
	double share;			/* of the rows that satisfy it */
	double above;			/* of those, that are above an upper bound */
	double taken;			/* what the planner takes for the conditions beside, multiplied */
	bool is_found;			/* the hint's own comparison is among them */
	bool is_implied;		/* another comparison with a hint is stricter */
} HintEstimate;

/*
 * Returns where the planner keeps the selectivity of a condition that it asks for like the hint's; NULL
 * where it computes it again each time: about the rows of one table for each row of another.
 */
static Selectivity *
kept_selectivity(const SupportRequestSelectivity *request, RestrictInfo *condition)
{
	int relation;

	if (request->varRelid != 0 && !(bms_get_singleton_member(condition->clause_relids, &relation) &&
									relation == request->varRelid))
		return NULL;
	return request->jointype == JOIN_INNER ? &condition->norm_selec : &condition->outer_selec;
}

/* Has the planner leave a comparison to the hint, or notes what it takes for it all the same. */
static void
leave_to_hint(HintEstimate *estimate, RestrictInfo *condition, Comparison comparison)
{
	Selectivity *kept = kept_selectivity(estimate->request, condition);
	bool is_computed = kept == NULL || *kept < 0;

	if (is_computed && is_known_to_planner(estimate->request->root, (Node *) condition->clause))
		estimate->is_implied = true;
	else if (kept == NULL)
		estimate->taken *= taken_for_comparison(comparison);
	else if (is_computed)
		*kept = 1;
	else
		estimate->taken *= *kept;
}

/* Takes a condition that the values are similar, which is beside the hint. */
static void
hint_take_similar(HintEstimate *estimate, RestrictInfo *condition, const PredicateClause *other)
{
	double share;

	if (HintIsOf(&estimate->clause, other))
	{
		estimate->is_found = true;
		leave_to_hint(estimate, condition, other->rule.comparison);
		return;
	}
	share = PredicateSelectivity(estimate->request->root, other, &estimate->place);
	if (other->rule.source != THRESHOLD_COMPARED)
		estimate->taken *= Max(share, 1e-10);
	else
	{
		leave_to_hint(estimate, condition, other->rule.comparison);
		if (share < estimate->share || (share == estimate->share && !estimate->is_found))
			estimate->is_implied = true;
	}
}

static void
hint_take_condition(HintEstimate *estimate, RestrictInfo *condition)
{
	Node *expression = (Node *) condition->clause;
	PredicateClause other;

	if (IsSimilarityHint(expression))
		return;
	if (PredicateClauseOf(expression, &other))
	{
		if (PredicateClausesAgree(&estimate->clause, &other))
			hint_take_similar(estimate, condition, &other);
	}
	else if (PredicateClauseOfNegation(expression, &other) &&
			 PredicateClausesAgree(&estimate->clause, &other))
	{
		leave_to_hint(estimate, condition, other.rule.comparison);
		estimate->above = Max(estimate->above, PredicateSelectivity(estimate->request->root, &other,
																	&estimate->place));
	}
}

/*
 * Stores the estimate of an operator by a setting, whose hint this is. Returns false where the planner
 * asks the operator all the same.
 */
static bool
store_estimate(const HintEstimate *estimate, List *conditions, Node *operator)
{
	ListCell *cell;

	foreach(cell, conditions)
	{
		RestrictInfo *condition = lfirst(cell);
		Selectivity *kept;

		if (!IsA(condition, RestrictInfo) || !equal(condition->clause, operator))
			continue;
		kept = kept_selectivity(estimate->request, condition);
		if (kept != NULL && *kept < 0)
			*kept = estimate->share;
		return kept != NULL;
	}
	return false;
}

bool
HintSelectivity(SupportRequestSelectivity *request)
{
	HintEstimate estimate = {.request = request,
							 .place = {.is_join = request->is_join,
									   .relation = request->is_join ? 0 : request->varRelid,
									   .join = request->sjinfo},
							 .taken = 1};
	List *conditions;
	ListCell *cell;

	if (!HintClauseRead(request->funcid, request->args, &estimate.clause))
		return false;
	conditions = conditions_beside(request->root, request->args);
	take_function(&estimate.clause, conditions);
	estimate.share = PredicateSelectivity(request->root, &estimate.clause, &estimate.place);
	request->selectivity = 1;
	if (estimate.clause.rule.source == THRESHOLD_OF_SETTING)
	{
		if (!store_estimate(&estimate, conditions, linitial(request->args)))
			request->selectivity = Min(estimate.share / DEFAULT_MATCHING_SEL, 1);
		return true;
	}
	foreach(cell, conditions)
	{
		if (IsA(lfirst(cell), RestrictInfo))
			hint_take_condition(&estimate, lfirst(cell));
	}
	if (!estimate.is_found)
		estimate.taken = taken_for_comparison(estimate.clause.rule.comparison);
	/* A row that has one above the upper bound may have another one between the two. */
	if (request->jointype != JOIN_SEMI && request->jointype != JOIN_ANTI)
		estimate.share = Max(estimate.share - estimate.above, estimate.share * LEAST_BETWEEN);
	if (!estimate.is_implied)
		request->selectivity = Min(estimate.share / estimate.taken, 1);
	return true;
}

/* ------------------------------------------------------------------------------------------------
 * Cost
 * ------------------------------------------------------------------------------------------------ */

/* Whether a parameter is the result of a sub-select that runs when it is first asked for. */
static bool
is_of_subselect(const PlannerInfo *root, const Param *parameter)
{
	ListCell *cell;

	if (parameter->paramkind != PARAM_EXEC)
		return false;
	for (; root != NULL; root = root->parent_root)
	{
		foreach(cell, root->init_plans)
		{
			if (list_member_int(lfirst_node(SubPlan, cell)->setParam, parameter->paramid))
				return true;
		}
	}
	return false;
}

/* Whether an argument of a hint is there, at no cost and without an error. */
static bool
is_at_hand(const PlannerInfo *root, Node *argument)
{
	if (IsA(argument, RelabelType))
		return is_at_hand(root, (Node *) ((RelabelType *) argument)->arg);
	if (IsA(argument, FuncExpr) && list_length(((FuncExpr *) argument)->args) == 1)
	{
		Node *inner = linitial(((FuncExpr *) argument)->args);

		return ((FuncExpr *) argument)->funcid == HintCast(exprType(inner)) &&
			   is_at_hand(root, inner);
	}
	if (IsA(argument, Param))
		return !is_of_subselect(root, (Param *) argument);
	return IsA(argument, Var) || IsA(argument, Const);
}

/* Returns what a function says that it costs, in operators. */
static double
told_operators(PlannerInfo *root, Oid function)
{
	QualCost cost = {0};

	add_function_cost(root, function, NULL, &cost);
	return cost.per_tuple / cpu_operator_cost;
}

/*
 * Returns what a value costs more than the function of the condition says, in operators.
 */
static double
untold_operators(PlannerInfo *root, PredicateClause *clause, List *args)
{
	if (!clause->kind->cost_is_untold)
		return 0;
	/* Where it is not found, the hint's own function says as little. */
	take_function(clause, conditions_beside(root, args));
	return Max(clause->kind->value_operators(root, clause) - told_operators(root, clause->function),
			   0);
}

/*
 * Where all arguments are at hand, the call itself costs nothing. Where one of them is computed, it
 * counts more than the comparison, in which the same is computed. So the executor takes the comparison
 * first, and computes the argument again for those rows alone of which the comparison is true:
 * conditions that keep the comparison from an error keep the hint from it, too.
 */
bool
HintCost(SupportRequestCost *request)
{
	PlannerInfo *root = request->root;
	List *args;
	PredicateClause clause;
	double operators = 0;

	if (request->node == NULL || !IsSimilarityHint(request->node))
		return false;
	args = ((FuncExpr *) request->node)->args;
	if (!HintClauseRead(request->funcid, args, &clause))
		return false;
	request->startup = 0;
	request->per_tuple = untold_operators(root, &clause, args) * cpu_operator_cost;
	if (clause.rule.source == THRESHOLD_OF_SETTING ||
		(is_at_hand(root, clause.x) && is_at_hand(root, clause.y) &&
		 is_at_hand(root, clause.threshold) &&
		 (clause.weights == NULL || is_at_hand(root, clause.weights))))
		return true;
	if (clause.kind->value_operators != NULL)
		operators = clause.kind->value_operators(root, &clause);
	if (operators == 0)
		operators = OPERATORS_OF_VALUE;
	request->per_tuple = (operators + OPERATORS_AROUND_VALUE) * cpu_operator_cost;
	return true;
}
