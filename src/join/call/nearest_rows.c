/*
 * nearest_rows.c
 *		Finding the k most similar rows of each row, in passes of descending thresholds.
 *
 * Equal rows have the same neighbours, except themselves: neighbours are found for each group of
 * equal rows (set_groups.h), and handed over for each of its rows. They are groups too, and wait in a
 * sort by group, which keeps as many as have k rows; in a self-join a group is a neighbour of its own,
 * with one row less than it has. The last of these is a bound for further ones. After a pass, the
 * neighbours of a group that has so many are final. The join itself leaves out most pairs that neither
 * group needs (best_pairs.h).
 *
 * A row of one side that has its neighbours is absent from later passes for that side, but the rows
 * of the other side may still seek it. So the sides take turns. But where few rows have all neighbours
 * at a high threshold, one pass at the last threshold serves both sides.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "join/call/join_passes.h"
#include "join/call/nearest_rows.h"

/*
 * One pass serves all unless more than this part of the rows is done at a high threshold; it does in
 * any case if there are so few pairs of rows.
 */
#define HIGH_THRESHOLD 0.8
#define MOST_DONE 0.1
#define FEW_PAIRS 10000000

/* A neighbour that is wanted must be better: less distant, or as distant and a lesser group. */
typedef struct Bound
{
	double distance;
	uint32 group;
} Bound;

/* The bound of a group whose neighbours have been handed over, or are not sought: nothing is better. */
#define FINAL_BOUND ((Bound){.distance = -INFINITY})

typedef struct NearestRows
{
	CallRows *rows;
	JoinPasses passes;
	NearestOf of;
	uint32 every;
	uint32 k;
	TakeNeighbor take;
	void *context;

	/* Of each group: */
	Bound *bounds;
	bool *has_all; /* its neighbours have been handed over */
	uint8 *roles;  /* by its number */

	PairSort *pairs; /* pairs of a group and a neighbour */

	/* Of one group, while pairs are read from the sort. */
	RankedPair *neighbors;
	uint32 count;
	uint32 capacity;
	uint64 row_count; /* rows that they offer each row of the group */
} NearestRows;

static inline bool
is_better(const RankedPair *pair, const Bound *bound)
{
	return pair->distance < bound->distance ||
		   (pair->distance == bound->distance && pair->b < bound->group);
}

/* Wants only neighbours that are better than this one from now on. */
static inline void
tighten(NearestRows *nearest, const RankedPair *pair)
{
	Bound *bound = &nearest->bounds[pair->a];

	if (is_better(pair, bound))
		*bound = (Bound){.distance = pair->distance, .group = pair->b};
}

/* Returns how many neighbours each row of a group has in another one, or in its own. */
static inline uint32
rows_offered(const NearestRows *nearest, const RankedPair *pair)
{
	return CallRowsGroupSize(nearest->rows, pair->b) - (pair->a == pair->b ? 1 : 0);
}

static void
offer(NearestRows *nearest, const RankedPair *pair)
{
	if (!is_better(pair, &nearest->bounds[pair->a]))
		return;
	PairSortPut(nearest->pairs, pair);
	/* This one alone is enough; most often because k is 1. */
	if (rows_offered(nearest, pair) >= nearest->k)
		tighten(nearest, pair);
}

static uint64
take_near_pair(void *context, const FoundPair *found)
{
	NearestRows *nearest = context;
	const CallRows *rows = nearest->rows;
	RankedPair pair = SetGroupsPair(rows, found);

	offer(nearest, &pair);
	if (!rows->is_self_join || SetGroupsPairOnce(rows, rows->join->predicate.measure))
		offer(nearest, &(RankedPair){.distance = pair.distance, .a = pair.b, .b = pair.a});
	return 1;
}

/* Keeps the first pairs of each group, as many as its rows need. */
static uint32
keep_nearest(void *context, RankedPair *pairs, uint32 count)
{
	NearestRows *nearest = context;
	uint32 kept = 0;
	uint64 of_group = 0;

	for (uint32 i = 0; i < count; i++)
	{
		RankedPair pair = pairs[i];

		CHECK_FOR_INTERRUPTS();
		if (kept == 0 || pairs[kept - 1].a != pair.a)
			of_group = 0;
		if (of_group >= nearest->k)
			continue;
		pairs[kept++] = pair;
		of_group += rows_offered(nearest, &pair);
		if (of_group >= nearest->k)
			tighten(nearest, &pair);
	}
	return kept;
}

/* Hands over the first k neighbours of a row, out of the neighbours of its group. */
static void
take_neighbors_of_row(NearestRows *nearest, uint32 place)
{
	const CallRows *rows = nearest->rows;
	uint32 rank = 0;

	for (uint32 i = 0; i < nearest->count; i++)
	{
		const RankedPair *pair = &nearest->neighbors[i];

		for (uint32 j = 0; j < CallRowsGroupSize(rows, pair->b) && rank < nearest->k; j++)
		{
			uint32 neighbor = CallRowsMembers(rows, pair->b)[j];

			CHECK_FOR_INTERRUPTS();
			if (neighbor == place)
				continue;
			nearest->take(nearest->context, place, neighbor, pair->distance);
			rank++;
		}
	}
}

/* Hands over the neighbours of a group if they are final, and says whether they were. */
static bool
finish_group(NearestRows *nearest, bool is_last)
{
	const CallRows *rows = nearest->rows;
	uint32 group;

	if (nearest->count == 0 || (nearest->row_count < nearest->k && !is_last))
		return false;
	group = nearest->neighbors[0].a;
	for (uint32 i = 0; i < CallRowsGroupSize(rows, group); i++)
		take_neighbors_of_row(nearest, CallRowsMembers(rows, group)[i]);
	nearest->bounds[group] = FINAL_BOUND;
	nearest->has_all[group] = true;
	if (nearest->of != NEAREST_OF_BOTH)
		nearest->roles[rows->numbers[group]] =
			nearest->rows->is_self_join ? JOIN_IS_MET : JOIN_ABSENT;
	return true;
}

static void
begin_neighbors(void *context)
{
	NearestRows *nearest = context;

	nearest->pairs = PairSortBegin(PAIRS_BY_ROW, keep_nearest, nearest);
}

static void
append_neighbor(NearestRows *nearest, const RankedPair *pair)
{
	if (nearest->row_count >= nearest->k)
		return;
	nearest->row_count += rows_offered(nearest, pair);
	ARRAY_MAKE_ROOM(nearest->neighbors, nearest->count, nearest->capacity);
	nearest->neighbors[nearest->count++] = *pair;
}

static uint32
end_neighbors(void *context, bool is_last)
{
	NearestRows *nearest = context;
	RankedPair pair = {.a = 0};
	uint32 finished = 0;

	for (; SetGroupsNextEqual(nearest->rows, &pair); pair.a++)
		offer(nearest, &pair);
	PairSortPerform(nearest->pairs);
	nearest->count = 0;
	nearest->row_count = 0;
	while (PairSortNext(nearest->pairs, &pair))
	{
		if (nearest->count > 0 && nearest->neighbors[0].a != pair.a)
		{
			finished += finish_group(nearest, is_last);
			nearest->count = 0;
			nearest->row_count = 0;
		}
		append_neighbor(nearest, &pair);
	}
	finished += finish_group(nearest, is_last);
	PairSortEnd(nearest->pairs);
	return finished;
}

/* Whether the neighbours of a group are sought now. */
static bool
seeks_neighbors(const NearestRows *nearest, uint32 group)
{
	const CallRows *rows = nearest->rows;

	if (!nearest->rows->is_self_join)
		return nearest->of == NEAREST_OF_BOTH || (rows->numbers[group] >= rows->left_group_count) ==
													 (nearest->of == NEAREST_OF_RIGHT);
	for (uint32 i = 0; i < CallRowsGroupSize(rows, group); i++)
	{
		if (CallRowsMembers(rows, group)[i] % nearest->every == 0)
			return true;
	}
	return false;
}

/* Begins passes for the rows of one side, or both, that do not have their neighbours yet. */
static uint32
begin_seekers(NearestRows *nearest, NearestOf of)
{
	const CallRows *rows = nearest->rows;
	bool is_self_join = nearest->rows->is_self_join;
	uint32 seekers = 0;

	nearest->of = of;
	for (uint32 group = 0; group < rows->group_count; group++)
	{
		bool is_of_side = seeks_neighbors(nearest, group);
		bool seeks = is_of_side && !nearest->has_all[group];
		uint8 *role = &nearest->roles[rows->numbers[group]];

		CHECK_FOR_INTERRUPTS();
		nearest->bounds[group] = seeks ? (Bound){.distance = INFINITY} : FINAL_BOUND;
		if (seeks || (!is_self_join && !is_of_side))
			*role = JOIN_SEEKS;
		else
			*role = is_self_join ? JOIN_IS_MET : JOIN_ABSENT;
		seekers += seeks;
	}
	return seekers;
}

static uint32
run_nearest_pass(NearestRows *nearest, Predicate predicate, bool is_last)
{
	begin_neighbors(nearest);
	JoinPassesRun(&nearest->passes, predicate, take_near_pair, nearest, is_last);
	return end_neighbors(nearest, is_last);
}

/* Returns the number of pairs of rows at least one of which seeks. */
static double
most_pairs(const NearestRows *nearest, uint32 seekers)
{
	const CallRows *rows = nearest->rows;

	if (nearest->rows->is_self_join)
		return (double) seekers * rows->group_count;
	return (double) rows->left_group_count * (rows->group_count - rows->left_group_count);
}

/* Finds all neighbours in one pass, and returns true, unless there is much that passes may save. */
static bool
find_at_once(NearestRows *nearest, NearestOf of)
{
	Predicate last = nearest->rows->join->task->predicate;
	Predicate high = {.measure = last.measure, .threshold = HIGH_THRESHOLD};
	uint32 seekers = begin_seekers(nearest, of);

	if (most_pairs(nearest, seekers) > FEW_PAIRS &&
		(last.threshold >= HIGH_THRESHOLD ||
		 !MeasureThresholdIsValid(last.measure, HIGH_THRESHOLD) ||
		 run_nearest_pass(nearest, high, false) > seekers * MOST_DONE))
		return false;
	(void) run_nearest_pass(nearest, last, true);
	return true;
}

/* Finds the neighbours of a side in passes, from which those that have all of them are absent. */
static void
find_in_passes(NearestRows *nearest, NearestOf of)
{
	JoinTask *task = nearest->passes.task;
	static const DescentMethods methods = {
		.begin = begin_neighbors, .take = take_near_pair, .end = end_neighbors};
	uint32 seekers = begin_seekers(nearest, of);

	/* The join knows wishes of the left side alone. */
	PairDemandByRoles(&task->demand, nearest->roles, nearest->rows->group_count);
	if (of == NEAREST_OF_LEFT)
		(void) SetGroupsWantBest(nearest->rows, task, nearest->k, BEST_OF_EACH);
	JoinPassesDescend(&nearest->passes, seekers, nearest->k, &methods, nearest);
}

void
NearestRowsFind(CallRows *rows, JoinTask *task, NearestOf of, uint32 every, uint32 k,
				TakeNeighbor take, void *context)
{
	uint32 count = rows->group_count;
	NearestRows nearest = {.rows = rows,
						   .passes = {.join = rows->join, .task = task},
						   .every = every,
						   .k = k,
						   .take = take,
						   .context = context};

	nearest.bounds = AllocateArray(count, sizeof(Bound));
	nearest.roles = AllocateArray(count, sizeof(uint8));
	nearest.has_all = AllocateArray(count, sizeof(bool));
	memset(nearest.has_all, false, count);
	PairDemandByRoles(&task->demand, nearest.roles, count);
	if ((of != NEAREST_OF_BOTH && every == 1) || !find_at_once(&nearest, of))
	{
		if (of != NEAREST_OF_RIGHT)
			find_in_passes(&nearest, NEAREST_OF_LEFT);
		if (of != NEAREST_OF_LEFT)
			find_in_passes(&nearest, NEAREST_OF_RIGHT);
	}
	pfree(nearest.bounds);
	pfree(nearest.has_all);
}
