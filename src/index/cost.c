/*
 * cost.c
 *		The planner's estimate of a scan.
 *
 * A scan looks each token of the operand up in each segment, reads the lists of the rarest ones,
 * and tests some of their records; the kind of the operator class tells how many. How long lists are
 * on average, the index knows: those of the q-grams of numbers are longer than those of words. All
 * of it is cost before the first row, since a search finds all rows at once.
 *
 * A search for the nearest rows has less to do before the first row, and goes on as rows are asked
 * for: to fetch all rows takes many times longer than to read the table. So where a filter leaves
 * few rows, the planner finds these by another index, if there is one, and sorts them.
 *
 * In an index with scope columns a scan reads the lists of one scope, whose part of all records is
 * the selectivity of the conditions on these columns.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/plancat.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "index/cost.h"
#include "index/meta.h"
#include "kinds/kinds.h"

/*
 * In units of cpu_operator_cost: to begin a search, to look a token up, to read a posting and test
 * its record, to test a record alone.
 */
#define SEARCH 1500
#define LOOKUP 20
#define POSTING 3
#define RECORD 2

/*
 * The same of a search for the nearest rows: for each posting of the index before the first row, and
 * for each row to put it in order.
 */
#define NEAREST_POSTING 0.07
#define NEAREST_ROW 180

/*
 * The cost of a scan that would return all rows, above any other plan's. It is finite, since the planner
 * subtracts costs, and from infinity would get NaN.
 */
#define UNUSABLE 1e100

typedef struct IndexFigures
{
	double segments;
	double records;
	double postings;
	double list_lengths; /* the mean numbers of postings of a token, added up over segments */
	double pending;		 /* rows */
} IndexFigures;

/* Returns what the metapage says. Of a hypothetical index one segment is assumed. */
static IndexFigures
read_figures(const IndexOptInfo *info)
{
	IndexFigures figures = {
		.segments = 1, .records = info->tuples, .postings = info->tuples, .list_lengths = 1};
	Relation index;
	const IndexMeta *meta;
	Buffer buffer;

	if (info->hypothetical)
		return figures;
	index = index_open(info->indexoid, NoLock);
	buffer = IndexMetaRead(index, &meta);
	figures = (IndexFigures){.segments = meta->segment_count,
							 .pending = (double) (meta->open.row_count + meta->closed.row_count)};
	for (uint32 i = 0; i < meta->segment_count; i++)
	{
		figures.records += meta->segments[i].record_count;
		figures.postings += (double) meta->segments[i].posting_count;
		figures.list_lengths += (double) meta->segments[i].posting_count /
								Max((double) meta->segments[i].token_count, 1);
	}
	UnlockReleaseBuffer(buffer);
	index_close(index, NoLock);
	return figures;
}

/* Returns the first condition on a column that is at or behind `column`, from 0 on; else NULL. */
static const IndexClause *
first_condition(const IndexPath *path, int column)
{
	ListCell *cell;

	foreach(cell, path->indexclauses)
	{
		if (lfirst_node(IndexClause, cell)->indexcol >= column)
			return lfirst(cell);
	}
	return NULL;
}

/*
 * Reduces the figures of the index to a scope: to the fraction of the rows that the conditions on
 * the scope columns select. `scans` is the number of values of arrays for which the index is
 * searched. Returns false if a scope column has no condition.
 */
static bool
reduce_to_scope(PlannerInfo *root, const IndexPath *path, double scans, IndexFigures *figures)
{
	int scope_columns = path->indexinfo->nkeycolumns - 1;
	int next = 0; /* column without a condition so far; conditions ascend by column */
	List *conditions = NIL;
	ListCell *cell;
	double fraction;

	foreach(cell, path->indexclauses)
	{
		IndexClause *clause = lfirst_node(IndexClause, cell);

		if (clause->indexcol == scope_columns)
			break;
		if (clause->indexcol > next)
			return false;
		next = clause->indexcol + 1;
		conditions = list_concat(conditions, clause->indexquals);
	}
	if (next < scope_columns)
		return false;
	if (scope_columns == 0)
		return true;
	fraction = clauselist_selectivity(root, conditions, (int) path->indexinfo->rel->relid,
									  JOIN_INNER, NULL) /
			   scans;
	figures->records *= fraction;
	figures->postings *= fraction;
	return true;
}

/*
 * Returns the cost of a search for all rows of a scope. Pages are paid for as with other indexes, and
 * one of each dictionary, so that a B-tree of the scope columns is preferred.
 */
static Cost
scope_cost(const IndexFigures *figures, const GenericCosts *costs)
{
	return costs->indexTotalCost + figures->segments * random_page_cost +
		   cpu_operator_cost *
			   (figures->segments * LOOKUP + (figures->records + figures->pending) * RECORD);
}

/*
 * Returns a clause as an operator clause. For operator ANY (array), returns the operator with a
 * single element of which nothing is known, as the planner's own estimates do.
 */
static const OpExpr *
operator_clause(const Expr *clause)
{
	const ScalarArrayOpExpr *any = (const ScalarArrayOpExpr *) clause;
	CaseTestExpr *element;
	Oid left;

	if (!IsA(clause, ScalarArrayOpExpr))
		return (const OpExpr *) clause;
	element = makeNode(CaseTestExpr);
	op_input_types(any->opno, &left, &element->typeId);
	element->typeMod = -1;
	element->collation = any->inputcollid;
	return (const OpExpr *) make_opclause(any->opno, BOOLOID, false, linitial(any->args),
										  (Expr *) element, InvalidOid, any->inputcollid);
}

/* Returns the cost of a search for the first condition on sets; the others are filters. */
static Cost
search_cost(PlannerInfo *root, const IndexPath *path, const IndexClause *first,
			const IndexFigures *figures)
{
	const OpExpr *clause = operator_clause(linitial_node(RestrictInfo, first->indexquals)->clause);
	Oid opfamily = path->indexinfo->opfamily[first->indexcol];
	SearchEstimate search = KindOfIndexClass(opfamily)->search(root, clause, opfamily);

	return cpu_operator_cost *
		   (SEARCH + search.tokens * figures->segments * LOOKUP +
			search.lists * figures->list_lengths * POSTING +
			figures->records * search.operators_per_record + figures->pending * RECORD);
}

/* Returns the cost of a search for the nearest rows before the first one. */
static Cost
nearest_cost(const IndexFigures *figures)
{
	return cpu_operator_cost *
		   (SEARCH + figures->postings * NEAREST_POSTING + figures->pending * RECORD);
}

/* Returns the cost of the condition's operator, by which the executor tests each row again. */
static Cost
recheck_cost(PlannerInfo *root, const IndexClause *first)
{
	const OpExpr *clause = operator_clause(linitial_node(RestrictInfo, first->indexquals)->clause);
	QualCost cost = {0};

	add_function_cost(root, get_opcode(clause->opno), NULL, &cost);
	return cost.per_tuple;
}

void
IndexCostEstimate(struct PlannerInfo *root, struct IndexPath *path, double loop_count,
				  Cost *startup, Cost *total, Selectivity *selectivity, double *correlation,
				  double *pages)
{
	IndexFigures figures = read_figures(path->indexinfo);
	GenericCosts costs = {0};

	int scope_columns = path->indexinfo->nkeycolumns - 1;
	const IndexClause *condition = first_condition(path, scope_columns);
	double scans;
	double rows;
	bool is_usable = path->path.pathtype != T_IndexOnlyScan;

	genericcostestimate(root, path, loop_count, &costs);
	scans = Max(costs.num_sa_scans, 1);
	if (!reduce_to_scope(root, path, scans, &figures))
		is_usable = false;
	if (condition != NULL)
		*startup = search_cost(root, path, condition, &figures) * scans;
	else if (path->indexorderbys != NIL || scope_columns == 0)
		*startup = nearest_cost(&figures) * scans;
	else
		*startup = scope_cost(&figures, &costs) * scans;
	*selectivity = costs.indexSelectivity;
	rows = *selectivity * path->indexinfo->tuples;
	*total = *startup + rows * cpu_index_tuple_cost;
	/* With a condition, all rows are found before the first, and ordering them is little. */
	if (condition != NULL)
		*total += rows * recheck_cost(root, condition);
	else if (path->indexorderbys != NIL)
		*total += rows * NEAREST_ROW * cpu_operator_cost;
	*correlation = 0;
	*pages = costs.numIndexPages;
	/*
	 * There are no index-only scans: a scan holds no pins on what it has read, so that VACUUM may
	 * remove a row that it has yet to return, and only a visit to the table tells. Without all scope
	 * columns a scan would return all rows.
	 */
	if (!is_usable)
	{
		*startup = *total = UNUSABLE;
		nd_disable_path(&path->path);
	}
}
