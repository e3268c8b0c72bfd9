/*
 * shared_rows.c
 *		Whether an index's order is of use for a query that goes on by another column.
 *
 * The planner takes it that an order by a measure has hardly any ties. But rows without a common token
 * are tied, and they may be nearly all. How many rows have one, the index itself says, by the lengths of
 * the lists of the value's tokens.
 */
#include "postgres.h"

#include "access/genam.h"
#include "nodes/primnodes.h"
#include "utils/lsyscache.h"

#include "index/meta.h"
#include "index/ranked_tokens.h"
#include "index/shared_rows.h"

/* Returns the value by which an index orders rows, as a scan gets it; false if it is not known. */
static bool
key_of_order(const IndexPath *path, ScanKeyData *key)
{
	const IndexOptInfo *info = path->indexinfo;
	const OpExpr *order = linitial(path->indexorderbys);
	const Const *value = lsecond(order->args);
	int strategy;
	Oid left;
	Oid right;

	if (!IsA(value, Const) || value->constisnull)
		return false;
	get_op_opfamily_properties(order->opno, info->opfamily[0], true, &strategy, &left, &right);
	memset(key, 0, sizeof(*key));
	key->sk_attno = 1;
	key->sk_strategy = (StrategyNumber) strategy;
	key->sk_argument = value->constvalue;
	return true;
}

/* Returns no fewer rows than share a token with a value: the postings of its tokens, and pending rows. */
static double
shared_rows(Oid oid, ScanKeyData *key)
{
	Relation index = index_open(oid, NoLock);
	double rows = 0;
	IndexView *view = palloc(sizeof(IndexView));
	SetQuery query;

	IndexViewOpen(view, index, NULL);
	SetQueryInit(&query, index, key, NULL, view->signature_words);
	for (uint32 i = 0; i < view->segment_count; i++)
	{
		RankedToken *tokens = RankTokens(&view->store, &view->segments[i], &query);

		rows += (double) RankedPostings(tokens, query.size);
		pfree(tokens);
	}
	for (int i = 0; i < 2; i++)
		rows += (double) view->streams[i].row_count;
	IndexViewClose(view);
	pfree(view);
	index_close(index, NoLock);
	return rows;
}

bool
IndexSharesTooFewRows(const PlannerInfo *root, const IndexPath *path)
{
	const RelOptInfo *relation = path->path.parent;
	ScanKeyData key;

	/* In a scope, the rows are those of the scope. */
	if (root->limit_tuples <= 0 || path->indexinfo->hypothetical ||
		path->indexinfo->nkeycolumns > 1 || path->indexclauses != NIL || !key_of_order(path, &key))
		return false;
	return shared_rows(path->indexinfo->indexoid, &key) * relation->rows <
		   root->limit_tuples * Max(relation->tuples, 1);
}
