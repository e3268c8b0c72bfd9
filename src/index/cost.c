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
#include "index/shared_rows.h"
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
 * Appends the conditions on the scope columns. Returns false if one of these columns has none.
 */
static bool
conditions_of_scope(const IndexPath *path, List **conditions)
{
	int scope_columns = path->indexinfo->nkeycolumns - 1;
	int next = 0; /* column without a condition so far; conditions ascend by column */
	ListCell *cell;

	foreach(cell, path->indexclauses)
	{
		IndexClause *clause = lfirst_node(IndexClause, cell);

		if (clause->indexcol == scope_columns)
			break;
		if (clause->indexcol > next)
			return false;
		next = clause->indexcol + 1;
		*conditions = list_concat(*conditions, clause->indexquals);
	}
	return next == scope_columns;
}

/* Returns the fraction of rows that satisfy conditions on columns of the index. */
static double
share_of_conditions(PlannerInfo *root, const IndexPath *path, List *conditions)
{
	return clauselist_selectivity(root, conditions, (int) path->indexinfo->rel->relid, JOIN_INNER,
								  NULL);
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

/*
 * Returns the estimate of a search for the first condition on sets; the others are filters. What one
 * element of an array finds is not what all of them do. Of a condition that was made for the index, the
 * planner would call the operator for each value in the column's statistics: it keeps this share instead.
 */
static SearchEstimate
search_for(PlannerInfo *root, const IndexPath *path, const IndexClause *first)
{
	RestrictInfo *condition = linitial_node(RestrictInfo, first->indexquals);
	const OpExpr *clause = operator_clause(condition->clause);
	Oid opfamily = path->indexinfo->opfamily[first->indexcol];
	SearchEstimate search = KindOfIndexClass(opfamily)->search(root, clause, opfamily);

	if (&clause->xpr != condition->clause)
		search.share = 0;
	if (search.share > 0 && condition != first->rinfo)
		condition->norm_selec = Min(search.share, 1);
	return search;
}

static Cost
search_cost(const SearchEstimate *search, const IndexFigures *figures)
{
	return cpu_operator_cost *
		   (SEARCH + search->tokens * figures->segments * LOOKUP +
			search->lists * figures->list_lengths * POSTING +
			figures->records * search->operators_per_record + figures->pending * RECORD);
}

/* Returns the cost of a search for the nearest rows before the first one. */
static Cost
nearest_cost(const IndexFigures *figures)
{
	return cpu_operator_cost *
		   (SEARCH + figures->postings * NEAREST_POSTING + figures->pending * RECORD);
}

/*
 * Returns the cost of the condition, as it stands in the query, by which the executor tests each row
 * again. A hint costs what its comparison costs more than the planner knows.
 */
static Cost
recheck_cost(PlannerInfo *root, const IndexClause *first)
{
	QualCost cost;

	cost_qual_eval_node(&cost, (Node *) first->rinfo, root);
	return cost.per_tuple;
}

void
IndexCostEstimate(struct PlannerInfo *root, struct IndexPath *path, double loop_count,
				  Cost *startup, Cost *total, Selectivity *selectivity, double *correlation,
				  double *pages)
{
	IndexFigures figures = read_figures(path->indexinfo);
	GenericCosts costs = {0};
	SearchEstimate search = {0};
	List *conditions = NIL;

	int scope_columns = path->indexinfo->nkeycolumns - 1;
	const IndexClause *condition = first_condition(path, scope_columns);
	double scans;
	double scope;
	double rows;
	bool is_usable =
		conditions_of_scope(path, &conditions) && path->path.pathtype != T_IndexOnlyScan;

	if (condition != NULL)
		search = search_for(root, path, condition);
	genericcostestimate(root, path, loop_count, &costs);
	scans = Max(costs.num_sa_scans, 1);
	scope = share_of_conditions(root, path, conditions);
	figures.records *= scope / scans;
	figures.postings *= scope / scans;
	if (condition != NULL)
		*startup = search_cost(&search, &figures) * scans;
	else if (path->indexorderbys != NIL || scope_columns == 0)
		*startup = nearest_cost(&figures) * scans;
	else
		*startup = scope_cost(&figures, &costs) * scans;
	/* The rows that the search finds; those that other conditions leave are as many as the planner says. */
	if (condition != NULL && search.share == 0)
		conditions = list_concat(conditions, condition->indexquals);
	*selectivity =
		share_of_conditions(root, path, add_predicate_to_index_quals(path->indexinfo, conditions));
	if (search.share > 0)
		*selectivity *= search.share;
	rows = *selectivity * path->indexinfo->tuples;
	*total = *startup + rows * cpu_index_tuple_cost;
	/* With a condition, all rows are found before the first, and ordering them is little. */
	if (condition != NULL)
		*total += rows * recheck_cost(root, condition);
	else if (path->indexorderbys != NIL)
		*total += rows * NEAREST_ROW * cpu_operator_cost;
	if (path->indexorderbys != NIL &&
		list_length(root->query_pathkeys) > list_length(path->indexorderbys) &&
		IndexSharesTooFewRows(root, path))
		*startup = *total;
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
