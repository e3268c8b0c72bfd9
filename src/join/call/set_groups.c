/*
 * set_groups.c
 *		Joins of groups of equal sets, for functions that rank the pairs of rows.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "join/call/set_groups.h"

static inline bool
have_copies(const CallRows *rows)
{
	return rows->group_count < rows->count;
}

/* Called after each part: notes the weights of its records, whose keys are numbers of groups. */
static void
weigh_groups(void *context, const JoinEngine *engine)
{
	CallRows *rows = context;
	const JoinRecords *records = engine->records;

	for (uint32 i = 0; i < records->record_count; i++)
	{
		const JoinRecord *record = &records->records[i];

		rows->measured[CallRowsGroupOf(rows, record->row)] = JoinRecordMeasured(records, record);
	}
}

RowWishes
SetGroupsWishes(JoinRequest *request)
{
	/*
	 * The join has groups for keys, which are all different; rows of equal keys are recognized by
	 * their places.
	 */
	request->task.distinct_keys = false;
	return (RowWishes){.kind = request->task.kind,
					   .keys = KEYS_UNIQUE,
					   .names = {"query", "against"},
					   .has_groups = true,
					   .has_sizes = true,
					   .counts_copies = true};
}

void
SetGroupsPlace(CallRows *rows, JoinRequest *request)
{
	CallRowsPlace(rows, NULL);
	if (have_copies(rows))
	{
		rows->measured = AllocateArray(rows->group_count, sizeof(int64));
		for (uint32 group = 0; group < rows->group_count; group++)
			rows->measured[group] = rows->sizes[group];
	}
	pfree(rows->sizes);
	pfree(rows->groups);
	rows->sizes = rows->groups = NULL;
	if (rows->is_self_join && have_copies(rows) &&
		MeasureIsWeighted(request->task.predicate.measure))
	{
		request->task.part_ends = weigh_groups;
		request->task.part_context = rows;
	}
}

void
SetGroupsRead(CallRows *rows, SimilarityJoin *join, JoinRequest *request)
{
	RowWishes wishes = SetGroupsWishes(request);

	CallRowsRead(rows, &wishes, join, request);
	SetGroupsPlace(rows, request);
}

BestPairs *
SetGroupsWantBest(CallRows *rows, JoinTask *task, uint32 count, BestOf of)
{
	BestPairs *best = palloc(sizeof(BestPairs));

	*best = (BestPairs){
		.count = count, .of = of, .is_self_join = rows->is_self_join, .places = rows->ranks};
	PairDemandBest(&task->demand, best);
	return best;
}

RankedPair
SetGroupsPair(const CallRows *rows, const FoundPair *found)
{
	Measure measure = rows->join->predicate.measure;
	uint32 a = CallRowsGroupOf(rows, found->a);
	uint32 b = CallRowsGroupOf(rows, found->b);
	bool exchange = a > b && SetGroupsPairOnce(rows, measure);

	return (RankedPair){.distance = MeasureDistance(measure, found->value),
						.a = exchange ? b : a,
						.b = exchange ? a : b};
}

bool
SetGroupsNextEqual(const CallRows *rows, RankedPair *pair)
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
