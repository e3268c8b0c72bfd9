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
 * of the hint takes its place, and the join node leaves it out. When all paths of a relation or a join
 * are known, its hints have told all and are dropped. Where a hint stays, within an OR, it is a call
 * that only returns true.
 *
 * An operator by a setting, name % $1, is an index's condition itself, and the planner asks the
 * operator for its selectivity. For what the planner does not know of it either, what it costs and how
 * many rows satisfy it where $1 is not known, it gets a hint with the whole condition in it,
 *
 *		similarity_hint(name % $1)
 *
 * What hints answer stands in hint_estimates.c.
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
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "function_behind.h"
#include "kinds/hint_clause.h"
#include "kinds/hint_estimates.h"
#include "kinds/predicate_clause.h"
#include "kinds/similarity_hint.h"

PG_FUNCTION_INFO_V1(similarity_hint_support);
PG_FUNCTION_INFO_V1(distance_bound);

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

/*
 * Making hints
 */

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
								HINT_ARGUMENTS);
	return FunctionInSchema(schema, "similarity_hint",
							(Oid[]){set, set, TEXTOID, FLOAT8OID, exprType(clause->weights)},
							HINT_WEIGHTED_ARGUMENTS);
}

/* Returns the hint of a comparison; NULL if there is no function for it. */
static Node *
hint_of_comparison(Node *expression, const PredicateClause *clause)
{
	char text[COMPARISON_TEXT_SIZE];
	Node *threshold = HintThreshold(clause->threshold);
	Oid function = hint_function(clause);
	List *args;

	if (threshold == NULL || !OidIsValid(function))
		return NULL;
	ComparisonWrite(clause->measure, clause->rule.comparison, text);
	args = list_make4(
		clause->x, clause->y,
		makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(text), false, false),
		threshold);
	if (clause->weights != NULL)
		args = lappend(args, clause->weights);
	return (Node *) makeFuncExpr(function, BOOLOID, copyObject(args), InvalidOid,
								 exprInputCollation(expression), COERCE_EXPLICIT_CALL);
}

/* Whether an expression has columns of tables, and of nothing else that may keep a condition. */
static bool
hint_is_of_tables(PlannerInfo *root, Node *expression)
{
	Relids relations = pull_varnos(root, expression);
	int number = -1;

	while ((number = bms_next_member(relations, number)) >= 0)
	{
		if (planner_rt_fetch(number, root)->rtekind != RTE_RELATION &&
			planner_rt_fetch(number, root)->rtekind != RTE_JOIN)
			return false;
	}
	return true;
}

/* Returns the hint of an operator by a setting; NULL where the condition is not of tables alone. */
static Node *
hint_of_operator(PlannerInfo *root, Node *expression, const PredicateClause *clause)
{
	Oid function = FunctionInSchema(schema_of(clause), "similarity_hint", (Oid[]){BOOLOID},
									HINT_CONDITION_ARGUMENTS);

	if (!OidIsValid(function) || !hint_is_of_tables(root, expression))
		return NULL;
	return (Node *) makeFuncExpr(function, BOOLOID, list_make1(copyObject(expression)), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Returns the hint of a condition; NULL for all other expressions. */
static Node *
hint_of(PlannerInfo *root, Node *expression, bool is_within_or)
{
	PredicateClause clause;

	if (!PredicateClauseOf(expression, &clause) || contain_volatile_functions(expression) ||
		contain_subplans(expression) || bms_is_empty(pull_varnos(root, expression)))
		return NULL;
	if (clause.rule.source == THRESHOLD_COMPARED)
		return hint_of_comparison(expression, &clause);
	if (clause.rule.source == THRESHOLD_OF_SETTING && !is_within_or)
		return hint_of_operator(root, expression, &clause);
	return NULL;
}

/*
 * Returns the comparison of the greatest of some measures, or of the least of some distances, as an OR:
 *
 *		greatest(similarity(a, $1), similarity(b, $1)) > t
 *		similarity(a, $1) > t OR similarity(b, $1) > t
 *
 * Both leave out what is NULL, and are true for the same rows. Indexes serve the arms of the OR. Returns
 * NULL for all other conditions, and where one of the arms is no condition that values are similar.
 */
static Node *
or_of_extreme(Node *condition)
{
	OpExpr *comparison = (OpExpr *) condition;
	MinMaxExpr *extreme;
	PredicateClause clause;
	bool is_left;
	List *arms = NIL;
	ListCell *cell;

	if (!IsA(condition, OpExpr) || list_length(comparison->args) != 2)
		return NULL;
	is_left = IsA(linitial(comparison->args), MinMaxExpr);
	extreme = is_left ? linitial(comparison->args) : lsecond(comparison->args);
	if (!IsA(extreme, MinMaxExpr) || list_length(extreme->args) < 2 ||
		MeasuredValueOf(is_left ? lsecond(comparison->args) : linitial(comparison->args),
						&clause) ||
		contain_volatile_functions(condition) || contain_subplans(condition))
		return NULL;
	foreach(cell, extreme->args)
	{
		OpExpr *arm = copyObject(comparison);
		ComparisonOrder order;

		/* The greatest of some thresholds is no value that is compared. */
		if (!MeasuredValueOf(lfirst(cell), &clause))
			return NULL;
		lfirst(is_left ? list_head(arm->args) : list_tail(arm->args)) = copyObject(lfirst(cell));
		if (!PredicateClauseOf((Node *) arm, &clause) || clause.rule.source != THRESHOLD_COMPARED)
			return NULL;
		order = clause.rule.comparison.order;
		if (extreme->op == IS_GREATEST ? order != COMPARED_ABOVE && order != COMPARED_AT_LEAST
									   : order != COMPARED_BELOW && order != COMPARED_AT_MOST)
			return NULL;
		arms = lappend(arms, arm);
	}
	return (Node *) make_orclause(arms);
}

/*
 * Returns a list of conditions that all hold, with their hints, as far as these are not there yet. A
 * hint stands before its condition, since the planner asks for selectivities in this order. Within an OR
 * this is also the order of execution: there it stands behind.
 */
static List *
with_hints(PlannerInfo *root, List *conditions, bool is_within_or)
{
	List *result = NIL;
	ListCell *cell;

	foreach(cell, conditions)
	{
		Node *condition = lfirst(cell);
		Node *hint = hint_of(root, condition, is_within_or);
		Node *extreme = is_within_or ? NULL : or_of_extreme(condition);

		if (extreme != NULL)
			condition = extreme;
		if (is_orclause(condition))
		{
			BoolExpr *either = (BoolExpr *) condition;
			ListCell *arm;

			foreach(arm, either->args) lfirst(arm) =
				make_ands_explicit(with_hints(root, make_ands_implicit(lfirst(arm)), true));
		}
		if (hint != NULL && list_member(conditions, hint))
			hint = NULL;
		if (hint != NULL && !is_within_or)
			result = lappend(result, hint);
		result = lappend(result, condition);
		if (hint != NULL && is_within_or)
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
		from->quals = (Node *) with_hints(root, (List *) from->quals, false);
	}
	else if (IsA(tree, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) tree;

		put_hints(root, join->larg);
		put_hints(root, join->rarg);
		join->quals = (Node *) with_hints(root, (List *) join->quals, false);
	}
}

/*
 * Dropping hints
 */

static set_rel_pathlist_hook_type previous_pathlist_hook = NULL;
static set_join_pathlist_hook_type previous_join_hook = NULL;

/* Returns a list of RestrictInfos without the hints among them. */
static List *
without_hints(List *conditions)
{
	List *result = NIL;
	ListCell *cell;

	foreach(cell, conditions)
	{
		if (!IsSimilarityHint((Node *) lfirst_node(RestrictInfo, cell)->clause))
			result = lappend(result, lfirst(cell));
	}
	return list_length(result) == list_length(conditions) ? conditions : result;
}

/* When the paths of a relation are made, its hints have told all, and its scans need not call them. */
static void
drop_hints(PlannerInfo *root, RelOptInfo *relation, Index number, RangeTblEntry *entry)
{
	ListCell *cell;

	if (previous_pathlist_hook != NULL)
		previous_pathlist_hook(root, relation, number, entry);
	relation->baserestrictinfo = without_hints(relation->baserestrictinfo);
	foreach(cell, relation->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);

		index->indrestrictinfo = without_hints(index->indrestrictinfo);
	}
	foreach(cell, relation->ppilist)
	{
		ParamPathInfo *parameters = lfirst(cell);

		parameters->ppi_clauses = without_hints(parameters->ppi_clauses);
	}
}

static void
drop_hints_of_paths(const List *paths)
{
	ListCell *cell;

	foreach(cell, paths)
	{
		JoinPath *path = lfirst(cell);

		if (IsA(path, NestPath) || IsA(path, MergePath) || IsA(path, HashPath))
			path->joinrestrictinfo = without_hints(path->joinrestrictinfo);
	}
}

/* The same of the paths of a join. */
static void
drop_hints_of_join(PlannerInfo *root, RelOptInfo *relation, RelOptInfo *outer, RelOptInfo *inner,
				   JoinType type, JoinPathExtraData *extra)
{
	if (previous_join_hook != NULL)
		previous_join_hook(root, relation, outer, inner, type, extra);
	drop_hints_of_paths(relation->pathlist);
	drop_hints_of_paths(relation->partial_pathlist);
}

static void
begin_dropping(void)
{
	previous_pathlist_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = drop_hints;
	previous_join_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = drop_hints_of_join;
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
	begin_dropping();
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
	begin_dropping();
}
#endif

/*
 * Planner support
 */

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

	if (!IsSimilarityHint(request->node) || list_length(hint->args) == HINT_CONDITION_ARGUMENTS ||
		request->indexarg > 1 || !HintClauseRead(hint->funcid, hint->args, &clause) ||
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

/* Answers what the planner asks of a hint; NULL for other questions. */
Datum
similarity_hint_support(PG_FUNCTION_ARGS)
{
	Node *request = (Node *) PG_GETARG_POINTER(0);
	bool is_answered = false;

	if (IsA(request, SupportRequestIndexCondition))
		PG_RETURN_POINTER(index_condition((SupportRequestIndexCondition *) request));
	if (IsA(request, SupportRequestSelectivity))
		is_answered = HintSelectivity((SupportRequestSelectivity *) request);
	else if (IsA(request, SupportRequestCost))
		is_answered = HintCost((SupportRequestCost *) request);
	PG_RETURN_POINTER(is_answered ? request : NULL);
}
