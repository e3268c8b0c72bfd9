/*
 * join_run.c
 *		A scan of the join node.
 *
 * Both inputs are read first, as by a hash join: of each row the set or simhash goes to
 * the kernel, and what the node needs of the row is kept as its key (kept_rows.h).
 * So the loader, its limit of memory and its files are those of the functions.
 * Then the kernel's units of work are done one by one; what a unit finds
 * waits in a buffer for the executor to ask for it. So rows come while the join
 * goes on, and a LIMIT ends it. Simhashes are joined by a single unit.
 *
 * Equality clauses partition the join by the tokens: each token is combined
 * by XOR with a hash of the row's keys. Within a group that is one to one, so that
 * overlaps are what they were, and so is the distance of simhashes; rows of different groups have
 * no token in common but by accident. Such pairs, and those that need no common token, are removed
 * by the equality clauses themselves, which are among the filters. Lists become as short as if each
 * group were joined by itself, and the kernel, which knows nothing of groups, orders each group's
 * tokens by their frequency there.
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
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/memutils.h"

#include "join/join_run.h"
#include "join/progress.h"
#include "measure/threshold.h"
#include "neardup.h"
#include "simhash/simhash.h"
#include "tokenset/tokenset.h"

/* What pairs that wait take of what rows may take while they are read. */
#define PAIRS_PART_OF_MEMORY 16
#define MOST_BYTES_OF_PAIRS ((Size) 1024 * 1024)

/* Records in a unit that looks for pairs outside of lists: few, since equal ones may be many. */
#define RECORDS_PER_UNIT 1024

/* Units, where each goes over all small records (size_join.h). */
#define FREE_UNITS 16

void
JoinRunForgetRows(JoinNode *node)
{
	for (int which = 0; which < 2; which++)
	{
		KeptPlaceForget(node->inputs[which].place);
		if (node->plan.is_self)
			KeptPlaceForget(node->self_places[which]);
	}
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

static bool
keeps_unmatched(const JoinNode *node)
{
	return node->plan.type == JOIN_LEFT || node->plan.type == JOIN_ANTI;
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
	if (node->plan.of_simhashes)
		(void) SimhashMaxDistanceOrError((int32) threshold);
	node->predicate = PredicateOrError(node->plan.measure, threshold);
}

/* Of the pairs that wait, in bytes. */
static Size
memory_of_pairs(void)
{
	return Min(JoinInputMemory() / PAIRS_PART_OF_MEMORY, MOST_BYTES_OF_PAIRS);
}

static void
begin_run(JoinNode *node)
{
	EState *estate = node->css.ss.ps.state;

	node->context =
		AllocSetContextCreate(estate->es_query_cxt, "neardup join", ALLOCSET_START_SMALL_SIZES);
	node->row_context = AllocSetContextCreate(node->context, "neardup row", ALLOCSET_DEFAULT_SIZES);
	evaluate_threshold(node);
	node->is_self = node->plan.is_self && estate->es_epq_active == NULL;
	node->left = MeasureIsAsymmetric(node->plan.measure) && node->plan.outer_is_y && !node->is_self;
	node->row_count = node->pair_count = 0;
	node->tokens = NULL;
	node->token_capacity = 0;
	node->has_part = node->is_joined = false;
	node->matched = NULL;
	node->outer_count = node->outer_next = 0;

	JoinProcessInit(&node->process, node->context);
	JoinInputInit(&node->input, node->context, &node->process.host);
	JoinKeysInit(&node->input.keys, node->input.key_context, &node->process.host, BYTEAOID,
				 InvalidOid, false);
	node->input.keys_ready = true;
	if (node->plan.of_simhashes)
		JoinInputTakeValues(&node->input);
	JoinInputLimit(&node->input, node->predicate, JOIN_AUTO, JoinInputMemory());
	PairBufferInit(&node->pairs, node->context, memory_of_pairs());
	if (!IsParallelWorker())
		JoinProgressBegin(node->context, "similarity join", &node->process.host, &node->row_count,
						  &node->pair_count);
	JoinRunForgetRows(node);
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
	Simhash simhash;
	Datum operand;
	bool isnull;
	Size count = 1;
	uint64 group;

	if (node->is_null)
		return false;
	/* As a filter by the equalities would, keep rows without a group from the operand's expression. */
	if (!hash_group(node, input, &group))
		return false;
	operand = ExecEvalExpr(input->operand, context, &isnull);
	if (isnull)
		return false;
	if (node->plan.of_simhashes)
	{
		simhash = DatumGetSimhash(operand);
		tokens = &simhash;
	}
	else
		tokens = TokensetPackedTokens(PG_DETOAST_DATUM_PACKED(operand), &count);
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
		{
			KeptRowPutNull(place_of(node, 1), node->css.ss.ss_ScanTupleSlot);
			return true;
		}
	}
}

/*
 * Joining
 */

static void
note_memory(JoinNode *node, Size bytes)
{
	JoinHost *host = &node->process.host;

	node->figures.memory_bytes = Max(node->figures.memory_bytes, bytes);
	host->peak_bytes = host->bytes;
}

void
JoinRunNoteMemory(JoinNode *node)
{
	const JoinInput *joined = node->has_part ? node->part : &node->input;

	note_memory(node, node->process.host.peak_bytes + JoinInputKeyBytes(joined) +
						  PairBufferBytes(&node->pairs) + JoinInputFileBytes(&node->input));
}

static void
finish_loading(JoinNode *node)
{
	JoinInput *input = &node->input;
	bool spilled = JoinInputIsSpilled(input);
	int outer_side = node->left == 0 ? 0 : 1;

	JoinInputFinish(input);
	note_memory(node, JoinInputReadBytes(input));
	JoinPagesGiveBack(node->process.pages);
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
	{
		/* Beside a part are the pairs that wait, and which rows were matched. */
		Size beside = memory_of_pairs() + node->process.host.bytes;

		JoinPartsBegin(&node->parts, input, node->predicate, JOIN_AUTO, node->context,
					   JoinInputPartMemory(input, beside));
	}
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

/* Rows that the kernel found. */
static void
take_pair(JoinNode *node, uint32 x, uint32 y)
{
	bool asymmetric = MeasureIsAsymmetric(node->predicate.measure);

	if (!node->is_self)
	{
		if (node->left == 0)
			try_pair(node, x, y);
		else
			try_pair(node, y, x);
		return;
	}
	if (!asymmetric || !node->plan.outer_is_y)
		try_pair(node, x, y);
	if (!asymmetric || node->plan.outer_is_y)
		try_pair(node, y, x);
}

static void
take_similar(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	take_pair(context, x->row, y->row);
}

static void
take_near(void *context, uint32 x, uint32 y, int distance)
{
	take_pair(context, x, y);
}

/* Whether rows of the part are to be tried with themselves. */
static bool
tries_identities(const JoinNode *node)
{
	return node->is_self && !node->plan.skips_itself && !node->part->records.two_sided;
}

/* Each row is similar to itself if its set is large enough. */
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

static void
index_part(JoinNode *node)
{
	JoinRecords *records = &node->part->records;

	if (!JoinInputIsSpilled(&node->input))
		JoinProgressPhase(PROGRESS_CANONICALIZING, 0);
	JoinRecordsCanonicalize(records);
	if (!JoinInputIsSpilled(&node->input))
		JoinProgressPhase(PROGRESS_PROBING, 0);
	JoinEngineIndex(&node->engine, records, node->predicate, JOIN_AUTO);
	JoinEngineBeginProbe(&node->engine);
	node->unit_count = JoinEngineListUnits(&node->engine) + record_units(node);
	node->worker = (JoinWorker){.records = records,
								.engine = &node->engine,
								.emit = take_similar,
								.emit_context = node,
								.counters = &node->figures.counters};
}

/* Loads the next part, and indexes its sets; false if there is none. */
static bool
begin_part(JoinNode *node)
{
	if (JoinInputIsSpilled(&node->input))
	{
		if (!JoinPartsNext(&node->parts))
			return false;
		node->part = &node->parts.part;
		node->left_first = node->parts.left_first;
		node->right_first = node->parts.right_first;
	}
	else if (node->is_joined || node->input.keys.count == 0)
		return false;
	else
	{
		node->is_joined = true;
		node->part = &node->input;
		node->left_first = node->right_first = 0;
	}
	node->figures.parts++;
	node->has_part = true;
	node->unit = 0;
	JoinRunForgetRows(node);
	JoinKeysTrim(&node->part->keys);
	if (node->plan.of_simhashes)
		node->unit_count = 1;
	else
		index_part(node);
	return true;
}

static void
end_part(JoinNode *node)
{
	if (!node->plan.of_simhashes)
		JoinEngineFree(&node->engine);
	JoinRunNoteMemory(node);
	node->has_part = false;
}

static void
join_simhashes(JoinNode *node)
{
	const JoinInput *part = node->part;
	const JoinRecords *records = &part->records;

	if (!JoinInputIsSpilled(&node->input))
		JoinProgressPhase(PROGRESS_PROBING, 0);
	if (tries_identities(node))
	{
		for (uint32 row = 0; row < part->values.count; row++)
			try_pair(node, row, row);
	}
	HammingJoin(&part->values, NULL,
				records->two_sided ? records->first_right_row : HAMMING_ONE_SIDE,
				(int) Min(node->predicate.threshold, SIMHASH_BITS), take_near, node);
}

static void
join_sets(JoinNode *node)
{
	uint32 records = node->part->records.record_count;

	JoinStepUnit(&node->worker, JOIN_FIND_PAIRS, node->unit, node->unit_count);
	if (tries_identities(node))
		try_identities(node, JoinUnitStart(records, node->unit, node->unit_count),
					   JoinUnitStart(records, node->unit + 1, node->unit_count));
	if (node->unit + 1 == node->unit_count)
		JoinStepEnd(&node->worker);
}

/* Does a unit of the kernel's work, which may find pairs; false if all are done. */
static bool
do_unit(JoinNode *node)
{
	if (node->has_part && node->unit == node->unit_count)
		end_part(node);
	if (!node->has_part)
		return begin_part(node);
	if (node->plan.of_simhashes)
		join_simhashes(node);
	else
		join_sets(node);
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
		JoinRunForgetRows(node);
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

void
JoinRunEnd(JoinNode *node)
{
	if (node->context == NULL)
		return;
	JoinRunNoteMemory(node);
	PairBufferEnd(&node->pairs);
	node->figures.temp_bytes += node->pairs.file_bytes;
	JoinInputFree(&node->input);
	JoinRunForgetRows(node);
	MemoryContextDelete(node->context);
	node->context = NULL;
	node->has_part = false;
	node->phase = NODE_BEGINS;
}
