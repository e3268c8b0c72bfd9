/*
 * trigram_path.c
 *		Index scans for comparisons of a text's similarity with a threshold.
 *
 * The planner finds by itself that an index of the operator class trgm_ops answers name % 'x', since
 * that is an operator of the class. A comparison such as similarity(name, 'x') >= 0.5 is none, and
 * pg_trgm's function has no support function that could make it an index condition. So a hook adds
 * the paths, with the condition
 *
 *		name @~ trgm_query('x', comparison, 0.5)
 *
 * for each such comparison among the restrictions of a table. It is called after the planner has
 * made its own paths, and has loaded the library to do so, since the table has an index of this
 * access method. The condition is lossy: the comparison itself rechecks the rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/paths.h"
#include "optimizer/restrictinfo.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "function_behind.h"
#include "kinds/index_class.h"
#include "kinds/trigrams/trgm_ops.h"
#include "kinds/trigrams/trigram_condition.h"
#include "kinds/trigrams/trigram_path.h"
#include "tokenset/support.h"

static set_rel_pathlist_hook_type previous_hook = NULL;

/* What makes conditions for an index: the operator @~ and the function of its operand. */
typedef struct TrigramClass
{
	Oid matches;
	Oid query;
} TrigramClass;

/* Fills in what makes conditions if the index is one of trgm_ops alone; otherwise returns false. */
static bool
find_class(const IndexOptInfo *index, TrigramClass *class)
{
	Oid types[] = {TEXTOID, INT4OID, FLOAT8OID};
	Oid opfamily = index->opfamily[0];

	if (index->nkeycolumns != 1 || (index->indpred != NIL && !index->predOK) ||
		IndexClassSetOfText(opfamily) != trgm_set)
		return false;
	class->query = FunctionBeside(get_opfamily_proc(opfamily, TEXTOID, TEXTOID, INDEX_SET_FUNCTION),
								  "trgm_query", types, lengthof(types));
	if (!OidIsValid(class->query) || FunctionBehind(class->query, lengthof(types)) != trgm_query)
		return false;
	class->matches =
		get_opfamily_member(opfamily, TEXTOID, get_func_rettype(class->query), INDEX_MATCHES);
	return OidIsValid(class->matches);
}

static Node *
as_double(Node *threshold)
{
	if (exprType(threshold) == FLOAT8OID)
		return threshold;
	return (Node *) makeFuncExpr(F_FLOAT8_FLOAT4, FLOAT8OID, list_make1(threshold), InvalidOid,
								 InvalidOid, COERCE_IMPLICIT_CAST);
}

/*
 * Returns the index condition of a comparison with the index's column; NULL for other comparisons.
 */
static Expr *
condition_of(PlannerInfo *root, IndexOptInfo *index, const TrigramClass *class,
			 const PredicateClause *clause)
{
	bool is_x = match_index_to_operand(clause->x, 0, index);
	Node *column = is_x ? clause->x : clause->y;
	Node *value = is_x ? clause->y : clause->x;
	Node *operand;

	if (!match_index_to_operand(column, 0, index) ||
		!is_pseudo_constant_for_index(root, value, index) ||
		!is_pseudo_constant_for_index(root, clause->threshold, index))
		return NULL;
	operand =
		QueryOfIndexCondition(root, class->query,
							  list_make3(value,
										 makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
												   Int32GetDatum(clause->comparison), false, true),
										 as_double(clause->threshold)),
							  index->indexcollations[0]);
	return make_opclause(class->matches, BOOLOID, false, (Expr *) column, (Expr *) operand,
						 InvalidOid, index->indexcollations[0]);
}

static void
add_paths(PlannerInfo *root, RelOptInfo *relation, IndexOptInfo *index, RestrictInfo *restriction,
		  Expr *condition)
{
	IndexClause *clause = makeNode(IndexClause);
	Relids outer = bms_is_empty(relation->lateral_relids) ? NULL : relation->lateral_relids;
	IndexPath *path;

	clause->rinfo = restriction;
	clause->indexquals = list_make1(make_simple_restrictinfo(root, condition));
	clause->lossy = true;
	path = create_index_path(root, index, list_make1(clause), NIL, NIL, NIL, ForwardScanDirection,
							 false, outer, 1.0, false);
	add_path(relation,
			 (Path *) create_bitmap_heap_path(root, relation, (Path *) path, outer, 1.0, 0));
	add_path(relation, (Path *) path);
}

static void
add_paths_of_index(PlannerInfo *root, RelOptInfo *relation, IndexOptInfo *index)
{
	TrigramClass class;
	ListCell *cell;

	if (!find_class(index, &class))
		return;
	foreach(cell, index->indrestrictinfo)
	{
		RestrictInfo *restriction = lfirst_node(RestrictInfo, cell);
		PredicateClause clause;
		Expr *expression;

		if (restriction->pseudoconstant ||
			!restriction_is_securely_promotable(restriction, relation) ||
			!TrigramClauseOf((Node *) restriction->clause, &clause) ||
			clause.comparison == COMPARED_BY_SETTING)
			continue;
		expression = condition_of(root, index, &class, &clause);
		if (expression != NULL)
			add_paths(root, relation, index, restriction, expression);
	}
}

static void
add_trigram_paths(PlannerInfo *root, RelOptInfo *relation, Index number, RangeTblEntry *entry)
{
	ListCell *cell;

	if (previous_hook != NULL)
		previous_hook(root, relation, number, entry);
	/* An index scan returns rows that a sample does not have, and no place of a cursor. */
	if (!IS_SIMPLE_REL(relation) || entry->rtekind != RTE_RELATION || entry->inh ||
		entry->tablesample != NULL)
		return;
	foreach(cell, relation->baserestrictinfo)
	{
		if (IsA(lfirst_node(RestrictInfo, cell)->clause, CurrentOfExpr))
			return;
	}
	foreach(cell, relation->indexlist)
		add_paths_of_index(root, relation, lfirst_node(IndexOptInfo, cell));
}

void
TrigramPathInit(void)
{
	previous_hook = set_rel_pathlist_hook;
	set_rel_pathlist_hook = add_trigram_paths;
}
