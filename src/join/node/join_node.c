/*
 * join_node.c
 *		The callbacks of the executor's node of a planned join.
 *
 * join_run.c finds the rows of the join and puts them into the scan tuple. Here they are filtered
 * by the conditions on the join's result, and projected. In a parallel plan each process runs a
 * join of its own, of its part of the outer input with all of the inner one; processes share only
 * the figures for EXPLAIN.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/sysattr.h"
#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "join/node/join_node.h"
#include "join/node/join_run.h"

/*
 * Returns the columns of the scan tuple, from 0, that are needed once the rows have been read: to
 * filter pairs or to be returned. Only these are stored.
 */
static Bitmapset *
needed_columns(const JoinNode *node, const CustomScan *scan)
{
	Bitmapset *attributes = NULL;
	Bitmapset *columns = NULL;
	int attribute = -1;

	pull_varattnos((Node *) scan->scan.plan.targetlist, INDEX_VAR, &attributes);
	pull_varattnos((Node *) node->plan.equalities, INDEX_VAR, &attributes);
	pull_varattnos((Node *) node->plan.filters, INDEX_VAR, &attributes);
	pull_varattnos((Node *) node->plan.after, INDEX_VAR, &attributes);
	while ((attribute = bms_next_member(attributes, attribute)) >= 0)
		columns = bms_add_member(columns, attribute + FirstLowInvalidHeapAttributeNumber - 1);
	return columns;
}

static void
begin_input(JoinNode *node, int which, PlanState *state, const Bitmapset *needed)
{
	NodeInput *input = &node->inputs[which];
	TupleDesc columns = ExecGetResultType(state);
	int column = -1;

	input->operand = ExecInitExpr(list_nth(node->plan.operands, which), &node->css.ss.ps);
	input->keys = ExecInitExprList(node->plan.keys[which], &node->css.ss.ps);
	input->first = which == 0 ? 0 : node->plan.outer_columns;
	input->columns = columns->natts;
	while ((column = bms_next_member(needed, column)) >= 0)
	{
		if (column >= input->first && column < input->first + input->columns)
			input->needed = bms_add_member(input->needed, column - input->first);
	}
	input->tuples = StoredTuplesCreate(columns, input->needed);
	input->place =
		TuplePlaceCreate(input->tuples, input->first, input->columns, input->needed, NULL);
	input->hash_functions = palloc(sizeof(FmgrInfo) * (list_length(input->keys) + 1));
	for (int i = 0; i < list_length(input->keys); i++)
		fmgr_info(list_nth_oid(node->plan.hash_functions[which], i), &input->hash_functions[i]);
}

static void
begin_self_join(JoinNode *node, TupleDesc columns)
{
	const NodeInput *outer = &node->inputs[0];
	const NodeInput *inner = &node->inputs[1];
	int *sources = palloc(sizeof(int) * (inner->columns + 1));
	Bitmapset *stored = bms_copy(outer->needed);

	for (int i = 0; i < inner->columns; i++)
	{
		sources[i] = list_nth_int(node->plan.inner_sources, i);
		if (bms_is_member(i, inner->needed))
			stored = bms_add_member(stored, sources[i]);
	}
	node->self_tuples = StoredTuplesCreate(columns, stored);
	node->self_places[0] =
		TuplePlaceCreate(node->self_tuples, outer->first, outer->columns, outer->needed, NULL);
	node->self_places[1] =
		TuplePlaceCreate(node->self_tuples, inner->first, inner->columns, inner->needed, sources);
}

static void
begin_node(CustomScanState *css, EState *estate, int eflags)
{
	JoinNode *node = (JoinNode *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	Bitmapset *needed = needed_columns(node, scan);

	for (int which = 0; which < 2; which++)
	{
		PlanState *state = ExecInitNode(list_nth(scan->custom_plans, which), estate,
										eflags & ~(EXEC_FLAG_BACKWARD | EXEC_FLAG_MARK));

		css->custom_ps = lappend(css->custom_ps, state);
		begin_input(node, which, state, needed);
	}
	if (node->plan.is_self)
		begin_self_join(node, ExecGetResultType(linitial(css->custom_ps)));
	/* The kernel evaluates the driver. This checks the right to call its functions. */
	ExecInitExpr(linitial(node->plan.clause), &css->ss.ps);
	node->threshold = ExecInitExpr(linitial(node->plan.threshold), &css->ss.ps);
	node->filters =
		ExecInitQual(list_concat_copy(node->plan.equalities, node->plan.filters), &css->ss.ps);
	node->after = ExecInitQual(node->plan.after, &css->ss.ps);
	node->collations = palloc(sizeof(Oid) * (list_length(node->plan.collations) + 1));
	for (int i = 0; i < list_length(node->plan.collations); i++)
		node->collations[i] = list_nth_oid(node->plan.collations, i);
}

/*
 * Makes the scan tuple a virtual one, whose values join_run.c sets in place. Without a projection
 * the node above gets the scan tuple itself, and may have materialized or cleared it: then its
 * values are no longer the values of the last rows.
 */
static void
begin_scan_tuple(JoinNode *node)
{
	TupleTableSlot *scan_tuple = node->css.ss.ss_ScanTupleSlot;

	if (!TTS_EMPTY(scan_tuple) && !TTS_SHOULDFREE(scan_tuple))
		return;
	ExecClearTuple(scan_tuple);
	memset(scan_tuple->tts_isnull, true, sizeof(bool) * scan_tuple->tts_tupleDescriptor->natts);
	ExecStoreVirtualTuple(scan_tuple);
	JoinRunForgetRows(node);
}

/* Returns the row of the join that the scan tuple makes, or NULL if it is filtered out. */
static TupleTableSlot *
project(JoinNode *node)
{
	PlanState *ps = &node->css.ss.ps;
	ExprContext *context = ps->ps_ExprContext;

	context->ecxt_scantuple = node->css.ss.ss_ScanTupleSlot;
	if (!ExecQual(node->after, context))
	{
		node->figures.removed++;
		return NULL;
	}
	return ps->ps_ProjInfo != NULL ? ExecProject(ps->ps_ProjInfo) : context->ecxt_scantuple;
}

static TupleTableSlot *
join_next_row(CustomScanState *css)
{
	JoinNode *node = (JoinNode *) css;

	begin_scan_tuple(node);
	for (;;)
	{
		TupleTableSlot *result;

		if (!JoinRunNext(node))
			return NULL;
		ResetExprContext(css->ss.ps.ps_ExprContext);
		result = project(node);
		if (result != NULL)
			return result;
	}
}

static void
rescan_node(CustomScanState *css)
{
	JoinNode *node = (JoinNode *) css;
	ListCell *cell;

	JoinRunEnd(node);
	foreach(cell, css->custom_ps)
	{
		PlanState *state = lfirst(cell);

		if (css->ss.ps.chgParam != NULL)
			UpdateChangedParamSet(state, css->ss.ps.chgParam);
		if (state->chgParam == NULL)
			ExecReScan(state);
	}
}

static void
end_node(CustomScanState *css)
{
	JoinNode *node = (JoinNode *) css;
	ListCell *cell;

	JoinRunEnd(node);
	for (int which = 0; which < 2; which++)
	{
		ExecDropSingleTupleTableSlot(node->inputs[which].place->slot);
		if (node->plan.is_self)
			ExecDropSingleTupleTableSlot(node->self_places[which]->slot);
	}
	foreach(cell, css->custom_ps) ExecEndNode(lfirst(cell));
}

static Size
estimate_shared(CustomScanState *css, ParallelContext *parallel)
{
	return add_size(offsetof(SharedFigures, workers),
					mul_size(sizeof(JoinNodeFigures), parallel->nworkers));
}

static void
begin_shared(CustomScanState *css, ParallelContext *parallel, void *coordinate)
{
	JoinNode *node = (JoinNode *) css;

	memset(coordinate, 0, estimate_shared(css, parallel));
	node->shared = coordinate;
	node->shared->count = parallel->nworkers;
}

static void
begin_worker(CustomScanState *css, shm_toc *toc, void *coordinate)
{
	((JoinNode *) css)->shared = coordinate;
}

static void
join_add_figures(JoinNodeFigures *sum, const JoinNodeFigures *figures)
{
	for (int which = 0; which < 2; which++)
		sum->rows[which] += figures->rows[which];
	JoinCountersAdd(&sum->counters, &figures->counters);
	sum->filtered += figures->filtered;
	sum->removed += figures->removed;
	sum->parts += figures->parts;
	sum->memory_bytes = Max(sum->memory_bytes, figures->memory_bytes);
	sum->temp_bytes += figures->temp_bytes;
	sum->workers += figures->workers;
}

/*
 * A worker adds its figures to the shared memory, and the leader takes them before that is gone.
 * This is called when no more rows are wanted.
 */
static void
shut_down(CustomScanState *css)
{
	JoinNode *node = (JoinNode *) css;

	if (node->shared == NULL)
		return;
	if (IsParallelWorker())
	{
		JoinRunEnd(node);
		node->figures.workers = node->figures.rows[0] > 0;
		if (ParallelWorkerNumber < node->shared->count)
			join_add_figures(&node->shared->workers[ParallelWorkerNumber], &node->figures);
	}
	else
	{
		for (int i = 0; i < node->shared->count; i++)
			join_add_figures(&node->total, &node->shared->workers[i]);
	}
	node->shared = NULL;
}

static void
explain_node(CustomScanState *css, List *ancestors, struct ExplainState *es)
{
	JoinNode *node = (JoinNode *) css;
	JoinNodeFigures own;
	JoinNodeFigures figures = node->total;

	JoinRunFigures(node, &own);
	join_add_figures(&figures, &own);
	JoinNodeExplain(css, ancestors, es, &figures);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "Similarity Join",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = join_next_row,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = begin_shared,
	.InitializeWorkerCustomScan = begin_worker,
	.ShutdownCustomScan = shut_down,
	.ExplainCustomScan = explain_node,
};

static Node *
join_create_state(CustomScan *scan)
{
	JoinNode *node = (JoinNode *) newNode(sizeof(JoinNode), T_CustomScanState);

	node->css.methods = &exec_methods;
	JoinNodePlanFetch(&node->plan, scan);
	return (Node *) node;
}

const CustomScanMethods join_node_methods = {"Similarity Join", join_create_state};

void
JoinNodeInit(void)
{
	RegisterCustomScanMethods(&join_node_methods);
}
