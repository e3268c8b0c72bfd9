/*
 * nearest_rows.c
 *		Finding the k most similar rows of each row, in passes of descending thresholds.
 *
 * Equal rows have the same neighbours, except themselves: neighbours are found for each group of
 * equal rows (row_groups.h), and handed over for each of its rows. They wait in a sort by group, which
 * keeps as many as the group's rows need: k, and in a self-join one more where the group itself is
 * among them, since a row is no neighbour of its own. The last of these is a bound for further ones.
 * After a pass, the neighbours of a group that has so many are final.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "join/call/nearest_rows.h"
#include "join/descending_join.h"
#include "text/interrupts.h"

/* A neighbour that is wanted must be better: less distant, or as distant at a lower place. */
typedef struct Bound
{
	double distance;
	uint32 place;
} Bound;

/* The bound of a row whose neighbours have been handed over, or are not sought: nothing is better. */
#define FINAL_BOUND ((Bound){.distance = -INFINITY})

typedef struct NearestRows
{
	RowPlaces *rows;
	bool of_right;
	uint32 k;
	TakeNeighbor take;
	void *context;

	Bound *bounds;	 /* one for each group */
	uint8 *roles;	 /* one for each group */
	PairSort *pairs; /* pairs of a group and the place of a neighbour */

	/* Of one group, while pairs are read from the sort. */
	RankedPair *neighbors;
	uint32 count;
	uint32 capacity;
} NearestRows;

static inline bool
is_better(const RankedPair *pair, const Bound *bound)
{
	return pair->distance < bound->distance ||
		   (pair->distance == bound->distance && pair->b < bound->place);
}

/* Wants only neighbours that are better than this one from now on. */
static inline void
tighten(NearestRows *nearest, const RankedPair *pair)
{
	Bound *bound = &nearest->bounds[pair->a];

	if (is_better(pair, bound))
		*bound = (Bound){.distance = pair->distance, .place = pair->b};
}

/* Returns how many neighbours the rows of a group need, one more if they include each other. */
static inline uint32
needed(const NearestRows *nearest, uint32 group)
{
	const RowGroups *groups = &nearest->rows->groups;

	return nearest->k + (nearest->rows->is_self_join && RowGroupSize(groups, group) > 1);
}

/* Offers the rows of a group to another one, or to itself: only as many as it may need. */
static void
offer(NearestRows *nearest, uint32 group, uint32 other, double distance)
{
	const uint32 *members = RowGroupMembers(&nearest->rows->groups, other);
	uint32 size = RowGroupSize(&nearest->rows->groups, other);
	uint32 most = needed(nearest, group);

	for (uint32 i = 0; i < Min(size, most); i++)
	{
		RankedPair pair = {.distance = distance, .a = group, .b = members[i]};

		CHECK_FOR_INTERRUPTS();
		if (!is_better(&pair, &nearest->bounds[group]))
			return;
		PairSortPut(nearest->pairs, &pair);
		/* These alone are enough; most often because k is 1. */
		if (i + 1 == most)
			tighten(nearest, &pair);
	}
}

static void
take_groups(NearestRows *nearest, const GroupPair *pair)
{
	bool is_one_way = MeasureIsAsymmetric(nearest->rows->join->predicate.measure);

	offer(nearest, pair->x, pair->y, pair->distance);
	if (pair->x != pair->y && (!nearest->rows->is_self_join || !is_one_way))
		offer(nearest, pair->y, pair->x, pair->distance);
}

static uint64
take_pair(void *context, const FoundPair *found)
{
	NearestRows *nearest = context;
	GroupPair pair = RowPlacesPair(nearest->rows, nearest->rows->join, found);

	take_groups(nearest, &pair);
	return 1;
}

/* Keeps the first pairs of each group, as many as its rows need. */
static uint32
keep_nearest(void *context, RankedPair *pairs, uint32 count)
{
	NearestRows *nearest = context;
	uint32 kept = 0;
	uint32 of_group = 0;

	for (uint32 i = 0; i < count; i++)
	{
		RankedPair pair = pairs[i];

		CHECK_NOW_AND_THEN(i);
		if (kept == 0 || pairs[kept - 1].a != pair.a)
			of_group = 0;
		if (of_group == needed(nearest, pair.a))
			continue;
		pairs[kept++] = pair;
		if (++of_group == needed(nearest, pair.a))
			tighten(nearest, &pair);
	}
	return kept;
}

/* Hands over the first k neighbours of a row, of those of its group. */
static void
take_neighbors_of_row(NearestRows *nearest, uint32 place)
{
	uint32 rank = 0;

	for (uint32 i = 0; i < nearest->count && rank < nearest->k; i++)
	{
		const RankedPair *pair = &nearest->neighbors[i];

		CHECK_FOR_INTERRUPTS();
		if (nearest->rows->is_self_join && pair->b == place)
			continue;
		nearest->take(nearest->context, place, pair->b, pair->distance);
		rank++;
	}
}

/* Hands over the neighbours of a group if they are final, and says whether they were. */
static bool
finish_group(NearestRows *nearest, bool is_last)
{
	const RowGroups *groups = &nearest->rows->groups;
	uint32 group;

	if (nearest->count == 0)
		return false;
	group = nearest->neighbors[0].a;
	if (nearest->count < needed(nearest, group) && !is_last)
		return false;
	for (uint32 i = 0; i < RowGroupSize(groups, group); i++)
		take_neighbors_of_row(nearest, RowGroupMembers(groups, group)[i]);
	nearest->bounds[group] = FINAL_BOUND;
	nearest->roles[group] = nearest->rows->is_self_join ? JOIN_IS_MET : JOIN_ABSENT;
	return true;
}

static void
begin_neighbors(void *context)
{
	NearestRows *nearest = context;

	nearest->pairs = PairSortBegin(PAIRS_BY_ROW, keep_nearest, nearest);
}

static uint32
end_neighbors(void *context, bool is_last)
{
	NearestRows *nearest = context;
	GroupPair equal = {.x = 0};
	uint32 finished = 0;
	RankedPair pair;

	for (; RowPlacesEqualRows(nearest->rows, nearest->rows->join, &equal); equal.x++)
		take_groups(nearest, &equal);
	PairSortPerform(nearest->pairs);
	nearest->count = 0;
	while (PairSortNext(nearest->pairs, &pair))
	{
		if (nearest->count > 0 && nearest->neighbors[0].a != pair.a)
		{
			finished += finish_group(nearest, is_last);
			nearest->count = 0;
		}
		if (nearest->count == needed(nearest, pair.a))
			continue;
		ARRAY_MAKE_ROOM(nearest->neighbors, nearest->count, nearest->capacity);
		nearest->neighbors[nearest->count++] = pair;
	}
	finished += finish_group(nearest, is_last);
	PairSortEnd(nearest->pairs);
	return finished;
}

/* Has all groups take part, and those of one side seek; returns how many these are. */
static uint32
begin_seekers(NearestRows *nearest)
{
	const RowGroups *groups = &nearest->rows->groups;
	uint32 seekers = 0;

	nearest->bounds = AllocateArray(groups->count, sizeof(Bound));
	nearest->roles = AllocateArray(groups->count, sizeof(uint8));
	for (uint32 group = 0; group < groups->count; group++)
	{
		bool seeks =
			nearest->rows->is_self_join || (group >= groups->left_count) == nearest->of_right;

		CHECK_NOW_AND_THEN(group);
		nearest->roles[group] = JOIN_SEEKS;
		nearest->bounds[group] = seeks ? (Bound){.distance = INFINITY} : FINAL_BOUND;
		seekers += seeks;
	}
	return seekers;
}

void
NearestRowsFind(RowPlaces *rows, JoinTask *task, bool of_right, uint32 k, TakeNeighbor take,
				void *context)
{
	static const PassMethods methods = {
		.begin = begin_neighbors, .take = take_pair, .end = end_neighbors};
	NearestRows nearest = {
		.rows = rows, .of_right = of_right, .k = k, .take = take, .context = context};
	uint32 seekers = begin_seekers(&nearest);

	task->roles = nearest.roles;
	task->role_count = rows->groups.count;
	/* The join knows wishes of the left side alone. */
	if (of_right)
		task->wanted = (JoinWanted){0};
	else
		RowPlacesWantBest(rows, task, k, WANTED_OF_EACH);
	JoinDescending(rows->join, seekers, k, &methods, &nearest);
	pfree(nearest.bounds);
}
