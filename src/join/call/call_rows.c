/*
 * call_rows.c
 *		Keeping the keys of all rows apart from the join, and grouping rows by a hash of their sets.
 *
 * The parts of spilled rows hold the keys of one part each, but results need the keys of all rows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "compat.h"
#include "join/call/call_rows.h"
#include "join/progress/progress.h"

#define MOST_ROWS ((uint32) PG_INT32_MAX)

static void
init_keys(CallRows *rows, Oid type, Oid collation)
{
	JoinInputSetKeys(&rows->join->input, INT8OID, InvalidOid, false);
	JoinKeysInit(&rows->keys, rows->key_context, NULL, type, collation, true);
}

/* Begins to group the rows of a query. */
static void
begin_groups(CallRows *rows)
{
	if (rows->copies != NULL)
		CopiesFree(rows->copies);
	rows->copies = CopiesCreate(rows->reading_context);
	rows->left_count = rows->keys.count;
	rows->left_group_count = rows->group_count;
	rows->empty = NO_ROW;
}

static void
begin_query(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	CallRows *rows = context;
	Oid type = ReaderKeyType(spec, columns);

	begin_groups(rows);
	/* The columns of two queries are both integers, or of one type. */
	if (rows->keys.context == NULL)
		init_keys(rows, type, TupleDescAttr(columns, 0)->attcollation);
	else
		rows->keys.type = type;
}

/* Notes the group of the row whose key is appended next; returns whether it is a new one, the last. */
static bool
note_group(CallRows *rows, const JoinRow *row)
{
	MemoryContext previous = MemoryContextSwitchTo(rows->reading_context);
	uint32 group =
		CopiesFirst(rows->copies, row->data, row->count * sizeof(int64), rows->group_count);
	bool is_first = group == rows->group_count;

	ARRAY_MAKE_ROOM(rows->of_rows, rows->keys.count, rows->row_capacity);
	rows->of_rows[rows->keys.count] = group;
	if (row->count == 0)
		rows->empty = group;
	if (is_first)
	{
		ARRAY_MAKE_ROOM(rows->sizes, rows->group_count, rows->size_capacity);
		rows->sizes[rows->group_count++] = (uint32) row->count;
	}
	MemoryContextSwitchTo(previous);
	return is_first;
}

/* Appends the first row of a group to the join, with the group's number as its key. */
static void
append_row(CallRows *rows, const JoinRow *row)
{
	int64 group = rows->group_count;

	if (note_group(rows, row))
		JoinInputAppend(&rows->join->input, nd_int64_datum(&group), row);
	else
		JoinInputCountCopy(&rows->join->input, row);
}

static bool
take_keyed_row(void *context, TupleTableSlot *slot, const JoinRow *row)
{
	CallRows *rows = context;

	if (rows->keys.count == MOST_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %u rows.", MOST_ROWS)));
	append_row(rows, row);
	JoinKeysAppend(&rows->keys, slot->tts_values[0]);
	return true;
}

static void
init_call_rows(CallRows *rows, SimilarityJoin *join, JoinRequest *request, bool is_self_join)
{
	*rows = (CallRows){
		.join = join, .is_self_join = is_self_join, .key_policy = request->reader.key_policy};
	rows->key_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row keys", ALLOCSET_DEFAULT_SIZES);
	rows->reading_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row groups", ALLOCSET_DEFAULT_SIZES);
	/*
	 * The join has groups for keys, which are all different; rows of equal keys are recognized by
	 * their places.
	 */
	request->task.distinct_keys = false;
}

static inline bool
have_copies(const CallRows *rows)
{
	return rows->group_count < rows->keys.count;
}

/* Called after each part: notes the weights of its records, whose keys are numbers of groups. */
static void
weigh_groups(void *context, const JoinEngine *engine)
{
	CallRows *rows = context;
	const JoinRecords *records = engine->records;
	const int64 *numbers = rows->join->part->keys.integers;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];

		rows->measured[rows->ranks[numbers[record->row]]] = JoinRecordMeasured(records, record);
	}
}

/* Ranks the groups, and makes starts[rank + 1] the first index of the members of each. */
static void
rank_groups(CallRows *rows)
{
	uint32 next = 0;

	memset(rows->ranks, 0xFF, rows->group_count * sizeof(uint32));
	memset(rows->starts, 0, ((Size) rows->group_count + 2) * sizeof(uint32));
	for (uint32 place = 0; place < rows->keys.count; place++)
	{
		uint32 number = rows->of_rows[CallRowsNumber(rows, place)];

		if (rows->ranks[number] == NO_ROW)
		{
			rows->ranks[number] = next;
			rows->numbers[next++] = number;
		}
		rows->starts[rows->ranks[number] + 2]++;
	}
	for (uint32 group = 0; group < rows->group_count; group++)
	{
		rows->starts[group + 2] += rows->starts[group + 1];
	}
}

/* Ranks the groups, and finds their members, by the order of the keys. */
static void
order_groups(CallRows *rows)
{
	rows->ranks = AllocateArray(rows->group_count, sizeof(uint32));
	rows->numbers = AllocateArray(rows->group_count, sizeof(uint32));
	rows->starts = AllocateArray((Size) rows->group_count + 2, sizeof(uint32));
	rows->members = AllocateArray(rows->keys.count, sizeof(uint32));
	rank_groups(rows);
	for (uint32 place = 0; place < rows->keys.count; place++)
	{
		uint32 group = rows->ranks[rows->of_rows[CallRowsNumber(rows, place)]];

		rows->members[rows->starts[group + 1]++] = place;
	}
	if (have_copies(rows))
	{
		rows->measured = AllocateArray(rows->group_count, sizeof(int64));
		for (uint32 group = 0; group < rows->group_count; group++)
			rows->measured[group] = rows->sizes[rows->numbers[group]];
	}
	MemoryContextDelete(rows->reading_context);
	rows->copies = NULL;
	rows->of_rows = rows->sizes = NULL;
}

/* Orders the keys and the groups of all rows. */
static void
order_rows(CallRows *rows, JoinRequest *request)
{
	const char *const names[] = {"query", "against"};

	if (rows->is_self_join)
	{
		rows->left_count = rows->keys.count;
		rows->left_group_count = rows->group_count;
	}
	KeyOrderInit(&rows->order, &rows->keys);
	KeyOrderCheckUnique(&rows->order, &rows->keys, rows->left_count, names,
						request->reader.function);
	order_groups(rows);
	if (rows->is_self_join && have_copies(rows) &&
		MeasureIsWeighted(request->task.predicate.measure))
	{
		request->task.part_ends = weigh_groups;
		request->task.part_context = rows;
	}
}

void
CallRowsRead(CallRows *rows, SimilarityJoin *join, JoinRequest *request)
{
	RowSink sink = {.context = rows, .begin = begin_query, .take = take_keyed_row};

	init_call_rows(rows, join, request, request->queries[1] == NULL);
	QueryJoinBeginBy(join, request, &sink);
	order_rows(rows, request);
}

void
CallRowsBegin(CallRows *rows, SimilarityJoin *join, JoinRequest *request, bool is_self_join)
{
	init_call_rows(rows, join, request, is_self_join);
	SimilarityJoinBegin(join, &request->task, CurrentMemoryContext);
	init_keys(rows, INT8OID, InvalidOid);
	begin_groups(rows);
}

void
CallRowsBeginRight(CallRows *rows)
{
	begin_groups(rows);
	JoinInputBeginRight(&rows->join->input);
}

void
CallRowsAppend(CallRows *rows, int64 key, const JoinRow *row)
{
	JoinProgressCheck();
	append_row(rows, row);
	JoinKeysAppendInt64(&rows->keys, key);
}

void
CallRowsEnd(CallRows *rows, JoinRequest *request)
{
	SimilarityJoinRead(rows->join);
	order_rows(rows, request);
}

BestPairs *
CallRowsWantBest(CallRows *rows, JoinTask *task, uint32 count, BestOf of)
{
	BestPairs *best = palloc(sizeof(BestPairs));

	*best = (BestPairs){
		.count = count, .of = of, .is_self_join = rows->is_self_join, .places = rows->ranks};
	PairDemandBest(&task->demand, best);
	return best;
}

RankedPair
CallRowsPair(const CallRows *rows, const FoundPair *found)
{
	const JoinKeys *numbers = &rows->join->part->keys;
	Measure measure = rows->join->predicate.measure;
	uint32 a = rows->ranks[JoinKeysInt64(numbers, found->a)];
	uint32 b = rows->ranks[JoinKeysInt64(numbers, found->b)];
	bool exchange = a > b && CallRowsPairOnce(rows, measure);

	return (RankedPair){.distance = MeasureDistance(measure, found->value),
						.a = exchange ? b : a,
						.b = exchange ? a : b};
}

bool
CallRowsNextEqual(const CallRows *rows, RankedPair *pair)
{
	Predicate predicate = rows->join->predicate;

	if (!rows->is_self_join || !have_copies(rows))
		return false;
	for (uint32 group = pair->a; group < rows->group_count; group++)
	{
		int64 measured = rows->measured[group];

		CHECK_FOR_INTERRUPTS();
		if (CallRowsGroupSize(rows, group) == 1 || measured == 0 ||
			!PredicateHolds(predicate, measured, measured, measured))
			continue;
		*pair = (RankedPair){
			.distance = MeasureDistance(
				predicate.measure, MeasureValue(predicate.measure, measured, measured, measured)),
			.a = group,
			.b = group};
		return true;
	}
	return false;
}
