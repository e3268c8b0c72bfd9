/*
 * join_path.c
 *		Offers the planner a similarity join, with its cost, and makes its plan.
 *
 * set_join_pathlist_hook is called for each two relations that the planner may join. If there is a
 * similarity predicate between them (join_shape.h), and the join is an inner, left, semi or
 * antijoin, a CustomPath is added: the planner compares its cost with the costs of nested loops and
 * index scans. There is no parameterized path, whose inner side would be joined once for each outer
 * row; nested loops serve that better. A partial path, for parallel plans, has a partial outer
 * path.
 *
 * The cost follows the course of the join: both inputs are read, sets are evaluated and put into
 * the kernel's records, all before the first row; then pairs are found and filtered. It is counted
 * in operators, each at cpu_operator_cost, as factors of the numbers of rows, tokens, postings and
 * pairs. Equalities partition the join, so that only pairs of equal keys count. If the memory estimate
 * exceeds hash memory, rows go to files, and the work estimate grows with how often a row is loaded.
 *
 * In a self-join, which join_shape.c recognizes, both sides have the same rows. Then the input is
 * read once: the outer path also returns the columns that the inner side is asked for.
 *
 * The plan's custom_scan_tlist, the scan tuple, is the outer child's columns followed by the inner
 * child's. The planner turns all expressions of the plan into references to it.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"

#include "join/node/join_node.h"
#include "join/node/join_path.h"
#include "join/node/join_plan.h"
#include "join/node/join_shape.h"
#include "join/node/nulling_rels.h"
#include "compat.h"
#include "settings.h"

typedef struct SimilarityPath
{
	CustomPath path; /* must be first */
	JoinShape shape;
	bool is_self;	   /* the input is read once */
	bool skips_itself; /* in a self-join: the filters reject each row with itself */
} SimilarityPath;

static set_join_pathlist_hook_type previous_hook = NULL;

static Plan *join_plan_path(PlannerInfo *root, RelOptInfo *relation, CustomPath *path,
							List *targets, List *clauses, List *children);

static const CustomPathMethods path_methods = {
	.CustomName = "Similarity Join",
	.PlanCustomPath = join_plan_path,
};

/* Returns whether a scan can return any column of its table; an index-only scan cannot. */
static bool
reads_whole_rows(const Path *path)
{
	return path->pathtype == T_SeqScan || path->pathtype == T_IndexScan ||
		   path->pathtype == T_BitmapHeapScan;
}

/*
 * Returns the cheapest scan of whole rows, or of partitions and children, or NULL; paths are in the
 * order of their cost.
 */
static Path *
cheapest_scan(const RelOptInfo *relation)
{
	ListCell *cell;

	foreach(cell, relation->pathlist)
	{
		Path *path = lfirst(cell);

		if ((reads_whole_rows(path) || path->pathtype == T_Append) && PATH_REQ_OUTER(path) == NULL)
			return path;
	}
	return NULL;
}

/*
 * Returns a path of the outer side that also returns the inner side's columns, since both sides are
 * the same table; NULL if there is none.
 */
static Path *
path_for_both(const JoinShape *shape)
{
	Path *scan = cheapest_scan(shape->sides[0]);
	PathTarget *target;
	ListCell *cell;

	if (scan == NULL)
		return NULL;
	target = copy_pathtarget(scan->pathtarget);
	foreach(cell, shape->sides[1]->reltarget->exprs)
	{
		Node *expression = lfirst(cell);

		/* A place holder is evaluated by its own side. */
		if (!IsA(expression, Var))
			return NULL;
		add_new_column_to_pathtarget(target, (Expr *) JoinShapeOfOuter(shape, expression));
	}
	if (list_length(target->exprs) == list_length(scan->pathtarget->exprs))
		return scan;
	/* The scans of partitions return the columns that the planner has chosen, and no others. */
	if (scan->pathtype == T_Append)
		return NULL;
	set_pathtarget_cost_width(shape->root, target);
	return (Path *) create_projection_path(shape->root, shape->sides[0], scan, target);
}

/* Costs as numbers of operators, fitted to sets of words by test/bench/parts/planned.py. */
#define OPERATORS_PER_JOIN 10000
#define OPERATORS_PER_ROW 20
#define OPERATORS_PER_TOKEN 4
#define OPERATORS_PER_PAIR 2

static void
add_work(const JoinShape *shape, JoinWork *work, int side, double rows, Predicate predicate)
{
	PlannedInput input = {.root = shape->root,
						  .operand = JoinShapeOperand(shape, side),
						  .rows = rows,
						  .is_y = (side == 0) == shape->outer_is_y};
	QualCost operand;

	cost_qual_eval_node(&operand, input.operand, shape->root);
	work->operands += operand.startup + operand.per_tuple * rows;
	work->rows += rows;
	work->bytes += rows * shape->sides[side]->reltarget->width;
	shape->predicate.kind->add_work(&input, predicate, work);
}

/* Returns the share of all pairs that the equalities let meet. */
static double
share_of_equal_keys(const JoinShape *shape)
{
	SpecialJoinInfo join = JoinShapeAsInner(shape);

	return clauselist_selectivity(shape->root, shape->equalities, 0, JOIN_INNER, &join);
}

/*
 * Returns how often a row is loaded where rows are in files. Each block of the left side meets all rows of
 * the right one, and is loaded again for each part of these: a side that memory holds is loaded for each
 * part of the other, which is loaded once. The sizes are in multiples of the memory.
 */
static double
loads_of_row(double left, double right)
{
	return 1 + 4 * left * right / (left + right);
}

static void
join_set_cost(SimilarityPath *join, const Path *outer, const Path *inner, double outer_rows)
{
	JoinShape *shape = &join->shape;
	const Kind *kind = shape->predicate.kind;
	PlannerInfo *root = shape->root;
	Path *path = &join->path.path;
	Predicate predicate = {.measure = shape->predicate.measure};
	double met = share_of_equal_keys(shape) * outer_rows * inner->rows;
	double limit = (double) get_hash_memory_limit();
	JoinWork work = {.pairs = join->is_self ? met / 2 : met};
	double pairs = shape->selectivity * met;
	double left_bytes;
	QualCost filter;
	Cost cost;

	PredicateThresholdEstimate(root, &shape->predicate, &predicate.threshold);
	add_work(shape, &work, 0, outer_rows, predicate);
	left_bytes = join->is_self ? work.bytes / 2 : work.bytes;
	if (!join->is_self)
		add_work(shape, &work, 1, inner->rows, predicate);
	path->startup_cost = outer->total_cost + (join->is_self ? 0 : inner->total_cost);
	path->startup_cost += work.operands;
	path->startup_cost += cpu_operator_cost * (OPERATORS_PER_JOIN + work.rows * OPERATORS_PER_ROW +
											   work.tokens * OPERATORS_PER_TOKEN);
	if (work.bytes > limit)
		path->startup_cost += 2 * seq_page_cost * work.bytes / BLCKSZ;

	cost = cpu_operator_cost * kind->operators(&work, predicate, outer_rows);
	if (work.bytes > limit)
		cost *= loads_of_row(left_bytes / limit, (work.bytes - left_bytes) / limit);
	if (kind->finds_all_at_once)
	{
		path->startup_cost += cost;
		cost = 0;
	}
	if (kind->needs_overlap != NULL && !kind->needs_overlap(root, &shape->predicate, predicate))
		pairs += outer_rows * inner->rows;
	cost += cpu_operator_cost * OPERATORS_PER_PAIR * pairs;
	cost_qual_eval(&filter, list_concat_copy(shape->equalities, shape->filters), root);
	cost += filter.startup + filter.per_tuple * pairs;
	cost += (cpu_tuple_cost + path->pathtarget->cost.per_tuple) * path->rows;
	path->startup_cost += path->pathtarget->cost.startup;
	path->total_cost = path->startup_cost + cost;
}

static SimilarityPath *
create_path(const JoinShape *shape, Path *outer, Path *inner, double rows)
{
	SimilarityPath *join = (SimilarityPath *) newNode(sizeof(SimilarityPath), T_CustomPath);
	Path *path = &join->path.path;
	Path *both = NULL;

	join->shape = *shape;
	if (outer->parallel_workers == 0 && JoinShapeIsSelfJoin(shape))
		both = path_for_both(shape);
	join->is_self = both != NULL;
	if (join->is_self)
	{
		join->skips_itself = JoinShapeSkipsItself(shape);
		outer = both;
	}
	path->pathtype = T_CustomScan;
	path->parent = shape->relation;
	path->pathtarget = shape->relation->reltarget;
	path->parallel_safe =
		shape->relation->consider_parallel && outer->parallel_safe && inner->parallel_safe;
	path->parallel_aware = outer->parallel_workers > 0;
	path->parallel_workers = outer->parallel_workers;
	path->rows = rows;
#if PG_VERSION_NUM >= 180000
	path->disabled_nodes = outer->disabled_nodes + (join->is_self ? 0 : inner->disabled_nodes);
#endif
	join->path.flags = CUSTOMPATH_SUPPORT_PROJECTION;
	join->path.custom_paths = list_make2(outer, inner);
	join->path.methods = &path_methods;
	join_set_cost(join, outer, inner, outer->rows);
	return join;
}

/* Adds a path for parallel plans, where each worker joins its outer rows with all inner ones. */
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

/*
 * Returns whether a side must return the identity of rows of several tables, as in an UPDATE or
 * DELETE of a partitioned table. EXPLAIN could not name such a column of the scan tuple.
 */
static bool
identifies_rows_of_several_tables(const RelOptInfo *side)
{
	ListCell *cell;

	foreach(cell, side->reltarget->exprs)
	{
		if (IsA(lfirst(cell), Var) && lfirst_node(Var, cell)->varno == ROWID_VAR)
			return true;
	}
	return false;
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
	/* The same rows are joined before they are aggregated, too. */
	if (nd_is_grouped(relation))
		return;
	if (!bms_is_empty(relation->lateral_relids) || PATH_REQ_OUTER(outer_path) != NULL ||
		PATH_REQ_OUTER(inner_path) != NULL)
		return;
	if (identifies_rows_of_several_tables(outer) || identifies_rows_of_several_tables(inner) ||
		!JoinShapeSortClauses(&shape, extra->restrictlist))
		return;
	add_path(relation, (Path *) create_path(&shape, outer_path, inner_path, relation->rows));
	add_partial_path_of(&shape);
}

/* Where a join method is advised, that one is to win, and the node cannot be named. */
static void
join_pathlist(PlannerInfo *root, RelOptInfo *relation, RelOptInfo *outer, RelOptInfo *inner,
			  JoinType type, JoinPathExtraData *extra)
{
	if (previous_hook != NULL)
		previous_hook(root, relation, outer, inner, type, extra);
	if (neardup_enable_similarity_join && !nd_join_is_advised(root, extra))
		consider_join(root, relation, outer, inner, type, extra);
}

void
JoinPathInit(void)
{
	previous_hook = set_join_pathlist_hook;
	set_join_pathlist_hook = join_pathlist;
}

static Cost
evaluation_cost(PlannerInfo *root, RestrictInfo *clause)
{
	QualCost cost;

	cost_qual_eval_node(&cost, (Node *) clause, root);
	return cost.per_tuple;
}

/*
 * Returns the clauses by security level, then by cost; equal ones keep their order. The planner
 * orders its own quals by the same rule, so that a leaky function sees no row that a security
 * barrier hides.
 */
static List *
in_security_order(PlannerInfo *root, List *clauses)
{
	List *sorted = NIL;
	ListCell *cell;

	foreach(cell, clauses)
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

/* Returns the columns of the scan tuple: the columns of both children. */
static List *
join_scan_targets(List *children)
{
	List *targets = NIL;
	ListCell *child;
	ListCell *cell;

	foreach(child, children)
	{
		foreach(cell, ((Plan *) lfirst(child))->targetlist)
		{
			TargetEntry *entry = lfirst_node(TargetEntry, cell);

			targets = lappend(targets, makeTargetEntry(copyObject(entry->expr),
													   list_length(targets) + 1, NULL, false));
		}
	}
	return targets;
}

/*
 * Returns, for each column of the inner child, the number of the outer child's equal one, from 0.
 */
static List *
inner_sources(const JoinShape *shape, Plan *outer, Plan *inner)
{
	List *sources = NIL;
	ListCell *cell;

	foreach(cell, inner->targetlist)
	{
		Expr *expression = (Expr *) JoinShapeOfOuter(shape, lfirst_node(TargetEntry, cell)->expr);
		TargetEntry *entry = tlist_member(expression, outer->targetlist);

		if (entry == NULL)
			elog(ERROR, "column of a self-join is missing");
		sources = lappend_int(sources, entry->resno - 1);
	}
	return sources;
}

/* Adds the keys of the equalities to the plan, for each side, and their hash functions. */
static void
plan_equalities(JoinNodePlan *plan, const JoinShape *shape)
{
	ListCell *cell;

	foreach(cell, shape->equalities)
	{
		RestrictInfo *equality = lfirst_node(RestrictInfo, cell);
		bool outer_is_left = bms_is_subset(equality->left_relids, shape->sides[0]->relids);
		Oid functions[2];

		if (!get_op_hash_functions(equality->hashjoinoperator, &functions[0], &functions[1]))
			elog(ERROR, "could not find hash function for operator %u", equality->hashjoinoperator);
		for (int side = 0; side < 2; side++)
		{
			plan->keys[side] = lappend(plan->keys[side], JoinShapeKey(shape, equality, side));
			plan->hash_functions[side] = lappend_oid(
				plan->hash_functions[side], functions[outer_is_left == (side == 0) ? 0 : 1]);
		}
		plan->collations =
			lappend_oid(plan->collations, ((OpExpr *) equality->clause)->inputcollid);
	}
}

static Plan *
join_plan_path(PlannerInfo *root, RelOptInfo *relation, CustomPath *path, List *targets,
			   List *clauses, List *children)
{
	SimilarityPath *join = (SimilarityPath *) path;
	JoinShape *shape = &join->shape;
	CustomScan *scan = makeNode(CustomScan);
	Plan *outer = linitial(children);
	Plan *inner = lsecond(children);
	List *result;
	JoinNodePlan plan = {
		.type = shape->type,
		.kind = shape->predicate.kind,
		.measure = shape->predicate.measure,
		.rule = shape->predicate.rule,
		.outer_is_y = shape->outer_is_y,
		.is_self = join->is_self,
		.skips_itself = join->skips_itself,
		.outer_columns = list_length(outer->targetlist),
		.clause = list_make1(shape->driver->clause),
		.operands = list_make2(JoinShapeOperand(shape, 0), JoinShapeOperand(shape, 1)),
		.threshold = list_make1(shape->predicate.threshold),
	};

	plan.equalities = extract_actual_clauses(in_security_order(root, shape->equalities), false);
	plan.filters = extract_actual_clauses(in_security_order(root, shape->filters), false);
	plan.after = extract_actual_clauses(in_security_order(root, shape->after), false);
	plan_equalities(&plan, shape);
	if (join->is_self)
		plan.inner_sources = inner_sources(shape, outer, inner);

	scan->flags = path->flags;
	scan->methods = &join_node_methods;
	scan->custom_plans = children;
	scan->custom_scan_tlist = join_scan_targets(children);
	scan->scan.plan.targetlist = targets;
	JoinNodePlanStore(&plan, scan);
	result = NullingRelsOfResult(relation, scan->custom_scan_tlist);
	scan->custom_scan_tlist = NullingRelsSet(result, scan->custom_scan_tlist);
	scan->custom_exprs = NullingRelsSet(result, scan->custom_exprs);
	return &scan->scan.plan;
}
