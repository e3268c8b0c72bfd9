/*
 * pair_scan.c
 *		The executor's side of the Similarity Function Scan (pair_scan.h).
 *
 * Like a function scan, it calls the function at the first row and stores all rows for rescans.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif
#include "executor/executor.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "pgstat.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/ruleutils.h"

#include "character_ranges.h"
#include "join/call/pair_rows.h"
#include "join/node/pair_scan.h"

typedef struct PairScan
{
	CustomScanState css; /* must be first */
	SetExprState *call;
	Bitmapset *parameters; /* parameters that the arguments have */
	bool has_subplans;	   /* whether the arguments have subplans, with any parameters */
	int width;			   /* number of columns of the scan tuple */
	PairColumn columns[PAIR_MOST_COLUMNS];
	bool are_ranges[PAIR_MOST_COLUMNS];
	CharacterRangeDatum ranges[PAIR_MOST_COLUMNS]; /* ranges of the present row */
	MemoryContext context;						   /* holds the rows; NULL before the call */
	PairRows *rows;
	uint64 row; /* number of the row, from 1; 0 before the first */
	int64 file_bytes;
} PairScan;

static void
find_columns(PairScan *node, const CustomScan *scan)
{
	ListCell *cell;

	foreach(cell, scan->custom_scan_tlist)
	{
		const Var *column = castNode(Var, lfirst_node(TargetEntry, cell)->expr);

		node->columns[node->width] = (PairColumn){.number = column->varattno - 1,
												  .by_reference = !get_typbyval(column->vartype)};
		node->are_ranges[node->width++] = column->vartype == INT4RANGEOID;
	}
}

/* Also checks the right to call the function. */
static void
begin_scan(CustomScanState *css, EState *estate, int eflags)
{
	PairScan *node = (PairScan *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	Expr *call = linitial(scan->custom_exprs);

	node->call = ExecInitTableFunctionResult(call, css->ss.ps.ps_ExprContext, &css->ss.ps);
	node->parameters = pull_paramids(call);
	node->has_subplans = contain_subplans((Node *) call);
	find_columns(node, scan);
}

/* False if one is NULL and the function is strict. */
static bool
evaluate_arguments(PairScan *node)
{
	FunctionCallInfo fcinfo = node->call->fcinfo;
	bool are_complete = true;
	ListCell *cell;

	foreach(cell, node->call->args)
	{
		NullableDatum *argument = &fcinfo->args[foreach_current_index(cell)];

		argument->value =
			ExecEvalExpr(lfirst(cell), node->css.ss.ps.ps_ExprContext, &argument->isnull);
		are_complete &= !argument->isnull;
	}
	return are_complete || !node->call->func.fn_strict;
}

static void
call_function(PairScan *node)
{
	EState *estate = node->css.ss.ps.state;
	FunctionCallInfo fcinfo = node->call->fcinfo;
	MemoryContext call_context;
	MemoryContext previous;

	node->context =
		AllocSetContextCreate(estate->es_query_cxt, "neardup pairs", ALLOCSET_DEFAULT_SIZES);
	node->rows = PairRowsCreate(node->context, node->columns, node->width);
	call_context =
		AllocSetContextCreate(estate->es_query_cxt, "neardup call", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(call_context);
	if (evaluate_arguments(node))
	{
		PgStat_FunctionCallUsage usage;

		pgstat_init_function_usage(fcinfo, &usage);
		fcinfo->isnull = false;
		fcinfo->resultinfo = (Node *) node->rows;
		(void) FunctionCallInvoke(fcinfo);
		fcinfo->resultinfo = NULL;
		pgstat_end_function_usage(&usage, true);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(call_context);
	node->row = 0;
}

static bool
step(PairScan *node)
{
	if (ScanDirectionIsBackward(node->css.ss.ps.state->es_direction))
	{
		node->row -= node->row > 0;
		return node->row > 0;
	}
	node->row += node->row <= node->rows->count;
	return node->row <= node->rows->count;
}

static TupleTableSlot *
next_pair(ScanState *ss)
{
	PairScan *node = (PairScan *) ss;
	TupleTableSlot *slot = ss->ss_ScanTupleSlot;
	const int64 *row;

	if (node->context == NULL)
		call_function(node);
	ExecClearTuple(slot);
	if (!step(node))
		return slot;
	row = PairRowsAt(node->rows, node->row - 1);
	for (int i = 0; i < node->width; i++)
	{
		slot->tts_values[i] = node->are_ranges[i] ? CharacterRangeUnpack(&node->ranges[i], row[i])
												  : PairColumnDatum(&node->columns[i], &row[i]);
		slot->tts_isnull[i] = false;
	}
	return ExecStoreVirtualTuple(slot);
}

/* EvalPlanQual calls this in place of next_pair, as the node has no scanrelid. */
static bool
recheck_pair(ScanState *ss, TupleTableSlot *slot)
{
	return !TupIsNull(next_pair(ss));
}

/* Most scans neither filter nor project; ExecScan would check for each row. */
static TupleTableSlot *
next_row(CustomScanState *css)
{
	PlanState *ps = &css->ss.ps;

	if (ps->qual == NULL && ps->ps_ProjInfo == NULL && ps->state->es_epq_active == NULL)
		return next_pair(&css->ss);
	return ExecScan(&css->ss, next_pair, recheck_pair);
}

static void
forget_rows(PairScan *node)
{
	if (node->context == NULL)
		return;
	node->file_bytes += node->rows->records.file_bytes;
	RecordFileClear(&node->rows->records);
	MemoryContextDelete(node->context);
	node->context = NULL;
	node->rows = NULL;
}

static void
rescan(CustomScanState *css)
{
	PairScan *node = (PairScan *) css;
	const Bitmapset *changed = css->ss.ps.chgParam;

	ExecScanReScan(&css->ss);
	if (bms_overlap(changed, node->parameters) || (node->has_subplans && changed != NULL))
		forget_rows(node);
	node->row = 0;
}

static void
end_scan(CustomScanState *css)
{
	ExecClearTuple(css->ss.ss_ScanTupleSlot);
	forget_rows((PairScan *) css);
}

/* As EXPLAIN shows a function scan; the function may have been dropped. */
static void
show_function(const CustomScan *scan, Oid function, ExplainState *es)
{
	int relation = bms_singleton_member(scan->custom_relids);
	const char *alias = list_nth(es->rtable_names, relation - 1);
	const char *name = get_func_name(function);
	const char *schema = NULL;
	StringInfoData text;

	if (name == NULL)
		return;
	if (es->verbose)
		schema = get_namespace_name_or_temp(get_func_namespace(function));
	if (es->format != EXPLAIN_FORMAT_TEXT)
	{
		ExplainPropertyText("Function Name", name, es);
		if (schema != NULL)
			ExplainPropertyText("Schema", schema, es);
		ExplainPropertyText("Alias", alias, es);
		return;
	}
	initStringInfo(&text);
	appendStringInfoString(&text, quote_qualified_identifier(schema, name));
	if (strcmp(alias, name) != 0)
		appendStringInfo(&text, " %s", quote_identifier(alias));
	ExplainPropertyText("Function", text.data, es);
	pfree(text.data);
}

static void
explain_scan(CustomScanState *css, List *ancestors, ExplainState *es)
{
	PairScan *node = (PairScan *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	FuncExpr *call = linitial(scan->custom_exprs);
	int64 file_bytes = node->file_bytes;

	show_function(scan, call->funcid, es);
	if (es->verbose)
	{
		List *context = set_deparse_context_plan(es->deparse_cxt, css->ss.ps.plan, ancestors);

		ExplainPropertyText("Function Call",
							deparse_expression((Node *) call, context, true, false), es);
	}
	if (!es->analyze)
		return;
	if (node->rows != NULL)
		file_bytes += node->rows->records.file_bytes;
	ExplainPropertyInteger("Temp Files", "kB", file_bytes / 1024, es);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "Similarity Function Scan",
	.BeginCustomScan = begin_scan,
	.ExecCustomScan = next_row,
	.EndCustomScan = end_scan,
	.ReScanCustomScan = rescan,
	.ExplainCustomScan = explain_scan,
};

static Node *
create_state(CustomScan *scan)
{
	PairScan *node = (PairScan *) newNode(sizeof(PairScan), T_CustomScanState);

	node->css.methods = &exec_methods;
	return (Node *) node;
}

const CustomScanMethods pair_scan_methods = {"Similarity Function Scan", create_state};

void
PairScanInit(void)
{
	RegisterCustomScanMethods(&pair_scan_methods);
}
