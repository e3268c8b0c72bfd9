/*
 * join_path.c
 *		The planner's side of the join node: which joins it can do, what they
 *		cost, and the plan.
 *
 * A path is offered for each pair of relations and each of the join types that
 * the node knows, if one of the join's clauses is a similarity predicate
 * between the two sides. The most selective one drives the join; hashable
 * equalities partition it; the rest filters.
 *
 * No path is parameterized. Where the planner would have a side depend on the other,
 * or on a third relation, it has nested loops.
 *
 * Security barriers: a clause may be evaluated before others, as the one that
 * drives the join is, only if it is leakproof or none of the others is of
 * a lesser security level. Filters are sorted by level.
 */
#include "postgres.h"

#include <math.h>

#include "access/hash.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "join/join_node.h"
#include "join/predicate_clause.h"
#include "neardup.h"
#include "tokenset/selectivity.h"

/* How a join can be done, whichever paths its inputs have. */
typedef struct JoinShape
{
	PlannerInfo *root;
	RelOptInfo *relation;
	RelOptInfo *sides[2]; /* outer and inner */
	JoinType type;
	RestrictInfo *driver;
	PredicateClause predicate;
	double selectivity; /* of the driver: its share of all pairs */
	bool outer_is_y;
	List *equalities; /* of RestrictInfo */
	List *filters;	  /* of RestrictInfo */
	List *after;	  /* of RestrictInfo: what an outer join's rows are filtered by */
} JoinShape;

typedef struct SimilarityPath
{
	CustomPath path; /* must be first */
	JoinShape shape;
	bool is_self;
	bool skips_itself; /* in a self-join: no row is joined with itself */
} SimilarityPath;

static set_join_pathlist_hook_type previous_hook = NULL;

static Plan *plan_path(PlannerInfo *root, RelOptInfo *relation, CustomPath *path, List *targets,
					   List *clauses, List *children);

static const CustomPathMethods path_methods = {
	.CustomName = "Similarity Join",
	.PlanCustomPath = plan_path,
};

/*
 * Clauses
 */

/* Whether the expression needs one side, and nothing else. */
static bool
is_of_side(PlannerInfo *root, Node *expression, const RelOptInfo *side)
{
	Relids relids = pull_varnos(root, expression);

	return !bms_is_empty(relids) && bms_is_subset(relids, side->relids);
}

/* The join evaluates these by itself, once a row: they must have the same value each time. */
static bool
can_be_evaluated_once(Node *expression)
{
	return !contain_volatile_functions(expression) && !contain_subplans(expression);
}

/* Whether a predicate is one between the two sides; says which set is which side's. */
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
	if (predicate->threshold != NULL && (!bms_is_empty(pull_varnos(root, predicate->threshold)) ||
										 !can_be_evaluated_once(predicate->threshold)))
		return false;
	return can_be_evaluated_once(predicate->x) && can_be_evaluated_once(predicate->y);
}

static Index
least_security_level(const List *clauses)
{
	Index least = PG_UINT32_MAX;
	ListCell *cell;

	foreach (cell, clauses)
		least = Min(least, lfirst_node(RestrictInfo, cell)->security_level);
	return least;
}

static bool
can_come_first(RestrictInfo *clause, Index least_level)
{
	return clause->security_level <= least_level || clause->leakproof;
}

/* Whether the node can compare hashes instead; the operator must be strict, as it is not asked about NULLs. */
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

/* To reckon with. */
static double
threshold_of(const JoinShape *shape, const PredicateClause *clause)
{
	Node *threshold;

	if (clause->threshold == NULL)
		return neardup_similarity_threshold;
	threshold = estimate_expression_value(shape->root, clause->threshold);
	if (IsA(threshold, Const) && !((Const *) threshold)->constisnull)
	{
		double value = exprType(threshold) == INT4OID
						   ? DatumGetInt32(((Const *) threshold)->constvalue)
						   : DatumGetFloat8(((Const *) threshold)->constvalue);

		if (SimilarityThresholdIsValid(clause->measure, value))
			return value;
	}
	return TypicalThreshold(clause->measure);
}

/* Its share of the pairs of both sides, whatever becomes of the pairs. */
static double
predicate_selectivity(const JoinShape *shape, const PredicateClause *predicate)
{
	SpecialJoinInfo join = {
		.type = T_SpecialJoinInfo,
		.min_lefthand = shape->sides[0]->relids,
		.min_righthand = shape->sides[1]->relids,
		.syn_lefthand = shape->sides[0]->relids,
		.syn_righthand = shape->sides[1]->relids,
		.jointype = JOIN_INNER,
	};
	SimilarityClause clause = {
		.predicate = {.measure = predicate->measure, .threshold = threshold_of(shape, predicate)},
		.threshold_is_known = true,
		.function = predicate->function,
		.args = list_make2(predicate->x, predicate->y),
	};

	return SimilaritySelectivity(shape->root, &clause, true, 0, &join);
}

/* The most selective of the clauses that can drive the join, if there is one. */
static bool
choose_driver(JoinShape *shape, const List *clauses, Index least_level)
{
	double least = 2;
	ListCell *cell;

	foreach (cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		PredicateClause predicate;
		bool outer_is_y;
		double selectivity;

		if (!can_come_first(clause, least_level) ||
			!PredicateClauseOf((Node *) clause->clause, &predicate) ||
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

/* False where the join has no clause that could drive it, or one that the node does not know. */
static bool
sort_clauses(JoinShape *shape, const List *clauses)
{
	Index least_level = least_security_level(clauses);
	List *of_join = NIL;
	ListCell *cell;

	foreach (cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);

		if (clause->pseudoconstant)
			return false;
		if (IS_OUTER_JOIN(shape->type) && RINFO_IS_PUSHED_DOWN(clause, shape->relation->relids))
			shape->after = lappend(shape->after, clause);
		else
			of_join = lappend(of_join, clause);
	}
	if (!choose_driver(shape, of_join, least_level))
		return false;
	foreach (cell, of_join)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);

		if (clause == shape->driver)
			continue;
		if (can_come_first(clause, least_level) && is_equality_between(shape, clause))
			shape->equalities = lappend(shape->equalities, clause);
		else
			shape->filters = lappend(shape->filters, clause);
	}
	return true;
}

static Cost
evaluation_cost(PlannerInfo *root, RestrictInfo *clause)
{
	QualCost cost;

	cost_qual_eval_node(&cost, (Node *) clause, root);
	return cost.per_tuple;
}

/* By security level, then by cost; equal ones as they were. */
static List *
in_security_order(PlannerInfo *root, List *clauses)
{
	List *sorted = NIL;
	ListCell *cell;

	foreach (cell, clauses)
	{
		RestrictInfo *clause = lfirst_node(RestrictInfo, cell);
		Cost cost = evaluation_cost(root, clause);
		int place = 0;

		while (place < list_length(sorted))
		{
			RestrictInfo *other = list_nth_node(RestrictInfo, sorted, place);

			if (clause->security_level < other->security_level ||
				(clause->security_level == other->security_level &&
				 cost < evaluation_cost(root, other)))
				break;
			place++;
		}
		sorted = list_insert_nth(sorted, place, clause);
	}
	return sorted;
}

/*
 * Self-joins
 */

/* The expression of the inner relation as one of the outer. */
static Node *
of_outer(const JoinShape *shape, const void *expression)
{
	Node *copy = copyObject((Node *) expression);

	ChangeVarNodes(copy, shape->sides[1]->relid, shape->sides[0]->relid, 0);
	return copy;
}

static bool
is_plain_table(PlannerInfo *root, const RelOptInfo *side)
{
	RangeTblEntry *entry;

	if (side->reloptkind != RELOPT_BASEREL || side->rtekind != RTE_RELATION)
		return false;
	entry = planner_rt_fetch(side->relid, root);
	return entry->relkind != RELKIND_FOREIGN_TABLE && !entry->inh && entry->tablesample == NULL;
}

/* Whether each restriction of one side is one of the other, at the same security level. */
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
			!equal(a->clause, of_outer(shape, b->clause)))
			return false;
	}
	return true;
}

static Node *
key_of_side(const JoinShape *shape, const RestrictInfo *equality, int side)
{
	bool is_left = bms_is_subset(equality->left_relids, shape->sides[side]->relids);

	return is_left ? get_leftop(equality->clause) : get_rightop(equality->clause);
}

static Node *
set_of_side(const JoinShape *shape, int side)
{
	return (side == 0) == shape->outer_is_y ? shape->predicate.y : shape->predicate.x;
}

/*
 * Whether both sides are the same rows with the same sets and groups. Rows of
 * the same table that the same conditions select in one snapshot are; who locks or
 * deletes what the join returns does so by the row's own ctid on either side.
 */
static bool
is_self_join(const JoinShape *shape)
{
	PlannerInfo *root = shape->root;
	ListCell *cell;

	if (!is_plain_table(root, shape->sides[0]) || !is_plain_table(root, shape->sides[1]) ||
		planner_rt_fetch(shape->sides[0]->relid, root)->relid !=
			planner_rt_fetch(shape->sides[1]->relid, root)->relid ||
		!have_same_restrictions(shape) ||
		!equal(set_of_side(shape, 0), of_outer(shape, set_of_side(shape, 1))))
		return false;
	foreach (cell, shape->equalities)
	{
		RestrictInfo *equality = lfirst_node(RestrictInfo, cell);

		if (!equal(key_of_side(shape, equality, 0),
				   of_outer(shape, key_of_side(shape, equality, 1))))
			return false;
	}
	return true;
}

/* Whether the filter compares the same column of both sides by <, > or <>, so that no row satisfies it with itself. */
static bool
is_irreflexive(const JoinShape *shape, const RestrictInfo *filter)
{
	OpExpr *comparison = (OpExpr *) filter->clause;
	ListCell *cell;

	if (!IsA(comparison, OpExpr) || list_length(comparison->args) != 2 ||
		!op_strict(comparison->opno) || !can_be_evaluated_once((Node *) comparison) ||
		!is_of_side(shape->root, linitial(comparison->args), shape->sides[0]) !=
			!is_of_side(shape->root, lsecond(comparison->args), shape->sides[1]) ||
		!equal(of_outer(shape, linitial(comparison->args)),
			   of_outer(shape, lsecond(comparison->args))))
		return false;
	foreach (cell, get_op_btree_interpretation(comparison->opno))
	{
		int strategy = ((OpBtreeInterpretation *) lfirst(cell))->strategy;

		if (strategy == BTLessStrategyNumber || strategy == BTGreaterStrategyNumber ||
			strategy == ROWCOMPARE_NE)
			return true;
	}
	return false;
}

static bool
any_is_irreflexive(const JoinShape *shape)
{
	ListCell *cell;

	foreach (cell, shape->filters)
	{
		if (is_irreflexive(shape, lfirst_node(RestrictInfo, cell)))
			return true;
	}
	return false;
}

/* Whether a scan of a table can return any of its columns. */
static bool
reads_whole_rows(const Path *path)
{
	return path->pathtype == T_SeqScan || path->pathtype == T_IndexScan ||
		   path->pathtype == T_BitmapHeapScan;
}

/* The cheapest such scan that depends on nothing else. */
static Path *
cheapest_scan(const RelOptInfo *relation)
{
	Path *cheapest = NULL;
	ListCell *cell;

	foreach (cell, relation->pathlist)
	{
		Path *path = lfirst(cell);

		if (reads_whole_rows(path) && PATH_REQ_OUTER(path) == NULL &&
			(cheapest == NULL || path->total_cost < cheapest->total_cost))
			cheapest = path;
	}
	return cheapest;
}

/* A path of the outer table that returns the inner one's columns as well; NULL if there is none. */
static Path *
path_for_both(const JoinShape *shape)
{
	Path *scan = cheapest_scan(shape->sides[0]);
	PathTarget *target;
	ListCell *cell;

	if (scan == NULL)
		return NULL;
	target = copy_pathtarget(scan->pathtarget);
	foreach (cell, shape->sides[1]->reltarget->exprs)
	{
		Node *expression = lfirst(cell);

		/* A place holder is evaluated by one of the two sides. */
		if (!IsA(expression, Var))
			return NULL;
		add_new_column_to_pathtarget(target, (Expr *) of_outer(shape, expression));
	}
	if (list_length(target->exprs) == list_length(scan->pathtarget->exprs))
		return scan;
	set_pathtarget_cost_width(shape->root, target);
	return (Path *) create_projection_path(shape->root, shape->sides[0], scan, target);
}

/*
 * Costs
 *
 * In operators' worth of time, found on sets of words (test/bench/parts/planned.py).
 */
#define OPERATORS_PER_ROW 20
#define OPERATORS_PER_TOKEN 4
#define OPERATORS_PER_POSTING 4
#define OPERATORS_PER_FREE_PAIR 2

/* Of both inputs: what the kernel will have to do with so many rows. */
typedef struct JoinWork
{
	double rows;
	double tokens;
	double postings;
	double bytes; /* of memory */
} JoinWork;

static void
add_work(const JoinShape *shape, JoinWork *work, int side, double rows, Predicate predicate)
{
	double size = Max(ArgumentSize(shape->root, set_of_side(shape, side)), 1);
	double prefix = (double) PredicateProbingPrefix(predicate, (int64) size);

	if (MeasureIsAsymmetric(predicate.measure) && (side == 0) == shape->outer_is_y)
		prefix = size;
	work->rows += rows;
	work->tokens += rows * size;
	work->postings += rows * prefix;
	work->bytes +=
		rows * (64 + shape->sides[side]->reltarget->width + 12 * size) + rows * prefix * 20;
}

/* Pairs whose sizes alone make them similar. */
static double
free_pairs(const JoinShape *shape, Predicate predicate, double outer_rows, double inner_rows)
{
	double outer = ArgumentSize(shape->root, set_of_side(shape, 0));
	double inner = ArgumentSize(shape->root, set_of_side(shape, 1));

	if (predicate.measure != MEASURE_HAMMING || outer + inner > predicate.threshold)
		return 0;
	return outer_rows * inner_rows;
}

static void
set_cost(SimilarityPath *join, const Path *outer, const Path *inner, double outer_rows)
{
	JoinShape *shape = &join->shape;
	PlannerInfo *root = shape->root;
	Path *path = &join->path.path;
	Predicate predicate = {.measure = shape->predicate.measure,
						   .threshold = threshold_of(shape, &shape->predicate)};
	double pairs = free_pairs(shape, predicate, outer_rows, inner->rows);
	double limit = (double) get_hash_memory_limit();
	JoinWork work = {0};
	QualCost filter;
	Cost cost;

	add_work(shape, &work, 0, outer_rows, predicate);
	if (!join->is_self)
		add_work(shape, &work, 1, inner->rows, predicate);
	path->startup_cost = outer->total_cost + (join->is_self ? 0 : inner->total_cost);
	path->startup_cost +=
		cpu_operator_cost * (work.rows * OPERATORS_PER_ROW + work.tokens * OPERATORS_PER_TOKEN);
	if (work.bytes > limit)
		path->startup_cost += 2 * seq_page_cost * work.bytes / BLCKSZ;

	/* Blocks meet all others of a size that can be similar: as a rule, half of them. */
	cost = cpu_operator_cost * OPERATORS_PER_POSTING * work.postings;
	if (work.bytes > limit)
		cost *= 1 + work.bytes / limit;
	pairs += shape->selectivity * outer_rows * inner->rows;
	cost += cpu_operator_cost * OPERATORS_PER_FREE_PAIR * pairs;
	cost_qual_eval(&filter, list_concat_copy(shape->equalities, shape->filters), root);
	cost += filter.startup + filter.per_tuple * pairs;
	cost += (cpu_tuple_cost + path->pathtarget->cost.per_tuple) * path->rows;
	path->startup_cost += path->pathtarget->cost.startup;
	path->total_cost = path->startup_cost + cost;
}

/*
 * Paths
 */

static SimilarityPath *
create_path(const JoinShape *shape, Path *outer, Path *inner, double rows)
{
	SimilarityPath *join = (SimilarityPath *) newNode(sizeof(SimilarityPath), T_CustomPath);
	Path *path = &join->path.path;
	Path *both = NULL;

	join->shape = *shape;
	if (outer->parallel_workers == 0 && is_self_join(shape))
		both = path_for_both(shape);
	join->is_self = both != NULL;
	if (join->is_self)
	{
		join->skips_itself = any_is_irreflexive(shape);
		outer = both;
	}
	path->pathtype = T_CustomScan;
	path->parent = shape->relation;
	path->pathtarget = shape->relation->reltarget;
	path->parallel_safe =
		shape->relation->consider_parallel && outer->parallel_safe && inner->parallel_safe;
	/* The node itself shares nothing but its figures. */
	path->parallel_aware = outer->parallel_workers > 0;
	path->parallel_workers = outer->parallel_workers;
	path->rows = rows;
	join->path.flags = CUSTOMPATH_SUPPORT_PROJECTION;
	join->path.custom_paths = list_make2(outer, inner);
	join->path.methods = &path_methods;
	set_cost(join, outer, inner, outer->rows);
	return join;
}

/* Each worker joins its part of the outer input with all of the inner one. */
static void
add_partial_path_of(const JoinShape *shape)
{
	RelOptInfo *outer = shape->sides[0];
	Path *partial;
	Path *inner;

	if (!shape->relation->consider_parallel || outer->partial_pathlist == NIL)
		return;
	partial = linitial(outer->partial_pathlist);
	inner = get_cheapest_parallel_safe_total_inner(shape->sides[1]->pathlist);
	if (inner == NULL)
		return;
	add_partial_path(shape->relation,
					 (Path *) create_path(shape, partial, inner,
										  clamp_row_est(shape->relation->rows * partial->rows /
														Max(outer->rows, 1))));
}

static void
consider_join(PlannerInfo *root, RelOptInfo *relation, RelOptInfo *outer, RelOptInfo *inner,
			  JoinType type, JoinPathExtraData *extra)
{
	JoinShape shape = {.root = root, .relation = relation, .sides = {outer, inner}, .type = type};
	Path *outer_path = outer->cheapest_total_path;
	Path *inner_path = inner->cheapest_total_path;

	if (type != JOIN_INNER && type != JOIN_LEFT && type != JOIN_SEMI && type != JOIN_ANTI)
		return;
	/* A side that depends on the other, or on a third, has only paths with parameters. */
	if (!bms_is_empty(relation->lateral_relids) || PATH_REQ_OUTER(outer_path) != NULL ||
		PATH_REQ_OUTER(inner_path) != NULL)
		return;
	if (!sort_clauses(&shape, extra->restrictlist))
		return;
	add_path(relation, (Path *) create_path(&shape, outer_path, inner_path, relation->rows));
	add_partial_path_of(&shape);
}

static void
join_pathlist(PlannerInfo *root, RelOptInfo *relation, RelOptInfo *outer, RelOptInfo *inner,
			  JoinType type, JoinPathExtraData *extra)
{
	if (previous_hook != NULL)
		previous_hook(root, relation, outer, inner, type, extra);
	if (neardup_enable_similarity_join)
		consider_join(root, relation, outer, inner, type, extra);
}

void
JoinPathInit(void)
{
	previous_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = join_pathlist;
}

/*
 * The plan
 */

/* The children's columns, one after the other. */
static List *
scan_targets(List *children)
{
	List *targets = NIL;
	ListCell *child;
	ListCell *cell;

	foreach (child, children)
	{
		foreach (cell, ((Plan *) lfirst(child))->targetlist)
		{
			TargetEntry *entry = lfirst_node(TargetEntry, cell);

			targets = lappend(targets, makeTargetEntry(copyObject(entry->expr),
													   list_length(targets) + 1, NULL, false));
		}
	}
	return targets;
}

/* By column of the inner child, the outer's that has the same in a self-join. */
static List *
inner_sources(const JoinShape *shape, Plan *outer, Plan *inner)
{
	List *sources = NIL;
	ListCell *cell;

	foreach (cell, inner->targetlist)
	{
		Expr *expression = (Expr *) of_outer(shape, lfirst_node(TargetEntry, cell)->expr);
		TargetEntry *entry = tlist_member(expression, outer->targetlist);

		if (entry == NULL)
			elog(ERROR, "column of a self-join is missing");
		sources = lappend_int(sources, entry->resno - 1);
	}
	return sources;
}

static void
plan_equalities(JoinNodePlan *plan, const JoinShape *shape)
{
	ListCell *cell;

	foreach (cell, shape->equalities)
	{
		RestrictInfo *equality = lfirst_node(RestrictInfo, cell);
		bool outer_is_left = bms_is_subset(equality->left_relids, shape->sides[0]->relids);
		Oid functions[2];

		if (!get_op_hash_functions(equality->hashjoinoperator, &functions[0], &functions[1]))
			elog(ERROR, "could not find hash function for operator %u", equality->hashjoinoperator);
		for (int side = 0; side < 2; side++)
		{
			plan->keys[side] = lappend(plan->keys[side], key_of_side(shape, equality, side));
			plan->hash_functions[side] = lappend_oid(
				plan->hash_functions[side], functions[outer_is_left == (side == 0) ? 0 : 1]);
		}
		plan->collations =
			lappend_oid(plan->collations, ((OpExpr *) equality->clause)->inputcollid);
	}
}

static Plan *
plan_path(PlannerInfo *root, RelOptInfo *relation, CustomPath *path, List *targets, List *clauses,
		  List *children)
{
	SimilarityPath *join = (SimilarityPath *) path;
	JoinShape *shape = &join->shape;
	CustomScan *scan = makeNode(CustomScan);
	Plan *outer = linitial(children);
	Plan *inner = lsecond(children);
	JoinNodePlan plan = {
		.type = shape->type,
		.measure = shape->predicate.measure,
		.outer_is_y = shape->outer_is_y,
		.is_self = join->is_self,
		.skips_itself = join->skips_itself,
		.outer_columns = list_length(outer->targetlist),
		.clause = list_make1(shape->driver->clause),
		.sets = list_make2(set_of_side(shape, 0), set_of_side(shape, 1)),
	};

	if (shape->predicate.threshold != NULL)
		plan.threshold = list_make1(shape->predicate.threshold);
	plan.equalities = extract_actual_clauses(in_security_order(root, shape->equalities), false);
	plan.filters = extract_actual_clauses(in_security_order(root, shape->filters), false);
	plan.after = extract_actual_clauses(in_security_order(root, shape->after), false);
	plan_equalities(&plan, shape);
	if (join->is_self)
		plan.inner_sources = inner_sources(shape, outer, inner);

	scan->flags = path->flags;
	scan->methods = &join_node_methods;
	scan->custom_plans = children;
	scan->custom_scan_tlist = scan_targets(children);
	scan->scan.plan.targetlist = targets;
	JoinNodePlanStore(&plan, scan);
	return &scan->scan.plan;
}
