/*
 * join_node.c
 *		The executor's node of the planned join.
 *
 * Here the node begins and ends, returns what its scan finds (join_run.c), and
 * gathers the figures of parallel workers.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/sysattr.h"
#include "executor/executor.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

#include "join/join_run.h"

/*
 * Beginning
 */

static Node *create_state(CustomScan *scan);
static void begin_node(CustomScanState *css, EState *estate, int eflags);
static TupleTableSlot *next_row(CustomScanState *css);
static void end_node(CustomScanState *css);
static void rescan_node(CustomScanState *css);
static Size estimate_shared(CustomScanState *css, ParallelContext *parallel);
static void begin_shared(CustomScanState *css, ParallelContext *parallel, void *coordinate);
static void begin_shared_again(CustomScanState *css, ParallelContext *parallel, void *coordinate);
static void begin_worker(CustomScanState *css, shm_toc *toc, void *coordinate);
static void shut_down(CustomScanState *css);
static void explain_node(CustomScanState *css, List *ancestors, struct ExplainState *es);

const CustomScanMethods join_node_methods = {"Similarity Join", create_state};

static const CustomExecMethods exec_methods = {
	.CustomName = "Similarity Join",
	.BeginCustomScan = begin_node,
	.ExecCustomScan = next_row,
	.EndCustomScan = end_node,
	.ReScanCustomScan = rescan_node,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = begin_shared,
	.ReInitializeDSMCustomScan = begin_shared_again,
	.InitializeWorkerCustomScan = begin_worker,
	.ShutdownCustomScan = shut_down,
	.ExplainCustomScan = explain_node,
};

void
JoinNodeInit(void)
{
	RegisterCustomScanMethods(&join_node_methods);
	JoinPathInit();
}

static Node *
create_state(CustomScan *scan)
{
	JoinNode *node = (JoinNode *) newNode(sizeof(JoinNode), T_CustomScanState);

	node->css.methods = &exec_methods;
	JoinNodePlanFetch(&node->plan, scan);
	return (Node *) node;
}

/* The columns of the scan tuple, from 0, that are returned or filtered by. */
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
	input->rows = KeptRowsCreate(columns, input->needed);
	input->place = KeptPlaceCreate(input->rows, input->first, input->columns, input->needed, NULL);
	input->hash_functions = palloc(sizeof(FmgrInfo) * (list_length(input->keys) + 1));
	for (int i = 0; i < list_length(input->keys); i++)
		fmgr_info(list_nth_oid(node->plan.hash_functions[which], i), &input->hash_functions[i]);
}

/* The outer input's rows also as those of the inner one. */
static void
begin_self_join(JoinNode *node, TupleDesc columns)
{
	const NodeInput *outer = &node->inputs[0];
	const NodeInput *inner = &node->inputs[1];
	int *sources = palloc(sizeof(int) * (inner->columns + 1));
	Bitmapset *kept = bms_copy(outer->needed);

	for (int i = 0; i < inner->columns; i++)
	{
		sources[i] = list_nth_int(node->plan.inner_sources, i);
		if (bms_is_member(i, inner->needed))
			kept = bms_add_member(kept, sources[i]);
	}
	node->self_rows = KeptRowsCreate(columns, kept);
	node->self_places[0] =
		KeptPlaceCreate(node->self_rows, outer->first, outer->columns, outer->needed, NULL);
	node->self_places[1] =
		KeptPlaceCreate(node->self_rows, inner->first, inner->columns, inner->needed, sources);
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
	/* The kernel does what the clause says; the right to call its functions is checked here. */
	ExecInitExpr(linitial(node->plan.clause), &css->ss.ps);
	if (node->plan.threshold != NIL)
		node->threshold = ExecInitExpr(linitial(node->plan.threshold), &css->ss.ps);
	node->filters =
		ExecInitQual(list_concat_copy(node->plan.equalities, node->plan.filters), &css->ss.ps);
	node->after = ExecInitQual(node->plan.after, &css->ss.ps);
	node->collations = palloc(sizeof(Oid) * (list_length(node->plan.collations) + 1));
	for (int i = 0; i < list_length(node->plan.collations); i++)
		node->collations[i] = list_nth_oid(node->plan.collations, i);
}

/*
 * The scan tuple
 */

/* A tuple that was returned as it stands may have been made to own its values. */
static void
begin_scan_tuple(JoinNode *node)
{
	TupleTableSlot *wide = node->css.ss.ss_ScanTupleSlot;

	if (!TTS_EMPTY(wide) && !TTS_SHOULDFREE(wide))
		return;
	ExecClearTuple(wide);
	memset(wide->tts_isnull, true, sizeof(bool) * wide->tts_tupleDescriptor->natts);
	ExecStoreVirtualTuple(wide);
	JoinRunForgetRows(node);
}

/* What the node returns for the scan tuple; NULL where it is filtered out after the join. */
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
next_row(CustomScanState *css)
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

/*
 * Ending
 */

static void
rescan_node(CustomScanState *css)
{
	JoinNode *node = (JoinNode *) css;
	ListCell *cell;

	JoinRunEnd(node);
	foreach (cell, css->custom_ps)
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
	foreach (cell, css->custom_ps)
		ExecEndNode(lfirst(cell));
}

/*
 * Figures of workers
 *
 * Each process of a parallel plan does a join of its own: its part of the
 * outer input with all of the inner one. Only the figures are shared.
 */

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
begin_shared_again(CustomScanState *css, ParallelContext *parallel, void *coordinate)
{
}

static void
begin_worker(CustomScanState *css, shm_toc *toc, void *coordinate)
{
	((JoinNode *) css)->shared = coordinate;
}

static void
add_figures(JoinNodeFigures *sum, const JoinNodeFigures *figures)
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

/* A worker leaves its figures; the leader, when workers are done, takes them before they are gone. */
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
			add_figures(&node->shared->workers[ParallelWorkerNumber], &node->figures);
	}
	else
	{
		for (int i = 0; i < node->shared->count; i++)
			add_figures(&node->total, &node->shared->workers[i]);
	}
	node->shared = NULL;
}

static void
explain_node(CustomScanState *css, List *ancestors, struct ExplainState *es)
{
	JoinNode *node = (JoinNode *) css;
	JoinNodeFigures figures = node->total;

	if (node->context != NULL)
		JoinRunNoteMemory(node);
	add_figures(&figures, &node->figures);
	figures.temp_bytes += node->context != NULL ? node->pairs.file_bytes : 0;
	JoinNodeExplain(css, ancestors, es, &figures);
}
