/*
 * join_node.c
 *		The executor's node of the planned join.
 *
 * Both inputs are read first, as by a hash join: of each row the set goes to
 * the kernel, and what the node needs of the row is kept as its key (kept_rows.h).
 * So the loader, its limit of memory and its files are those of the functions.
 * Then the kernel's units of work are done one by one; what a unit finds
 * waits in a buffer for the executor to ask for it. So rows come while the join
 * goes on, and a LIMIT ends it.
 *
 * Equality clauses partition the join by the tokens: each token is combined
 * by XOR with a hash of the row's keys. Within a group that is one to one, so that
 * overlaps are what they were; rows of different groups have no token in common
 * but by accident. Such pairs, and those that need no common token, are removed
 * by the equality clauses themselves, which are among the filters. Lists become as
 * short as if each group were joined by itself, and the kernel, which knows
 * nothing of groups, orders each group's tokens by their frequency there.
 *
 * The filters are applied to each pair that the kernel finds, at once, so
 * that only what is returned waits in the buffer; of a semijoin and an antijoin,
 * pairs whose outer row is settled are not looked at.
 *
 * A self-join reads its input once. The kernel then finds each pair of rows once,
 * and it is tried both ways; a row with itself is a pair too. Where a concurrent
 * change is rechecked (EvalPlanQual), the two inputs are single rows, and
 * different ones: then both are read, as in any other join.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "access/sysattr.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/memutils.h"

#include "join/call.h"
#include "join/join_node.h"
#include "join/kept_rows.h"
#include "join/kernel/step.h"
#include "join/pair_buffer.h"
#include "join/parts.h"
#include "join/progress.h"
#include "measure/threshold.h"
#include "neardup.h"
#include "tokenset/tokenset.h"

/* Records in a unit that looks for pairs outside of lists: few, since equal ones may be many. */
#define RECORDS_PER_UNIT 1024

/* Units, where each goes over all small records (size_join.h). */
#define FREE_UNITS 16

typedef enum NodePhase
{
	NODE_BEGINS,
	NODE_LOADS_LEFT, /* of the kernel */
	NODE_LOADS_RIGHT,
	NODE_JOINS,
	NODE_RETURNS_UNMATCHED,
	NODE_IS_DONE
} NodePhase;

/* The outer or the inner input. */
typedef struct NodeInput
{
	ExprState *set;
	List *keys; /* of ExprState */
	FmgrInfo *hash_functions;
	int first; /* of its columns in the scan tuple */
	int columns;
	Bitmapset *needed; /* columns, from 0 */
	KeptRows *rows;
	KeptPlace *place;
} NodeInput;

/* Figures by worker; each writes its own when it is done. */
typedef struct SharedFigures
{
	int count;
	JoinNodeFigures workers[FLEXIBLE_ARRAY_MEMBER];
} SharedFigures;

typedef struct JoinNode
{
	CustomScanState css; /* must be first */
	JoinNodePlan plan;
	NodeInput inputs[2]; /* outer and inner */
	ExprState *threshold;
	ExprState *filters;
	ExprState *after;
	Oid *collations;
	KeptRows *self_rows; /* in a self-join: what is kept for both inputs */
	KeptPlace *self_places[2];

	/* The run. */
	MemoryContext context; /* NULL if there is none */
	NodePhase phase;
	bool is_self; /* one input is read */
	bool is_null; /* the threshold, so that nothing is similar */
	int left;	  /* the input that is the kernel's left side */
	Predicate predicate;
	JoinProcess process;
	Size limit;
	JoinInput input;
	MemoryContext row_context;
	Token *tokens; /* of the present row, combined with its group */
	Size token_capacity;
	uint64 row_count;
	uint64 pair_count;

	/* The part that is joined. */
	JoinParts parts; /* if rows were spilled */
	bool has_part;
	bool is_joined; /* the input, if it is in memory */
	JoinInput *part;
	uint64 left_first; /* numbers of the part's first rows on each side */
	uint64 right_first;
	JoinEngine engine;
	JoinWorker worker;
	uint32 unit;
	uint32 unit_count;
	PairBuffer pairs;

	/* By number of the outer row, whether it has a partner; NULL in an inner join. */
	uint64 *matched;
	uint64 outer_count;
	uint64 outer_next; /* to be returned if it has none */

	JoinNodeFigures figures; /* of this process */
	SharedFigures *shared;	 /* in a parallel plan, while it runs */
	JoinNodeFigures total;	 /* what workers left, when it has run */
} JoinNode;

/*
 * The plan as a CustomScan
 */

void
JoinNodePlanStore(const JoinNodePlan *plan, CustomScan *scan)
{
	List *numbers = list_make5_int(plan->type, plan->measure, plan->outer_is_y, plan->is_self,
								   plan->skips_itself);

	scan->custom_exprs =
		list_make5(plan->clause, plan->sets, plan->threshold, plan->equalities, plan->keys[0]);
	scan->custom_exprs = lappend(scan->custom_exprs, plan->keys[1]);
	scan->custom_exprs = lappend(scan->custom_exprs, plan->filters);
	scan->custom_exprs = lappend(scan->custom_exprs, plan->after);
	scan->custom_private =
		list_make5(lappend_int(numbers, plan->outer_columns), plan->hash_functions[0],
				   plan->hash_functions[1], plan->collations, plan->inner_sources);
}

void
JoinNodePlanFetch(JoinNodePlan *plan, const CustomScan *scan)
{
	List *numbers = linitial(scan->custom_private);

	plan->type = (JoinType) linitial_int(numbers);
	plan->measure = (Measure) lsecond_int(numbers);
	plan->outer_is_y = lthird_int(numbers) != 0;
	plan->is_self = lfourth_int(numbers) != 0;
	plan->skips_itself = list_nth_int(numbers, 4) != 0;
	plan->outer_columns = list_nth_int(numbers, 5);
	plan->hash_functions[0] = lsecond(scan->custom_private);
	plan->hash_functions[1] = lthird(scan->custom_private);
	plan->collations = lfourth(scan->custom_private);
	plan->inner_sources = list_nth(scan->custom_private, 4);
	plan->clause = linitial(scan->custom_exprs);
	plan->sets = lsecond(scan->custom_exprs);
	plan->threshold = lthird(scan->custom_exprs);
	plan->equalities = lfourth(scan->custom_exprs);
	plan->keys[0] = list_nth(scan->custom_exprs, 4);
	plan->keys[1] = list_nth(scan->custom_exprs, 5);
	plan->filters = list_nth(scan->custom_exprs, 6);
	plan->after = list_nth(scan->custom_exprs, 7);
}

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

static bool
keeps_unmatched(const JoinNode *node)
{
	return node->plan.type == JOIN_LEFT || node->plan.type == JOIN_ANTI;
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

	input->set = ExecInitExpr(list_nth(node->plan.sets, which), &node->css.ss.ps);
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

static void
forget_rows(JoinNode *node)
{
	for (int which = 0; which < 2; which++)
	{
		KeptPlaceForget(node->inputs[which].place);
		if (node->plan.is_self)
			KeptPlaceForget(node->self_places[which]);
	}
}

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
	forget_rows(node);
}

static KeptPlace *
place_of(const JoinNode *node, int which)
{
	return node->is_self ? node->self_places[which] : node->inputs[which].place;
}

static void
put_row(JoinNode *node, int which, Datum row)
{
	KeptRowPut(place_of(node, which), row, node->css.ss.ss_ScanTupleSlot);
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

/*
 * Loading
 */

static void
evaluate_threshold(JoinNode *node)
{
	double threshold = neardup_similarity_threshold;

	node->is_null = false;
	if (node->threshold != NULL)
	{
		Oid type = exprType(linitial(node->plan.threshold));
		Datum value = ExecEvalExprSwitchContext(node->threshold, node->css.ss.ps.ps_ExprContext,
												&node->is_null);

		if (node->is_null)
			return;
		threshold = type == INT4OID ? DatumGetInt32(value) : DatumGetFloat8(value);
	}
	node->predicate = PredicateOrError(node->plan.measure, threshold);
}

static void
begin_run(JoinNode *node)
{
	EState *estate = node->css.ss.ps.state;
	JoinLoad load;

	node->context =
		AllocSetContextCreate(estate->es_query_cxt, "neardup join", ALLOCSET_DEFAULT_SIZES);
	node->row_context = AllocSetContextCreate(node->context, "neardup row", ALLOCSET_DEFAULT_SIZES);
	evaluate_threshold(node);
	node->is_self = node->plan.is_self && estate->es_epq_active == NULL;
	node->left = MeasureIsAsymmetric(node->plan.measure) && node->plan.outer_is_y && !node->is_self;
	node->limit = get_hash_memory_limit() / 8 * 7;
	node->row_count = node->pair_count = 0;
	node->tokens = NULL;
	node->token_capacity = 0;
	node->has_part = node->is_joined = false;
	node->matched = NULL;
	node->outer_count = node->outer_next = 0;

	JoinProcessInit(&node->process, node->context);
	JoinInputInit(&node->input, node->context, &node->process.host);
	JoinKeysInit(&node->input.keys, node->input.key_context, BYTEAOID, InvalidOid, false);
	node->input.keys_ready = true;
	JoinLoadInit(&load, node->predicate, JOIN_AUTO, node->limit);
	JoinInputLimit(&node->input, &load);
	PairBufferInit(&node->pairs, node->context);
	if (!IsParallelWorker())
		JoinProgressBegin(node->context, "similarity join", &node->process.host, &node->row_count,
						  &node->pair_count);
	forget_rows(node);
	node->phase = NODE_LOADS_LEFT;
}

/* The columns of an input's row as part of the scan tuple. */
static void
put_input(JoinNode *node, const NodeInput *input, TupleTableSlot *row)
{
	TupleTableSlot *wide = node->css.ss.ss_ScanTupleSlot;

	slot_getallattrs(row);
	memcpy(wide->tts_values + input->first, row->tts_values, sizeof(Datum) * input->columns);
	memcpy(wide->tts_isnull + input->first, row->tts_isnull, sizeof(bool) * input->columns);
}

/* A hash of the row's keys; false where one is NULL, which equals nothing. */
static bool
hash_group(JoinNode *node, const NodeInput *input, uint64 *group)
{
	ListCell *cell;

	*group = 0;
	foreach (cell, input->keys)
	{
		int i = foreach_current_index(cell);
		bool isnull;
		Datum key =
			ExecEvalExpr((ExprState *) lfirst(cell), node->css.ss.ps.ps_ExprContext, &isnull);
		uint32 hash;

		if (isnull)
			return false;
		hash =
			DatumGetUInt32(FunctionCall1Coll(&input->hash_functions[i], node->collations[i], key));
		*group = hash_bytes_uint32_extended(hash, *group);
	}
	return true;
}

/* The tokens of a row of the group. */
static const void *
tokens_of_group(JoinNode *node, const void *tokens, Size count, uint64 group)
{
	JoinHost *host = &node->process.host;

	if (node->plan.equalities == NIL)
		return tokens;
	if (count > node->token_capacity)
	{
		JoinRelease(host, node->tokens, node->token_capacity, sizeof(Token));
		node->token_capacity = Max(count, 256);
		node->tokens = JoinAllocate(host, node->token_capacity, sizeof(Token));
	}
	memcpy(node->tokens, tokens, count * sizeof(Token));
	for (Size i = 0; i < count; i++)
		node->tokens[i] ^= (Token) group;
	return node->tokens;
}

/* Adds the row, which is in the scan tuple as well; false if it cannot have a partner. */
static bool
load_row(JoinNode *node, NodeInput *input, TupleTableSlot *row)
{
	ExprContext *context = node->css.ss.ps.ps_ExprContext;
	const void *tokens;
	Datum set;
	bool isnull;
	Size count;
	uint64 group;

	if (node->is_null)
		return false;
	set = ExecEvalExpr(input->set, context, &isnull);
	if (isnull || !hash_group(node, input, &group))
		return false;
	tokens = TokensetPackedTokens(PG_DETOAST_DATUM_PACKED(set), &count);
	if (count == 0)
		return false;
	JoinInputAppend(&node->input, KeptRowOf(node->is_self ? node->self_rows : input->rows, row),
					tokens_of_group(node, tokens, count, group), count);
	return true;
}

/*
 * Loads rows of the input up to the last, or to one of the outer input that
 * has no partner and is to be returned, which then is in the scan tuple.
 */
static bool
load_until_unmatched(JoinNode *node, int which)
{
	PlanState *state = list_nth(node->css.custom_ps, which);
	NodeInput *input = &node->inputs[which];
	ExprContext *context = node->css.ss.ps.ps_ExprContext;

	context->ecxt_scantuple = node->css.ss.ss_ScanTupleSlot;
	for (;;)
	{
		TupleTableSlot *row = ExecProcNode(state);
		MemoryContext previous;
		bool loaded;

		if (TupIsNull(row))
			return false;
		CHECK_FOR_INTERRUPTS();
		JoinProgressCheck();
		ResetExprContext(context);
		MemoryContextReset(node->row_context);
		put_input(node, input, row);
		previous = MemoryContextSwitchTo(node->row_context);
		loaded = load_row(node, input, row);
		MemoryContextSwitchTo(previous);
		if (loaded)
		{
			node->row_count++;
			node->figures.rows[which]++;
		}
		else if (which == 0 && keeps_unmatched(node))
			return true;
	}
}

/*
 * Joining
 */

/* Notes the most memory that was taken, and what was written. */
static void
note_memory(JoinNode *node)
{
	JoinHost *host = &node->process.host;
	Size keys = Max(JoinInputKeyBytes(&node->input), node->input.spilled_key_bytes);

	if (node->has_part && node->part != &node->input)
		keys = Max(keys, JoinInputKeyBytes(node->part));
	node->figures.memory_bytes =
		Max(node->figures.memory_bytes, host->peak_bytes + keys + JoinInputSortBytes(&node->input));
	host->peak_bytes = host->bytes;
}

static void
finish_loading(JoinNode *node)
{
	JoinInput *input = &node->input;
	bool spilled = JoinInputIsSpilled(input);
	int outer_side = node->left == 0 ? 0 : 1;

	JoinInputFinish(input);
	note_memory(node);
	for (int side = 0; side < 2; side++)
	{
		if (input->spills[side] != NULL)
			node->figures.temp_bytes += JoinSpillBytes(input->spills[side]);
	}
	if (node->plan.type != JOIN_INNER)
	{
		if (spilled)
			node->outer_count = JoinSpillRows(input->spills[outer_side]);
		else if (node->is_self)
			node->outer_count = input->keys.count;
		else if (outer_side == 0)
			node->outer_count = input->records.first_right_row;
		else
			node->outer_count = input->keys.count - input->records.first_right_row;
		node->matched =
			JoinAllocateZero(&node->process.host, node->outer_count / 64 + 1, sizeof(uint64));
	}
	if (spilled)
		JoinPartsBegin(&node->parts, input, node->predicate, JOIN_AUTO, node->context, node->limit);
	node->phase = NODE_JOINS;
}

/* The number of an outer row among all. */
static uint64
outer_number(const JoinNode *node, uint32 row)
{
	const JoinRecords *records = &node->part->records;

	if (records->two_sided && row >= records->first_right_row)
		return node->right_first + row - records->first_right_row;
	return node->left_first + row;
}

static bool
is_matched(const JoinNode *node, uint64 outer)
{
	return (node->matched[outer / 64] >> (outer % 64)) & 1;
}

static bool
passes_filters(JoinNode *node, RowPair pair)
{
	ExprContext *context = node->css.ss.ps.ps_ExprContext;

	if (node->filters == NULL)
		return true;
	put_row(node, 0, node->part->keys.values[pair.outer]);
	put_row(node, 1, node->part->keys.values[pair.inner]);
	context->ecxt_scantuple = node->css.ss.ss_ScanTupleSlot;
	ResetExprContext(context);
	return ExecQual(node->filters, context);
}

/* A pair of similar rows. */
static void
try_pair(JoinNode *node, uint32 outer, uint32 inner)
{
	RowPair pair = {.outer = outer, .inner = inner};
	JoinType type = node->plan.type;
	uint64 number = 0;

	/* The kernel counts pairs as if each took no time; a filter may take some. */
	CHECK_FOR_INTERRUPTS();
	if (node->matched != NULL)
	{
		number = outer_number(node, outer);
		if (type != JOIN_LEFT && is_matched(node, number))
			return;
	}
	if (!passes_filters(node, pair))
	{
		node->figures.filtered++;
		return;
	}
	if (node->matched != NULL)
		node->matched[number / 64] |= UINT64CONST(1) << (number % 64);
	node->pair_count++;
	if (type != JOIN_ANTI)
		PairBufferPut(&node->pairs, pair);
}

static void
take_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	JoinNode *node = context;
	bool asymmetric = MeasureIsAsymmetric(node->predicate.measure);

	if (!node->is_self)
	{
		if (node->left == 0)
			try_pair(node, x->row, y->row);
		else
			try_pair(node, y->row, x->row);
		return;
	}
	if (!asymmetric || !node->plan.outer_is_y)
		try_pair(node, x->row, y->row);
	if (!asymmetric || node->plan.outer_is_y)
		try_pair(node, y->row, x->row);
}

/* In a self-join, each row is similar to itself if its set is large enough. */
static void
try_identities(JoinNode *node, uint32 first, uint32 end)
{
	const JoinRecords *records = &node->part->records;

	for (uint32 i = first; i < end; i++)
	{
		const JoinRecord *record = &records->records[i];

		JoinTick(records->host, 1);
		if (PredicateHolds(node->predicate, record->size, record->size, record->size))
			try_pair(node, record->row, record->row);
	}
}

/* Units for the pairs that are in no list. */
static uint32
record_units(const JoinNode *node)
{
	uint32 units = node->part->records.record_count / RECORDS_PER_UNIT + 1;

	return node->engine.spec.free_limit > 0 ? Min(units, FREE_UNITS) : units;
}

/* Loads and indexes the next part; false if there is none. */
static bool
begin_part(JoinNode *node)
{
	JoinRecords *records;

	if (JoinInputIsSpilled(&node->input))
	{
		if (!JoinPartsNext(&node->parts))
			return false;
		node->part = &node->parts.part;
		node->left_first = node->parts.left_first;
		node->right_first = node->parts.right_first;
	}
	else if (node->is_joined || node->input.records.record_count == 0)
		return false;
	else
	{
		node->is_joined = true;
		node->part = &node->input;
		node->left_first = node->right_first = 0;
	}
	node->figures.parts++;
	node->has_part = true;
	forget_rows(node);
	records = &node->part->records;
	if (!JoinInputIsSpilled(&node->input))
		JoinProgressPhase(PROGRESS_CANONICALIZING, 0);
	JoinKeysTrim(&node->part->keys);
	JoinRecordsCanonicalize(records);
	if (!JoinInputIsSpilled(&node->input))
		JoinProgressPhase(PROGRESS_PROBING, 0);
	JoinEngineIndex(&node->engine, records, node->predicate, JOIN_AUTO);
	JoinEngineBeginProbe(&node->engine);
	node->unit = 0;
	node->unit_count = JoinEngineListUnits(&node->engine) + record_units(node);
	node->worker = (JoinWorker){.records = records,
								.engine = &node->engine,
								.emit = take_pair,
								.emit_context = node,
								.counters = &node->figures.counters};
	return true;
}

static void
end_part(JoinNode *node)
{
	JoinEngineFree(&node->engine);
	note_memory(node);
	node->has_part = false;
}

/* Does a unit of the kernel's work, which may find pairs; false if all are done. */
static bool
do_unit(JoinNode *node)
{
	uint32 records = node->has_part ? node->part->records.record_count : 0;

	if (node->has_part && node->unit > node->unit_count)
		end_part(node);
	if (!node->has_part)
		return begin_part(node);
	if (node->unit < node->unit_count)
	{
		JoinStepUnit(&node->worker, JOIN_FIND_PAIRS, node->unit, node->unit_count);
		if (node->is_self && !node->plan.skips_itself && !node->part->records.two_sided)
			try_identities(node, JoinUnitStart(records, node->unit, node->unit_count),
						   JoinUnitStart(records, node->unit + 1, node->unit_count));
	}
	else
		JoinStepEnd(&node->worker);
	node->unit++;
	return true;
}

/* The next pair as the scan tuple; false after the last. */
static bool
next_pair(JoinNode *node)
{
	RowPair pair;

	while (!PairBufferTake(&node->pairs, &pair))
	{
		CHECK_FOR_INTERRUPTS();
		if (!do_unit(node))
			return false;
	}
	put_row(node, 0, node->part->keys.values[pair.outer]);
	put_row(node, 1, node->part->keys.values[pair.inner]);
	return true;
}

/* The next outer row without a partner as the scan tuple; false after the last. */
static bool
next_unmatched(JoinNode *node)
{
	JoinInput *input = &node->input;
	bool spilled = JoinInputIsSpilled(input);
	JoinSpill *spill = input->spills[node->left == 0 ? 0 : 1];
	uint32 first = node->left == 0 ? 0 : input->records.first_right_row;

	if (spilled && node->outer_next == 0)
		JoinSpillSeek(spill, (SpillMark){0, 0});
	while (node->outer_next < node->outer_count)
	{
		uint64 number = node->outer_next++;
		SpillRow row;

		CHECK_FOR_INTERRUPTS();
		if (spilled && !JoinSpillNext(spill, &row))
			elog(ERROR, "temporary file of a similarity join has too few rows");
		if (is_matched(node, number))
			continue;
		forget_rows(node);
		if (spilled)
		{
			MemoryContext previous = MemoryContextSwitchTo(node->row_context);

			MemoryContextReset(node->row_context);
			put_row(node, 0, PointerGetDatum(PG_DETOAST_DATUM_COPY(row.key)));
			MemoryContextSwitchTo(previous);
		}
		else
			put_row(node, 0, input->keys.values[first + number]);
		return true;
	}
	return false;
}

/* The next row of the join as the scan tuple; false after the last. */
static bool
next_joined(JoinNode *node)
{
	for (;;)
	{
		int right = node->left == 0 ? 1 : 0;

		switch (node->phase)
		{
			case NODE_BEGINS:
				begin_run(node);
				break;
			case NODE_LOADS_LEFT:
				if (load_until_unmatched(node, node->left))
					return true;
				node->phase = NODE_LOADS_RIGHT;
				if (!node->is_self)
					JoinInputBeginRight(&node->input);
				break;
			case NODE_LOADS_RIGHT:
				/* Rows without any on the other side need not be read, unless they are returned. */
				if (!node->is_self &&
					(node->row_count > 0 || (right == 0 && keeps_unmatched(node))) &&
					load_until_unmatched(node, right))
					return true;
				finish_loading(node);
				break;
			case NODE_JOINS:
				if (next_pair(node))
					return true;
				KeptRowPutNull(place_of(node, 1), node->css.ss.ss_ScanTupleSlot);
				node->phase = keeps_unmatched(node) ? NODE_RETURNS_UNMATCHED : NODE_IS_DONE;
				break;
			case NODE_RETURNS_UNMATCHED:
				if (next_unmatched(node))
					return true;
				node->phase = NODE_IS_DONE;
				break;
			case NODE_IS_DONE:
				return false;
		}
	}
}

static TupleTableSlot *
next_row(CustomScanState *css)
{
	JoinNode *node = (JoinNode *) css;

	begin_scan_tuple(node);
	for (;;)
	{
		TupleTableSlot *result;

		if (!next_joined(node))
			return NULL;
		if (node->phase == NODE_LOADS_LEFT || node->phase == NODE_LOADS_RIGHT)
			KeptRowPutNull(place_of(node, 1), css->ss.ss_ScanTupleSlot);
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
end_run(JoinNode *node)
{
	if (node->context == NULL)
		return;
	note_memory(node);
	PairBufferEnd(&node->pairs);
	node->figures.temp_bytes += node->pairs.file_bytes;
	JoinInputFree(&node->input);
	forget_rows(node);
	MemoryContextDelete(node->context);
	node->context = NULL;
	node->has_part = false;
	node->phase = NODE_BEGINS;
}

static void
rescan_node(CustomScanState *css)
{
	JoinNode *node = (JoinNode *) css;
	ListCell *cell;

	end_run(node);
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

	end_run(node);
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
		end_run(node);
		node->figures.workers = node->figures.parts > 0;
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
		note_memory(node);
	add_figures(&figures, &node->figures);
	figures.temp_bytes += node->context != NULL ? node->pairs.file_bytes : 0;
	JoinNodeExplain(css, ancestors, es, &figures);
}
