/*
 * order_path.c
 *		Index scans for queries that are ordered by a measure.
 *
 * The planner finds by itself that an index serves ORDER BY tokens <%> $1, since that is an operator
 * of the operator class, and the order is ascending. People write
 *
 *		ORDER BY jaccard(tokens, $1) DESC
 *
 * So a hook adds index scans that are ordered by an operator of the same order, the negative measure:
 *
 *		tokens <-%> $1
 *
 * It serves each function of a measure m, descending; 1 - m, ascending; and the distances, which are
 * 1 - m. That these are rounded, or cast, does not matter: if -m is ascending, so is 1 - m after
 * rounding. The reverse is not true, which is why the operators of distance do not serve
 * (index_class.h).
 *
 * The conditions are those that the planner finds itself. For that the hook has the planner make the
 * paths of this index alone, in a copy of the relation, as if the query were ordered by the operator.
 * Such a path is then said to have the order that the query asks for, of its first sort key: the planner
 * sorts by further keys behind it, unless too few rows have a common token for that (shared_rows.c).
 *
 * For that path the planner hands the executor the operator > of the sort key. Of it the executor takes
 * the function that compares two values, and not the direction: it returns what an index orders by in
 * ascending order, as the index does here.
 *
 * NULL. A descending order has NULL first unless NULLS LAST is said. The index has a row whose set is
 * NULL as one without tokens, among the last. So it has the order only if no set is NULL: the column is
 * NOT NULL, or made of such columns, or a strict condition on it leaves such rows out. If the value is
 * NULL, so are all measures, and any order is right.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/stratnum.h"
#include "access/table.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteHandler.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "function_behind.h"
#include "index/cost.h"
#include "index/order_path.h"
#include "index/shared_rows.h"
#include "kinds/predicate_clause.h"

static set_rel_pathlist_hook_type previous_hook = NULL;

/*
 * Returns an operator clause by which the index orders rows as the sort key does, in the order of a
 * measure between its column and a value; NULL if there is none.
 */
static OpExpr *
order_by_measure(PlannerInfo *root, IndexOptInfo *index, const PathKey *key, Measure measure,
				 Node *column, Node *value, bool value_first)
{
	int last = index->nkeycolumns - 1;
	Oid operator;
	Oid type;

	if (!match_index_to_operand(column, last, index) ||
		!is_pseudo_constant_for_index(root, value, index))
		return NULL;
	operator= OperatorOfClass(index->opfamily[last], column, value,
							  IndexOrderByNegative(measure, value_first));
	if (!OidIsValid(operator))
		return NULL;
	/* The executor compares the operator's values by the family of the sort key. */
	type = get_op_rettype(operator);
	if (!OidIsValid(get_opfamily_member(key->pk_opfamily, type, type, BTLessStrategyNumber)))
		return NULL;
	return (OpExpr *) make_opclause(operator, type, false, (Expr *) column, (Expr *) value,
									InvalidOid, index->indexcollations[last]);
}

/* Returns the same for an expression of the sort key. */
static OpExpr *
order_by_operator(PlannerInfo *root, IndexOptInfo *index, const PathKey *key, Node *expression)
{
	PredicateClause value;
	OpExpr *order;

	if (!MeasuredValueOf(expression, &value) ||
		value.rule.comparison.of_complement == nd_is_descending(key))
		return NULL;
	order = order_by_measure(root, index, key, value.measure, value.x, value.y, false);
	if (order == NULL)
		order = order_by_measure(root, index, key, value.measure, value.y, value.x,
								 MeasureIsDirected(value.measure));
	return order;
}

/* ------------------------------------------------------------------------------------------------
 * Whether the index's column may be NULL
 * ------------------------------------------------------------------------------------------------ */

/* Returns whether the expression is NULL where `part` is, as far as strict functions tell. */
static bool
is_null_with(Node *expression, Node *part)
{
	List *args = NIL;
	ListCell *cell;

	if (equal(expression, part))
		return true;
	if (IsA(expression, RelabelType))
		return is_null_with((Node *) ((RelabelType *) expression)->arg, part);
	if (IsA(expression, FuncExpr) && func_strict(((FuncExpr *) expression)->funcid))
		args = ((FuncExpr *) expression)->args;
	else if (IsA(expression, OpExpr) && op_strict(((OpExpr *) expression)->opno))
		args = ((OpExpr *) expression)->args;
	foreach(cell, args)
	{
		if (is_null_with(lfirst(cell), part))
			return true;
	}
	return false;
}

/* Returns whether no row satisfies a condition in which `part` is NULL. */
static bool
excludes_null(Node *condition, Node *part)
{
	bool is_or = is_orclause(condition);
	ListCell *cell;

	if (IsA(condition, NullTest))
		return ((NullTest *) condition)->nulltesttype == IS_NOT_NULL &&
			   !((NullTest *) condition)->argisrow &&
			   is_null_with((Node *) ((NullTest *) condition)->arg, part);
	if (IsA(condition, ScalarArrayOpExpr))
		return ((ScalarArrayOpExpr *) condition)->useOr &&
			   op_strict(((ScalarArrayOpExpr *) condition)->opno) &&
			   is_null_with(linitial(((ScalarArrayOpExpr *) condition)->args), part);
	if (!is_or)
		return is_null_with(condition, part);
	foreach(cell, ((BoolExpr *) condition)->args)
	{
		if (!excludes_null(lfirst(cell), part))
			return false;
	}
	return true;
}

/* Since 17 the planner knows it; since 18, a constraint that is not valid does not count. */
static bool
is_not_null_column(PlannerInfo *root, const RelOptInfo *relation, const Var *column)
{
#if PG_VERSION_NUM >= 170000
	return bms_is_member(column->varattno, relation->notnullattnums);
#else
	Oid table = planner_rt_fetch(relation->relid, root)->relid;
	HeapTuple tuple =
		SearchSysCache2(ATTNUM, ObjectIdGetDatum(table), Int16GetDatum(column->varattno));
	bool result;

	if (!HeapTupleIsValid(tuple))
		return false;
	result = ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;
	ReleaseSysCache(tuple);
	return result;
#endif
}

/* Returns the expression that a stored column is generated by; NULL if it is none. */
static Node *
generating_expression(PlannerInfo *root, const RelOptInfo *relation, const Var *column)
{
	Relation table;
	Node *expression = NULL;

	if (column->varattno <= 0)
		return NULL;
	table = table_open(planner_rt_fetch(relation->relid, root)->relid, NoLock);
	if (TupleDescAttr(RelationGetDescr(table), column->varattno - 1)->attgenerated ==
		ATTRIBUTE_GENERATED_STORED)
		expression = build_column_default(table, column->varattno);
	table_close(table, NoLock);
	if (expression != NULL)
		ChangeVarNodes(expression, 1, (int) relation->relid, 0);
	return expression;
}

/*
 * The functions of this extension that make a set or a text, and no NULL, of arguments that are not NULL.
 * A strict function may do otherwise: date_tokens() of an infinite date is NULL.
 */
static const char *const makers[] = {
	"ball_tokens",
	"bit_set",
	"bit_tokens",
	"edit_tokens",
	"element_tokens",
	"near_tokens",
	"normalize_text",
	"number_words",
	"passage_tokens",
	"phone_tokens",
	"qgram_set",
	"qgram_tokens",
	"remove_ranges",
	"replace_words",
	"shingle_set",
	"shingle_tokens",
	"strip_ids",
	"strip_marks",
	"strip_numbers",
	"strip_tags",
	"tokenset",
	"tokenset_difference",
	"tokenset_intersection",
	"tokenset_union",
	"word_qgram_set",
	"word_qgram_tokens",
	"word_set",
	"word_tokens",
};

static bool
is_maker(Oid function)
{
	const char *name = get_func_name(function);

	for (int i = 0; i < (int) lengthof(makers); i++)
	{
		if (strcmp(name, makers[i]) == 0)
			return func_strict(function) && getExtensionOfObject(ProcedureRelationId, function) ==
												get_extension_oid("neardup", true);
	}
	return false;
}

/*
 * Returns whether a function that is given no NULL returns none: texts in lower or upper case, texts
 * put together, and what this extension makes.
 */
static bool
returns_no_null(Oid function)
{
	return function == F_LOWER_TEXT || function == F_UPPER_TEXT || function == F_TEXTCAT ||
		   is_maker(function);
}

/* Returns whether an expression of the relation's columns is not NULL in any row of the result. */
static bool
is_never_null(PlannerInfo *root, RelOptInfo *relation, Node *expression)
{
	List *args = NIL;
	ListCell *cell;

	if (expression == NULL)
		return false;
	foreach(cell, relation->baserestrictinfo)
	{
		if (excludes_null((Node *) lfirst_node(RestrictInfo, cell)->clause, expression))
			return true;
	}
	switch (nodeTag(expression))
	{
		case T_Var:
			return is_not_null_column(root, relation, (Var *) expression) ||
				   is_never_null(root, relation,
								 generating_expression(root, relation, (Var *) expression));
		case T_Const:
			return !((Const *) expression)->constisnull;
		case T_RelabelType:
			return is_never_null(root, relation, (Node *) ((RelabelType *) expression)->arg);
		case T_CoalesceExpr:
			return is_never_null(root, relation, llast(((CoalesceExpr *) expression)->args));
		case T_FuncExpr:
			if (!returns_no_null(((FuncExpr *) expression)->funcid))
				return false;
			args = ((FuncExpr *) expression)->args;
			break;
		case T_OpExpr:
			if (!returns_no_null(get_opcode(((OpExpr *) expression)->opno)))
				return false;
			args = ((OpExpr *) expression)->args;
			break;
		default:
			return false;
	}
	foreach(cell, args)
	{
		if (!is_never_null(root, relation, lfirst(cell)))
			return false;
	}
	return true;
}

/* ------------------------------------------------------------------------------------------------
 * Paths
 * ------------------------------------------------------------------------------------------------ */

/* Returns the sort keys of a query that is ordered by an operator clause. */
static List *
keys_of_operator(const RelOptInfo *relation, OpExpr *order, Oid opfamily)
{
	EquivalenceMember *member = makeNode(EquivalenceMember);
	EquivalenceClass *class = makeNode(EquivalenceClass);
	PathKey *key = makeNode(PathKey);

	member->em_expr = (Expr *) order;
	member->em_relids = relation->relids;
	class->ec_members = list_make1(member);
	key->pk_eclass = class;
	key->pk_opfamily = get_op_opfamily_sortfamily(order->opno, opfamily);
	nd_set_ascending(key);
	return list_make1(key);
}

/* Has the planner make the paths of an index as if this were the order of the query. */
static List *
paths_by_operator(PlannerInfo *root, const RelOptInfo *relation, IndexOptInfo *index, OpExpr *order)
{
	RelOptInfo copy = *relation;
	List *keys = root->query_pathkeys;

	copy.indexlist = list_make1(index);
	copy.pathlist = copy.partial_pathlist = NIL;
	copy.baserestrictinfo = copy.joininfo = NIL;
	copy.consider_parallel = false;
	root->query_pathkeys =
		keys_of_operator(relation, order, index->opfamily[index->nkeycolumns - 1]);
	create_index_paths(root, &copy);
	root->query_pathkeys = keys;
	return copy.pathlist;
}

/* Adds the scans of an index by an operator. */
static void
add_paths_of_order(PlannerInfo *root, RelOptInfo *relation, IndexOptInfo *index, OpExpr *order,
				   PathKey *key)
{
	bool is_safe = is_parallel_safe(root, (Node *) order);
	ListCell *cell;

	foreach(cell, paths_by_operator(root, relation, index, order))
	{
		IndexPath *path = lfirst(cell);

		if (!IsA(path, IndexPath) || path->indexorderbys == NIL ||
			!bms_equal(PATH_REQ_OUTER(&path->path), relation->lateral_relids))
			continue;
		if (list_length(root->query_pathkeys) > 1 && IndexSharesTooFewRows(root, path))
			path->path.startup_cost = path->path.total_cost;
		path->path.pathkeys = list_make1(key);
		path->path.parallel_safe = path->path.parallel_safe && is_safe;
		add_path(relation, (Path *) path);
	}
}

/* Adds the scans of an index that have the order of a sort key. */
static void
add_orders_of_index(PlannerInfo *root, RelOptInfo *relation, IndexOptInfo *index, PathKey *key)
{
	nd_MemberIterator iterator;
	EquivalenceMember *member;

	nd_begin_members(&iterator, key->pk_eclass, relation->relids);
	while ((member = nd_next_member(&iterator)) != NULL)
	{
		OpExpr *order;

		if (!bms_equal(member->em_relids, relation->relids))
			continue;
		order = order_by_operator(root, index, key, (Node *) member->em_expr);
		if (order == NULL ||
			(key->pk_nulls_first && !is_never_null(root, relation, linitial(order->args))))
			continue;
		add_paths_of_order(root, relation, index, order, key);
		return;
	}
}

static void
add_ordered_paths(PlannerInfo *root, RelOptInfo *relation, Index number, RangeTblEntry *entry)
{
	PathKey *key;
	ListCell *cell;

	if (previous_hook != NULL)
		previous_hook(root, relation, number, entry);
	/* An index scan returns rows that a sample does not have. */
	if (root->query_pathkeys == NIL || !IS_SIMPLE_REL(relation) || IS_DUMMY_REL(relation) ||
		entry->rtekind != RTE_RELATION || entry->inh || entry->tablesample != NULL)
		return;
	key = linitial_node(PathKey, root->query_pathkeys);
	if (key->pk_eclass->ec_has_volatile)
		return;
	foreach(cell, relation->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, cell);

		if (index->amcostestimate == IndexCostEstimate)
			add_orders_of_index(root, relation, index, key);
	}
}

void
OrderPathInit(void)
{
	previous_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_ordered_paths;
}
