/*
 * join_run.c
 *		Runs a scan of the join node: reads both inputs and finds the rows of the join.
 *
 * Both inputs are read first, as by a hash join. The kernel gets the set, simhash or text of each
 * row, and the needed columns as its key (stored_tuples.h). Then it works unit by unit, and the
 * executor takes the pairs of a unit from a bag, so that a LIMIT ends the join early. The filters
 * are applied before a pair goes into the bag.
 *
 * Equality clauses partition the join. Each token of a row is combined by XOR with the salt of the
 * row's keys (scope/salt.h); a group is the rows of equal keys. Two rows of a group have the same
 * overlap as before, since equal tokens stay equal and different ones stay different. Rows of
 * different groups have common tokens only by accident. So lists become as short as if each group
 * were joined by itself. The equality clauses, which are also filters, remove the pairs of different
 * groups that are found all the same. Simhashes are combined alike, and simhashes of the same group
 * keep their distance.
 *
 * A left or antijoin returns outer rows without partner. Rows that cannot have one, such as those
 * with a NULL or an empty set, are returned while they are read, and not stored. The others have a
 * bit each that says whether a pair has been found; those without are returned at the end.
 *
 * A self-join reads its input once. The kernel finds each pair of rows once, and it is tried both
 * ways; each row is tried with itself. When EvalPlanQual rechecks a concurrent change, both inputs
 * are single rows, perhaps different ones, and both are read.
 *
 * The kernel's left side is the outer input, except under containment if the predicate's second
 * operand is the outer one.
 *
 * A comparison may be true of all pairs, as jaccard(a, b) >= $1 is if $1 is 0. This is known when the
 * threshold has been evaluated. There is nothing to search then: both inputs are read, the rows of each
 * are put in the order of their groups (grouped_rows.h), and a loop takes each outer row with all inner
 * rows of its group. Rows whose operand is NULL are not similar even so.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/guc.h"
#include "utils/memutils.h"

#include "join/node/join_run.h"
#include "kinds/predicate_clause.h"
#include "progress/progress.h"
#include "scope/salt.h"

/* Share of the join's memory for the pairs in the bag. */
#define PAIRS_PART_OF_MEMORY 16
#define MOST_BYTES_OF_PAIRS ((Size) 1024 * 1024)

void
JoinRunForgetRows(JoinNode *node)
{
	for (int which = 0; which < 2; which++)
	{
		TuplePlaceForget(node->inputs[which].place);
		if (node->plan.is_self)
			TuplePlaceForget(node->self_places[which]);
	}
}

static TuplePlace *
run_place(const JoinNode *node, int which)
{
	return node->is_self ? node->self_places[which] : node->inputs[which].place;
}

/* Puts a stored row of an input into the scan tuple. */
static void
run_put_row(JoinNode *node, int which, Datum row)
{
	StoredTuplePut(run_place(node, which), row, node->css.ss.ss_ScanTupleSlot);
}

static bool
keeps_unmatched(const JoinNode *node)
{
	return node->plan.type == JOIN_LEFT || node->plan.type == JOIN_ANTI;
}

/*
 * Whether empty sets are compared, of which the predicates are false: they have a distance, and by set
 * algebra every set contains them. Then each set gets one more token, the same one for all.
 */
static bool
compares_empty_sets(const JoinNodePlan *plan)
{
	return (plan->rule.source == THRESHOLD_COMPARED && plan->measure == MEASURE_HAMMING) ||
		   (plan->rule.source == THRESHOLD_OF_OPERATOR && plan->measure == MEASURE_CONTAINMENT);
}

/*
 * Evaluates the threshold. Returns which pairs reach it, none if it is NULL, and makes the predicate if
 * only some may.
 */
static ComparisonReach
evaluate_threshold(JoinNode *node, Predicate *predicate)
{
	const Kind *kind = node->plan.kind;
	Oid type = exprType(linitial(node->plan.threshold));
	bool isnull;
	Datum value =
		ExecEvalExprSwitchContext(node->threshold, node->css.ss.ps.ps_ExprContext, &isnull);
	ComparisonReach reach;
	double threshold = 0;

	if (isnull && node->plan.rule.source != THRESHOLD_OF_SETTING)
		return REACHED_BY_NONE;
	reach = PredicateThreshold(kind, node->plan.measure, node->plan.rule, type, value, &threshold);
	if (reach == REACHED_BY_SOME)
		*predicate = kind->rows->predicate(node->plan.measure, threshold);
	return reach;
}

/* Returns the number of an outer row of the present part among all outer rows. */
static uint64
outer_number(const JoinNode *node, uint32 row)
{
	const JoinInput *part = node->join.part;
	uint32 first_right_row = part->records.first_right_row;

	if (JoinInputIsSpilled(&node->join.input))
		return (uint64) part->keys.file_rows[row];
	return part->records.two_sided && row >= first_right_row ? row - first_right_row : row;
}

static bool
is_matched(const JoinNode *node, uint64 outer)
{
	return (node->matched[outer / 64] >> (outer % 64)) & 1;
}

static Size
memory_of_pairs(void)
{
	return Min(get_hash_memory_limit() / PAIRS_PART_OF_MEMORY, MOST_BYTES_OF_PAIRS);
}

/* Has the rows of both inputs kept for the loop over all pairs, each in half of the memory. */
static void
begin_loop(JoinNode *node)
{
	Size kilobytes = get_hash_memory_limit() / 2 / 1024;
	MemoryContext previous = MemoryContextSwitchTo(node->context);

	for (int which = 0; which < 2; which++)
		node->grouped[which] =
			GroupedRowsBegin(node->inputs[which].tuples, (int) Min(kilobytes, MAX_KILOBYTES));
	MemoryContextSwitchTo(previous);
}

/* Has the rows of both inputs kept by the kernel. */
static void
begin_kernel(JoinNode *node, Predicate predicate)
{
	SimilarityJoin *join = &node->join;
	const RowKind *rows = node->plan.kind->rows;
	Oid type = exprType(linitial(node->plan.operands));
	MemoryContext previous;

	node->task = (JoinTask){.name = IsParallelWorker() ? NULL : "similarity join",
							.kind = rows,
							.predicate = predicate,
							.algorithm = rows->algorithm,
							.memory = get_hash_memory_limit(),
							.consumer_bytes = memory_of_pairs()};
	SimilarityJoinBegin(join, &node->task, node->context);
	previous = MemoryContextSwitchTo(join->context);
	RowReadingInit(&node->reading, rows, &join->input, type, type);
	MemoryContextSwitchTo(previous);
	if (compares_empty_sets(&node->plan))
		RowReadingAddToken(&node->reading);
	JoinInputSetKeys(&join->input, BYTEAOID, InvalidOid, false);
	RecordFileInit(&node->pairs, join->context, sizeof(RowPair), memory_of_pairs());
}

static void
begin_run(JoinNode *node)
{
	EState *estate = node->css.ss.ps.state;
	Predicate predicate = {.measure = node->plan.measure};

	node->reach = evaluate_threshold(node, &predicate);
	node->is_self =
		node->plan.is_self && estate->es_epq_active == NULL && node->reach != REACHED_BY_ALL;
	node->is_directed = MeasureIsDirected(predicate.measure);
	node->left = node->is_directed && node->plan.outer_is_y && !node->is_self &&
				 node->reach != REACHED_BY_ALL;
	node->loaded = 0;
	node->has_outer = false;
	node->matched = NULL;
	node->outer_count = node->outer_next = 0;
	node->context =
		AllocSetContextCreate(estate->es_query_cxt, "neardup node", ALLOCSET_SMALL_SIZES);
	node->row_context = AllocSetContextCreate(node->context, "neardup row", ALLOCSET_DEFAULT_SIZES);
	if (node->reach == REACHED_BY_ALL)
		begin_loop(node);
	else
		begin_kernel(node, predicate);
	JoinRunForgetRows(node);
	node->phase = NODE_LOADS_LEFT;
}

static void
put_input(JoinNode *node, const NodeInput *input, TupleTableSlot *row)
{
	TupleTableSlot *scan_tuple = node->css.ss.ss_ScanTupleSlot;

	slot_getallattrs(row);
	memcpy(scan_tuple->tts_values + input->first, row->tts_values, sizeof(Datum) * input->columns);
	memcpy(scan_tuple->tts_isnull + input->first, row->tts_isnull, sizeof(bool) * input->columns);
}

/* Hashes a row's keys; returns false if one is NULL, which equals nothing. */
static bool
hash_group(JoinNode *node, const NodeInput *input, uint64 *group)
{
	ListCell *cell;

	*group = 0;
	foreach(cell, input->keys)
	{
		int i = foreach_current_index(cell);
		bool isnull;
		Datum key =
			ExecEvalExpr((ExprState *) lfirst(cell), node->css.ss.ps.ps_ExprContext, &isnull);

		if (isnull)
			return false;
		*group = ScopeSalt(*group, DatumGetUInt32(FunctionCall1Coll(&input->hash_functions[i],
																	node->collations[i], key)));
	}
	return true;
}

/*
 * Keeps a row of an input, which is in the scan tuple too. Returns false if it cannot have a partner.
 */
static bool
load_row(JoinNode *node, int which, TupleTableSlot *row)
{
	ExprContext *context = node->css.ss.ps.ps_ExprContext;
	NodeInput *input = &node->inputs[which];
	StoredTuples *tuples = node->is_self ? node->self_tuples : input->tuples;
	JoinRow value;
	Datum operand;
	bool isnull;
	uint64 group;

	if (node->reach == REACHED_BY_NONE)
		return false;
	/* The operand of a row without a group is not evaluated, as if equalities filtered the row. */
	if (!hash_group(node, input, &group))
		return false;
	operand = ExecEvalExpr(input->operand, context, &isnull);
	if (isnull)
		return false;
	if (node->reach == REACHED_BY_ALL)
		GroupedRowsPut(node->grouped[which], (int64) group, row);
	else if (node->reading.kind->read(&node->reading, operand, group, &value))
		JoinInputAppend(&node->join.input, StoredTupleForm(tuples, row), &value);
	else
		return false;
	node->loaded++;
	return true;
}

/*
 * Reads an input up to the next outer row that cannot have a partner and that the join returns
 * without one. Puts this row into the scan tuple. Returns false when the input is read.
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
		loaded = load_row(node, which, row);
		MemoryContextSwitchTo(previous);
		if (loaded)
			node->figures.rows[which]++;
		else if (which == 0 && keeps_unmatched(node))
		{
			StoredTuplePutNull(run_place(node, 1), node->css.ss.ss_ScanTupleSlot);
			return true;
		}
	}
}

/* Applies the filters to the rows in the scan tuple. */
static bool
passes_filters(JoinNode *node)
{
	ExprContext *context = node->css.ss.ps.ps_ExprContext;

	context->ecxt_scantuple = node->css.ss.ss_ScanTupleSlot;
	ResetExprContext(context);
	if (ExecQual(node->filters, context))
		return true;
	node->figures.filtered++;
	return false;
}

static void
run_put_pair(JoinNode *node, RowPair pair)
{
	run_put_row(node, 0, node->join.part->keys.values[pair.outer]);
	run_put_row(node, 1, node->join.part->keys.values[pair.inner]);
}

/*
 * Takes two similar rows: applies the filters, notes that the outer row has a partner, and buffers
 * the pair if it is a row of the join. Returns whether it passes the filters; a semijoin or
 * antijoin does not look at further pairs of a row that has a partner.
 */
static bool
try_pair(JoinNode *node, uint32 outer, uint32 inner)
{
	RowPair pair = {.outer = outer, .inner = inner};
	JoinType type = node->plan.type;
	uint64 number = 0;

	/* The kernel does not count the time of filters as work. */
	CHECK_FOR_INTERRUPTS();
	if (node->matched != NULL)
	{
		number = outer_number(node, outer);
		if (type != JOIN_LEFT && is_matched(node, number))
			return false;
	}
	if (node->filters != NULL)
	{
		run_put_pair(node, pair);
		if (!passes_filters(node))
			return false;
	}
	if (node->matched != NULL)
		node->matched[number / 64] |= UINT64CONST(1) << (number % 64);
	if (type != JOIN_ANTI)
		*(RowPair *) RecordFilePut(&node->pairs) = pair;
	return true;
}

/*
 * Takes a pair from the kernel, which finds a pair of a self-join once unless the measure is directed.
 * Returns how many pairs pass the filters.
 */
static uint64
run_take_pair(void *context, const FoundPair *pair)
{
	JoinNode *node = context;

	if (node->is_directed && node->plan.outer_is_y)
		return try_pair(node, pair->b, pair->a);
	if (node->is_self && !node->is_directed)
		return try_pair(node, pair->a, pair->b) + try_pair(node, pair->b, pair->a);
	return try_pair(node, pair->a, pair->b);
}

static uint64
count_outer_rows(const JoinNode *node)
{
	const JoinInput *input = &node->join.input;

	if (JoinInputIsSpilled(input))
		return JoinSpillRows(input->spills[node->left]);
	if (node->is_self)
		return input->keys.count;
	if (node->left == 0)
		return input->records.first_right_row;
	return input->keys.count - input->records.first_right_row;
}

static void
finish_loading(JoinNode *node)
{
	SimilarityJoin *join = &node->join;

	if (node->reach == REACHED_BY_ALL)
	{
		tuplesort_performsort(node->grouped[0]->sort);
		tuplesort_performsort(node->grouped[1]->sort);
		node->phase = NODE_LOOPS;
		return;
	}
	SimilarityJoinRead(join);
	if (node->plan.type != JOIN_INNER)
	{
		node->outer_count = count_outer_rows(node);
		node->matched =
			JoinAllocateZero(&join->process.host, node->outer_count / 64 + 1, sizeof(uint64));
	}
	SimilarityJoinFind(join, node->task.predicate, run_take_pair, node);
	node->phase = NODE_JOINS;
}

static void
try_identity(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	JoinNode *node = context;

	node->join.pair_count += try_pair(node, x->row, y->row);
}

/*
 * In a self-join, tries a unit's share of the rows with themselves: the kernel finds no such pairs.
 */
static void
try_identities(JoinNode *node, uint32 unit, uint32 units)
{
	const SimilarityJoin *join = &node->join;

	if (node->is_self && !node->plan.skips_itself && !join->part->records.two_sided)
		JoinEngineFindIdentities(&join->engine, unit, units, try_identity, node);
}

/* Finds the pairs of another unit; returns false after the last. */
static bool
do_unit(JoinNode *node)
{
	SimilarityJoin *join = &node->join;

	if (!SimilarityJoinNext(join))
		return false;
	/* A new part has begun, and other rows are in memory. */
	if (join->unit == 0)
		JoinRunForgetRows(node);
	else
		try_identities(node, join->unit - 1, join->unit_count);
	join->taker_bytes = RecordFileMemory(&node->pairs);
	return true;
}

/* Puts the rows of the next pair into the scan tuple; returns false after the last. */
static bool
run_next_pair(JoinNode *node)
{
	const RowPair *pair;

	while ((pair = RecordFileTake(&node->pairs)) == NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (!do_unit(node))
			return false;
	}
	run_put_pair(node, *pair);
	return true;
}

/*
 * Where all pairs are similar: puts the next row of the join, matched or not, into the scan tuple;
 * returns false after the last.
 */
static bool
loop_next_row(JoinNode *node)
{
	GroupedRows *outer = node->grouped[0];
	GroupedRows *inner = node->grouped[1];
	TupleTableSlot *scan_tuple = node->css.ss.ss_ScanTupleSlot;
	JoinType type = node->plan.type;
	bool one_suffices = type == JOIN_SEMI || type == JOIN_ANTI;

	for (;;)
	{
		if (!node->has_outer)
		{
			if (!GroupedRowsNext(outer))
				return false;
			GroupedRowsSeek(inner, outer->group);
			node->has_outer = true;
			node->outer_is_matched = false;
		}
		GroupedRowsShow(outer, scan_tuple, node->inputs[0].first);
		while (!(one_suffices && node->outer_is_matched) && GroupedRowsNext(inner) &&
			   inner->group == outer->group)
		{
			CHECK_FOR_INTERRUPTS();
			GroupedRowsShow(inner, scan_tuple, node->inputs[1].first);
			if (!passes_filters(node))
				continue;
			node->outer_is_matched = true;
			if (type != JOIN_ANTI)
				return true;
		}
		node->has_outer = false;
		if (keeps_unmatched(node) && !node->outer_is_matched)
		{
			StoredTuplePutNull(run_place(node, 1), scan_tuple);
			return true;
		}
	}
}

/*
 * Puts the next stored outer row without a partner into the scan tuple; returns false after the
 * last. Spilled rows are read from their file in the order in which they were numbered.
 */
static bool
next_unmatched(JoinNode *node)
{
	JoinInput *input = &node->join.input;
	bool spilled = JoinInputIsSpilled(input);
	JoinSpill *spill = input->spills[node->left == 0 ? 0 : 1];
	uint32 first = node->left == 0 ? 0 : input->records.first_right_row;

	if (spilled && node->outer_next == 0)
		JoinSpillSeek(spill, (SpillMark){0});
	while (node->outer_next < node->outer_count)
	{
		uint64 number = node->outer_next++;
		SpillRow row;

		CHECK_FOR_INTERRUPTS();
		if (spilled && !JoinSpillNext(spill, &row))
			elog(ERROR, "temporary file of a similarity join has too few rows");
		if (is_matched(node, number))
			continue;
		JoinRunForgetRows(node);
		if (spilled)
		{
			MemoryContext previous = MemoryContextSwitchTo(node->row_context);

			MemoryContextReset(node->row_context);
			run_put_row(node, 0, PointerGetDatum(PG_DETOAST_DATUM_COPY(row.key)));
			MemoryContextSwitchTo(previous);
		}
		else
			run_put_row(node, 0, input->keys.values[first + number]);
		return true;
	}
	return false;
}

bool
JoinRunNext(JoinNode *node)
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
				if (!node->is_self && node->reach != REACHED_BY_ALL)
					JoinInputBeginRight(&node->join.input);
				break;
			case NODE_LOADS_RIGHT:

				/*
				 * If the left side is empty there are no pairs, and the right side is read only if
				 * its rows are returned without a partner.
				 */
				if (!node->is_self && (node->loaded > 0 || (right == 0 && keeps_unmatched(node))) &&
					load_until_unmatched(node, right))
					return true;
				finish_loading(node);
				break;
			case NODE_JOINS:
				if (run_next_pair(node))
					return true;
				StoredTuplePutNull(run_place(node, 1), node->css.ss.ss_ScanTupleSlot);
				node->phase = keeps_unmatched(node) ? NODE_RETURNS_UNMATCHED : NODE_IS_DONE;
				break;
			case NODE_LOOPS:
				if (loop_next_row(node))
					return true;
				node->phase = NODE_IS_DONE;
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

void
JoinRunFigures(JoinNode *node, JoinNodeFigures *figures)
{
	SimilarityJoin *join = &node->join;

	*figures = node->figures;
	if (node->phase == NODE_BEGINS)
		return;
	if (node->reach == REACHED_BY_ALL)
	{
		Size memory = 0;

		for (int which = 0; which < 2; which++)
			GroupedRowsFigures(node->grouped[which], &memory, &figures->temp_bytes);
		figures->parts++;
		figures->memory_bytes = Max(figures->memory_bytes, memory);
		return;
	}
	SimilarityJoinNoteMemory(join);
	JoinCountersAdd(&figures->counters, &join->counters);
	figures->parts += join->part_count;
	figures->memory_bytes = Max(figures->memory_bytes, join->memory_bytes);
	figures->temp_bytes += join->temp_bytes + node->pairs.file_bytes;
}

void
JoinRunEnd(JoinNode *node)
{
	if (node->phase == NODE_BEGINS)
		return;
	JoinRunFigures(node, &node->figures);
	JoinRunForgetRows(node);
	if (node->reach == REACHED_BY_ALL)
	{
		tuplesort_end(node->grouped[0]->sort);
		tuplesort_end(node->grouped[1]->sort);
	}
	else
	{
		RecordFileClear(&node->pairs);
		SimilarityJoinEnd(&node->join);
	}
	MemoryContextDelete(node->context);
	node->phase = NODE_BEGINS;
}
