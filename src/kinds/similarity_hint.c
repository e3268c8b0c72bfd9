/*
 * similarity_hint.c
 *		Tells the planner what a comparison of a measure selects, and which index answers it.
 *
 * This file changes the query while it is planned, from a hook that is meant to look at a relation.
 * The head says below when that is, why it is safe there, and where it would better be done.
 *
 * The planner asks the support function of a function for selectivity and index conditions where
 * the function itself is the condition, but not where it is one side of a comparison. So beside each
 * comparison of a query,
 *
 *		jaccard(t, $1) > 0.8
 *
 * a hint is put, a function that is always true and has such a support function:
 *
 *		similarity_hint(t, $1, 'jaccard >', 0.8)
 *
 * The hint is a condition as others are: it takes part in joins, in partitions, under OR and in the
 * inner sides of nested loops, and the comparison stays what it was. An index condition that is made
 * of the hint takes its place, and the join node leaves it out. Where it stays, in a sequential
 * scan, it is a call that only returns true; where one of its arguments would have to be computed, it
 * is called for the rows that satisfy the comparison, and no others.
 *
 * Hints are put before the planner distributes the conditions of a query: when it looks the first
 * relation up (get_relation_info_hook; build_simple_rel_hook from PostgreSQL 19 on). By then all
 * calls have been simplified, which has loaded this library, if the measure is one of its own;
 * pg_trgm's measures are compared by an index, with which the library comes, or by a session that
 * has loaded it.
 *
 * PostgreSQL does not expect that hook to write to the query. It works because the planner looks up
 * all base relations in one place, after it has preprocessed the conditions and before it distributes
 * them to the relations, and because no hint is added twice, so that each further relation may try
 * again. A version that distributed the conditions earlier would plan without hints: slower, with the
 * same rows. What was derived from the conditions before does not see the hints, which does no harm,
 * since a hint is always true. planner_setup_hook of PostgreSQL 19 is meant for changes of a query,
 * but it comes before subqueries are pulled up and calls are simplified: comparisons within functions
 * in SQL would not be seen there, and a hint would stand in the way of these steps.
 *
 * The planner multiplies the selectivities of both. It knows nothing of the comparison, and takes a
 * fraction for it that is the same for all comparisons of an order; the hint's selectivity is what is
 * left to the estimate.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/pathnodes.h"
#include "nodes/supportnodes.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/plancat.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "function_behind.h"
#include "kinds/kinds.h"
#include "kinds/predicate_clause.h"
#include "kinds/similarity_hint.h"

PG_FUNCTION_INFO_V1(similarity_hint);
PG_FUNCTION_INFO_V1(similarity_hint_support);
PG_FUNCTION_INFO_V1(distance_bound);

/* The arguments: x, y, comparison, threshold, and weights of a weighted measure. */
#define ARGUMENTS 4
#define WEIGHTED_ARGUMENTS 5

/* More than any measure costs that has its cost in SQL, and than what is around it, in operators. */
#define OPERATORS_OF_VALUE 400
#define OPERATORS_AROUND_VALUE 20

Datum
similarity_hint(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(true);
}

/* distance_bound(comparison, threshold). Raises invalid_parameter_value for another comparison. */
Datum
distance_bound(PG_FUNCTION_ARGS)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Measure measure;
	Comparison comparison;
	double threshold;

	if (!ComparisonRead(name, &measure, &comparison) || !MeasureIsDistance(measure))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("\"%s\" is no comparison of a distance", name),
						errhint("A comparison reads as \"hamming <=\".")));
	switch (ComparisonBound(measure, comparison, PG_GETARG_FLOAT8(1), &threshold))
	{
		case REACHED_BY_NONE:
			PG_RETURN_NULL();
		case REACHED_BY_ALL:
			PG_RETURN_INT32(PG_INT32_MAX);
		default:
			PG_RETURN_INT32((int32) threshold);
	}
}

bool
IsSimilarityHint(Node *expression)
{
	return ArgumentsOfCall(expression, similarity_hint, ARGUMENTS) != NIL ||
		   ArgumentsOfCall(expression, similarity_hint, WEIGHTED_ARGUMENTS) != NIL;
}

/*
 * Making hints
 */

/* Returns the cast to float8 of a type, if it raises no error, else InvalidOid. */
static Oid
cast_to_double(Oid type)
{
	switch (type)
	{
		case FLOAT4OID:
			return F_FLOAT8_FLOAT4;
		case INT2OID:
			return F_FLOAT8_INT2;
		case INT4OID:
			return F_FLOAT8_INT4;
		case INT8OID:
			return F_FLOAT8_INT8;
		default:
			return InvalidOid;
	}
}

/*
 * Returns a threshold as an expression of type float8; NULL where a cast to that type might raise an
 * error.
 */
static Node *
as_double(Node *threshold)
{
	const Const *constant = (const Const *) threshold;
	Oid cast = cast_to_double(exprType(threshold));

	if (IsA(threshold, Const) && !constant->constisnull)
		return (Node *) makeConst(
			FLOAT8OID, -1, InvalidOid, sizeof(float8),
			Float8GetDatum(PredicateNumber(constant->consttype, constant->constvalue)), false,
			FLOAT8PASSBYVAL);
	if (exprType(threshold) == FLOAT8OID)
		return threshold;
	if (!OidIsValid(cast))
		return NULL;
	return (Node *) makeFuncExpr(cast, FLOAT8OID, list_make1(threshold), InvalidOid, InvalidOid,
								 COERCE_IMPLICIT_CAST);
}

/* Returns the schema of the extension. */
static Oid
schema_of(const PredicateClause *clause)
{
	/* Functions that a kind finds are another extension's. */
	return clause->kind->find == NULL ? get_func_namespace(clause->function) : NeardupSchema();
}

static Oid
hint_function(const PredicateClause *clause)
{
	Oid set = exprType(clause->x);
	Oid schema = schema_of(clause);

	if (clause->weights == NULL)
		return FunctionInSchema(schema, "similarity_hint",
								(Oid[]){ANYELEMENTOID, ANYELEMENTOID, TEXTOID, FLOAT8OID},
								ARGUMENTS);
	return FunctionInSchema(schema, "similarity_hint",
							(Oid[]){set, set, TEXTOID, FLOAT8OID, exprType(clause->weights)},
							WEIGHTED_ARGUMENTS);
}

/* Returns the hint of a comparison; NULL for all other expressions. */
static Node *
hint_of(PlannerInfo *root, Node *expression)
{
	char text[COMPARISON_TEXT_SIZE];
	PredicateClause clause;
	Node *threshold;
	List *args;
	Oid function;

	if (!PredicateClauseOf(expression, &clause) || clause.rule.source != THRESHOLD_COMPARED ||
		contain_volatile_functions(expression) || contain_subplans(expression) ||
		bms_is_empty(pull_varnos(root, expression)))
		return NULL;
	threshold = as_double(clause.threshold);
	function = hint_function(&clause);
	if (threshold == NULL || !OidIsValid(function))
		return NULL;
	ComparisonWrite(clause.measure, clause.rule.comparison, text);
	args = list_make4(
		clause.x, clause.y,
		makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(text), false, false),
		threshold);
	if (clause.weights != NULL)
		args = lappend(args, clause.weights);
	return (Node *) makeFuncExpr(function, BOOLOID, copyObject(args), InvalidOid,
								 exprInputCollation(expression), COERCE_EXPLICIT_CALL);
}

/* Returns a list of conditions that all hold, with their hints, as far as these are not there yet. */
static List *
with_hints(PlannerInfo *root, List *conditions)
{
	List *result = NIL;
	ListCell *cell;

	foreach(cell, conditions)
	{
		Node *condition = lfirst(cell);
		Node *hint = hint_of(root, condition);

		if (is_orclause(condition))
		{
			BoolExpr *either = (BoolExpr *) condition;
			ListCell *arm;

			foreach(arm, either->args) lfirst(arm) =
				make_ands_explicit(with_hints(root, make_ands_implicit(lfirst(arm))));
		}
		result = lappend(result, condition);
		if (hint != NULL && !list_member(conditions, hint))
			result = lappend(result, hint);
	}
	return result;
}

/* Puts hints into a tree of joins, in place. */
static void
put_hints(PlannerInfo *root, Node *tree)
{
	if (tree == NULL || IsA(tree, RangeTblRef))
		return;
	if (IsA(tree, FromExpr))
	{
		FromExpr *from = (FromExpr *) tree;
		ListCell *cell;

		foreach(cell, from->fromlist) put_hints(root, lfirst(cell));
		from->quals = (Node *) with_hints(root, (List *) from->quals);
	}
	else if (IsA(tree, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) tree;

		put_hints(root, join->larg);
		put_hints(root, join->rarg);
		join->quals = (Node *) with_hints(root, (List *) join->quals);
	}
}

/* Partitions are looked up when the conditions have been distributed. */
static void
prepare_relation(PlannerInfo *root, const RelOptInfo *relation)
{
	if (relation->reloptkind == RELOPT_BASEREL)
		put_hints(root, (Node *) root->parse->jointree);
}

#if PG_VERSION_NUM >= 190000
static build_simple_rel_hook_type previous_hook = NULL;

static void
build_relation(PlannerInfo *root, RelOptInfo *relation, RangeTblEntry *entry)
{
	if (previous_hook != NULL)
		previous_hook(root, relation, entry);
	prepare_relation(root, relation);
}

void
SimilarityHintInit(void)
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
	prepare_relation(root, relation);
}

void
SimilarityHintInit(void)
{
	previous_hook = get_relation_info_hook;
	get_relation_info_hook = get_information;
}
#endif

/*
 * Planner support
 */

/* Finds the kind whose values a hint compares. */
static const Kind *
kind_of_hint(const FuncExpr *hint, Measure measure)
{
	Oid type = getBaseType(exprType(linitial(hint->args)));
	Oid schema = get_func_namespace(hint->funcid);

	for (int i = 0; kinds[i] != NULL; i++)
	{
		if (type == TEXTOID ? (kinds[i]->text_measures >> measure & 1) != 0
							: type == RowKindType(kinds[i]->rows, schema))
			return kinds[i];
	}
	return NULL;
}

/* Reads a hint as a clause; returns false if there is no such comparison. */
static bool
read_hint(const FuncExpr *hint, PredicateClause *clause)
{
	const Const *comparison = lthird(hint->args);

	*clause = (PredicateClause){.x = linitial(hint->args),
								.y = lsecond(hint->args),
								.function = hint->funcid,
								.threshold = lfourth(hint->args),
								.rule = {.source = THRESHOLD_COMPARED}};
	if (list_length(hint->args) == WEIGHTED_ARGUMENTS)
		clause->weights = list_nth(hint->args, ARGUMENTS);
	if (!IsA(comparison, Const) || comparison->constisnull ||
		!ComparisonRead(TextDatumGetCString(comparison->constvalue), &clause->measure,
						&clause->rule.comparison) ||
		MeasureIsWeighted(clause->measure) != (clause->weights != NULL))
		return false;
	clause->kind = kind_of_hint(hint, clause->measure);
	return clause->kind != NULL;
}

/*
 * Returns whether one of the conditions compares with NULL, since no value reaches the threshold. From
 * such a condition the planner proves any other one, `t <@ '{1,2}'` in an OR, say, and drops it from the
 * filters; and nothing rechecks it, where the hint stands for the condition.
 */
static bool
is_never_true(const List *conditions)
{
	ListCell *cell;

	foreach(cell, conditions)
	{
		const Const *operand = lsecond(lfirst_node(OpExpr, cell)->args);

		if (IsA(operand, Const) && operand->constisnull)
			return true;
	}
	return false;
}

static List *
index_condition(SupportRequestIndexCondition *request)
{
	FuncExpr *hint = (FuncExpr *) request->node;
	PredicateClause clause;
	List *conditions;

	if (!IsSimilarityHint(request->node) || request->indexarg > 1 || !read_hint(hint, &clause) ||
		clause.kind->index_condition == NULL ||
		!is_pseudo_constant_for_index(request->root, request->indexarg == 0 ? clause.y : clause.x,
									  request->index) ||
		!is_pseudo_constant_for_index(request->root, clause.threshold, request->index))
		return NIL;
	conditions = clause.kind->index_condition(request, &clause, lthird(hint->args));
	if (is_never_true(conditions))
		return NIL;
	/* The hint itself tells nothing of the rows. */
	request->lossy = false;
	return conditions;
}

/* Returns the selectivity that the planner takes for a comparison of which it knows nothing. */
static double
taken_for_comparison(Comparison comparison)
{
	return comparison.order == COMPARED_EQUAL ? 1.0 / DEFAULT_NUM_DISTINCT : DEFAULT_INEQ_SEL;
}

static bool
estimate_selectivity(SupportRequestSelectivity *request)
{
	FuncExpr hint = {.xpr.type = T_FuncExpr, .funcid = request->funcid, .args = request->args};
	ClausePlace place = {.is_join = request->is_join,
						 .relation = request->is_join ? 0 : request->varRelid,
						 .join = request->sjinfo};
	PredicateClause clause;

	if (!read_hint(&hint, &clause))
		return false;
	request->selectivity = Min(PredicateSelectivity(request->root, &clause, &place) /
								   taken_for_comparison(clause.rule.comparison),
							   1);
	return true;
}

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

		return ((FuncExpr *) argument)->funcid == cast_to_double(exprType(inner)) &&
			   is_at_hand(root, inner);
	}
	if (IsA(argument, Param))
		return !is_of_subselect(root, (Param *) argument);
	return IsA(argument, Var) || IsA(argument, Const);
}

/*
 * Where all arguments are at hand, the call costs nothing. Where one of them is computed, it counts more
 * than the comparison, in which the same is computed. So the executor takes the comparison first, and
 * computes the argument again for those rows alone of which the comparison is true: conditions that keep
 * the comparison from an error keep the hint from it, too.
 */
static bool
estimate_cost(SupportRequestCost *request)
{
	PlannerInfo *root = request->root;
	PredicateClause clause;
	double operators = 0;

	if (request->node == NULL || !IsSimilarityHint(request->node) ||
		!read_hint((FuncExpr *) request->node, &clause))
		return false;
	request->startup = request->per_tuple = 0;
	if (is_at_hand(root, clause.x) && is_at_hand(root, clause.y) &&
		is_at_hand(root, clause.threshold) &&
		(clause.weights == NULL || is_at_hand(root, clause.weights)))
		return true;
	if (clause.kind->value_operators != NULL)
		operators = clause.kind->value_operators(root, &clause);
	if (operators == 0)
		operators = OPERATORS_OF_VALUE;
	request->per_tuple = (operators + OPERATORS_AROUND_VALUE) * cpu_operator_cost;
	return true;
}

/* Answers what the planner asks of a hint; NULL for other questions. */
Datum
similarity_hint_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	bool is_answered = false;

	if (IsA(request, SupportRequestIndexCondition))
		PG_RETURN_POINTER(index_condition((SupportRequestIndexCondition *) request));
	if (IsA(request, SupportRequestSelectivity))
		is_answered = estimate_selectivity((SupportRequestSelectivity *) request);
	else if (IsA(request, SupportRequestCost))
		is_answered = estimate_cost((SupportRequestCost *) request);
	PG_RETURN_POINTER(is_answered ? request : NULL);
}
