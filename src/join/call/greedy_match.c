/*
 * greedy_match.c
 *		Greedy matching over pairs of groups.
 *
 * All pairs of rows of two groups have one distance. So pairs of groups are put into a sort, and
 * rows are matched level by level: a level is what has one distance. In the order of (a, b), the rows
 * of a level come one after the other as a, and each that is free takes the least free b.
 *
 * A pair of groups is put as the pair of their first free rows, from either group if the other one
 * has rows behind that. So the pairs of a group come together, where its first row does. If that is
 * its only row, it is matched at once. Else the group becomes a seeker: it waits in a heap of groups,
 * by their next free row, and its partners wait in a heap of its own, by the next free row of each.
 *
 *		rows 1 3 5 are equal, 2 4 6 too, and 7 is a row of its own; all are similar
 *		1 seeks in {2 4 6} {7}: takes 2		the group of 1 then waits with its row 3
 *		3 seeks in {4 6} {7}: takes 4
 *		5 takes 6; 7 has no partner
 *
 * If no group has more than one free row, a pass may leave out pairs that are worse than `most_pairs`
 * other ones of one of their rows, which were put. Then what is left out is unknown, but only beyond
 * the last of these pairs. Where a row is still free there, the pass is cut: all matches up to there
 * are certain.
 *
 * Rows only ever become taken, so a partner that was the next free one is a lower bound later. It is
 * corrected when it comes to the top of a heap.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "join/memory/join_memory.h"
#include "join/call/greedy_match.h"
#include "text/interrupts.h"

/* A group of several rows that takes part in a level. */
typedef struct Seeker
{
	uint32 next;  /* its next row that may be free, as an index of the members */
	uint32 end;	  /* where its members end */
	uint32 first; /* its partners are a heap: the first `count` from here on */
	uint32 count;
} Seeker;

struct GreedyMatch
{
	const RowPlaces *places;
	const RowGroups *groups;
	bool is_ordered;	/* the lesser place of a pair is a */
	bool may_meet_self; /* a row meets all rows of its group, also itself */
	TakeMatch take;
	void *take_context;

	uint32 *group_of; /* the group of each place */
	uint32
		*next_free; /* by index of the members: itself if free, else one that is no later than the
						* next free one */

	PairSort *sort;
	bool has_pair;
	RankedPair pair; /* the next one of the sort */
	uint32 matches;	 /* matches of the pass */

	uint32 most_pairs;	 /* a row with this many pairs may lack some; 0 if none does */
	uint32 *pair_counts; /* pairs of each group that were read; NULL if most_pairs is 0 */

	/* Of the level. Heaps have items of a place and a number, the least place first. */
	Seeker *seekers;
	uint32 seeker_count;
	uint32 seeker_capacity;
	uint64 *waiting; /* heap of seekers, by the place of their next row */
	uint32 waiting_count;
	uint32 waiting_capacity;
	uint64 *partners; /* for each seeker a heap of indexes of the members */
	uint32 partner_count;
	uint32 partner_capacity;
	uint32 most_partners;

	/* Places known_first .. known_last have one key. */
	uint32 known_first;
	uint32 known_last;
};

static inline uint64
heap_item(uint32 place, uint32 number)
{
	return (uint64) place << 32 | number;
}

static inline uint32
item_place(uint64 item)
{
	return (uint32) (item >> 32);
}

static inline uint32
item_number(uint64 item)
{
	return (uint32) item;
}

/* Moves an item down to where no lesser one is below it. */
static void
heap_sink(uint64 *heap, uint32 count, uint32 i)
{
	uint64 item = heap[i];

	for (;;)
	{
		uint64 child = (uint64) i * 2 + 1;

		if (child >= count)
			break;
		if (child + 1 < count && heap[child + 1] < heap[child])
			child++;
		if (heap[child] >= item)
			break;
		heap[i] = heap[child];
		i = (uint32) child;
	}
	heap[i] = item;
}

static void
heap_order(uint64 *heap, uint32 count)
{
	for (uint32 i = count / 2; i-- > 0;)
		heap_sink(heap, count, i);
}

static void
heap_drop_first(uint64 *heap, uint32 *count)
{
	heap[0] = heap[--*count];
	heap_sink(heap, *count, 0);
}

static inline uint32
place_at(const GreedyMatch *match, uint32 index)
{
	return match->groups->members[index];
}

/* Returns the end of the members of the group of a place. */
static inline uint32
end_of_group(const GreedyMatch *match, uint32 place)
{
	return match->groups->starts[match->group_of[place] + 1];
}

/* Returns the first index from this one on whose row is free; it may be one of another group. */
static uint32
first_free(GreedyMatch *match, uint32 index)
{
	uint32 *next = match->next_free;

	while (next[index] != index)
		index = next[index] = next[next[index]];
	return index;
}

/* Returns the last place whose key equals that of a place. */
static uint32
last_of_key(GreedyMatch *match, uint32 place)
{
	if (place < match->known_first || place > match->known_last)
	{
		match->known_first = match->known_last = place;
		while (match->known_last + 1 < match->groups->row_count &&
			   RowPlacesHaveEqualKeys(match->places, place, match->known_last + 1))
		{
			CHECK_FOR_INTERRUPTS();
			match->known_last++;
		}
	}
	return match->known_last;
}

/* Returns the first index from this one on whose place is above another one, or end. */
static uint32
first_above(const GreedyMatch *match, uint32 index, uint32 end, uint32 place)
{
	while (index < end)
	{
		uint32 middle = index + (end - index) / 2;

		if (place_at(match, middle) <= place)
			index = middle + 1;
		else
			end = middle;
	}
	return index;
}

/* Returns the first row that a row may take, of those of a group from an index on, or the end. */
static uint32
first_partner(GreedyMatch *match, uint32 place, uint32 index)
{
	uint32 end = end_of_group(match, place_at(match, index));

	if (match->is_ordered)
		index = first_above(match, index, end, last_of_key(match, place));
	for (index = first_free(match, index); index < end; index = first_free(match, index + 1))
	{
		CHECK_FOR_INTERRUPTS();
		if (!match->may_meet_self ||
			!RowPlacesHaveEqualKeys(match->places, place, place_at(match, index)))
			return index;
	}
	return end;
}

static void
take_match(GreedyMatch *match, double distance, uint32 a, uint32 b)
{
	RankedPair pair = {.distance = distance, .a = place_at(match, a), .b = place_at(match, b)};

	match->next_free[a]++;
	match->next_free[b]++;
	match->matches++;
	match->take(match->take_context, &pair);
}

static void
read_pair(GreedyMatch *match)
{
	match->has_pair = PairSortNext(match->sort, &match->pair);
}

/* Whether the next pair is one of this level, of the group whose first row is this place. */
static inline bool
is_next_of(const GreedyMatch *match, double distance, uint32 place)
{
	return match->has_pair && match->pair.distance == distance && match->pair.a == place;
}

/*
 * Matches a row that is alone in its group, and reads the pairs of the group. The partners of a group
 * are no less than the first of them that was free when the pass began, by which pairs are in order.
 */
static void
match_single(GreedyMatch *match, uint32 index)
{
	RankedPair pair = match->pair;
	bool is_free = first_free(match, index) == index;
	uint32 best = 0;
	bool has_best = false;

	for (; is_next_of(match, pair.distance, pair.a); read_pair(match))
	{
		uint32 b = match->pair.b;
		uint32 partner;

		if (!is_free || (has_best && place_at(match, best) <= b))
			continue;
		partner = first_partner(match, pair.a, match->groups->starts[match->group_of[b]]);
		if (partner < end_of_group(match, b) &&
			(!has_best || place_at(match, partner) < place_at(match, best)))
		{
			best = partner;
			has_best = true;
		}
	}
	if (has_best)
		take_match(match, pair.distance, index, best);
}

static void
wait_for_turn(GreedyMatch *match, uint32 seeker)
{
	uint64 item = heap_item(place_at(match, match->seekers[seeker].next), seeker);
	uint64 i;

	ARRAY_MAKE_ROOM(match->waiting, match->waiting_count, match->waiting_capacity);
	for (i = match->waiting_count++; i > 0 && match->waiting[(i - 1) / 2] > item; i = (i - 1) / 2)
		match->waiting[i] = match->waiting[(i - 1) / 2];
	match->waiting[i] = item;
}

/* Makes a seeker of a group of several rows, and reads its pairs. */
static void
begin_seeker(GreedyMatch *match, uint32 group)
{
	RankedPair pair = match->pair;
	Seeker seeker = {.next = first_free(match, match->groups->starts[group]),
					 .end = match->groups->starts[group + 1],
					 .first = match->partner_count};

	for (; is_next_of(match, pair.distance, pair.a); read_pair(match))
	{
		uint32 b = match->pair.b;
		uint32 partner = first_free(match, match->groups->starts[match->group_of[b]]);

		if (partner >= end_of_group(match, b))
			continue;
		ARRAY_MAKE_ROOM(match->partners, match->partner_count, match->partner_capacity);
		match->partners[match->partner_count++] = heap_item(place_at(match, partner), partner);
	}
	seeker.count = match->partner_count - seeker.first;
	if (seeker.next >= seeker.end || seeker.count == 0)
		return;
	heap_order(match->partners + seeker.first, seeker.count);
	ARRAY_MAKE_ROOM(match->seekers, match->seeker_count, match->seeker_capacity);
	match->seekers[match->seeker_count] = seeker;
	wait_for_turn(match, match->seeker_count++);
}

/* Finds the least partner of a seeker's next row; partners without one for later rows go. */
static bool
least_partner(GreedyMatch *match, Seeker *seeker, uint32 *partner)
{
	uint64 *heap = match->partners + seeker->first;
	uint32 place = place_at(match, seeker->next);

	while (seeker->count > 0)
	{
		uint32 index = item_number(heap[0]);
		uint32 end = end_of_group(match, item_place(heap[0]));

		CHECK_FOR_INTERRUPTS();
		*partner = first_partner(match, place, index);
		if (*partner == index)
			return true;
		if (*partner == end)
			heap_drop_first(heap, &seeker->count);
		else
		{
			heap[0] = heap_item(place_at(match, *partner), *partner);
			heap_sink(heap, seeker->count, 0);
		}
	}
	return false;
}

/* The same where a partner that this row may not take is one for a later row: reads all of them. */
static bool
least_other_partner(GreedyMatch *match, Seeker *seeker, uint32 *partner)
{
	uint64 *items = match->partners + seeker->first;
	uint32 place = place_at(match, seeker->next);
	bool has_partner = false;

	for (uint32 i = 0; i < seeker->count; i++)
	{
		uint32 other = first_partner(match, place, item_number(items[i]));

		CHECK_FOR_INTERRUPTS();
		if (other < end_of_group(match, item_place(items[i])) &&
			(!has_partner || place_at(match, other) < place_at(match, *partner)))
		{
			*partner = other;
			has_partner = true;
		}
	}
	return has_partner;
}

/* Matches the next row of the seeker whose turn it is, if that is free. */
static void
match_seeker(GreedyMatch *match, double distance)
{
	uint32 number = item_number(match->waiting[0]);
	Seeker *seeker = &match->seekers[number];
	uint32 partner = seeker->end;

	if (first_free(match, seeker->next) == seeker->next)
	{
		bool has_partner = match->may_meet_self ? least_other_partner(match, seeker, &partner)
												: least_partner(match, seeker, &partner);

		if (has_partner)
			take_match(match, distance, seeker->next, partner);
		else
			seeker->next++;
	}
	heap_drop_first(match->waiting, &match->waiting_count);
	seeker->next = first_free(match, seeker->next);
	if (seeker->next < seeker->end && seeker->count > 0)
		wait_for_turn(match, number);
}

/* Reads the pairs of the group that comes next in the sort. */
static void
begin_group(GreedyMatch *match)
{
	uint32 group = match->group_of[match->pair.a];

	if (RowGroupSize(match->groups, group) == 1)
		match_single(match, match->groups->starts[group]);
	else
		begin_seeker(match, group);
}

/* Matches the pairs of one distance; returns false if memory did not suffice for the last ones. */
static bool
match_level(GreedyMatch *match)
{
	double distance = match->pair.distance;

	match->seeker_count = match->waiting_count = match->partner_count = 0;
	for (;;)
	{
		bool is_any = match->has_pair && match->pair.distance == distance;
		bool is_waiting = match->waiting_count > 0;

		CHECK_FOR_INTERRUPTS();
		if (!is_any && !is_waiting)
			return true;
		if (!is_any || (is_waiting && item_place(match->waiting[0]) < match->pair.a))
			match_seeker(match, distance);
		else if (is_waiting && match->partner_count > match->most_partners)
			return false;
		else
		{
			if (!is_waiting)
				match->seeker_count = match->partner_count = 0;
			begin_group(match);
		}
	}
}

/* Fills group_of and next_free. */
static void
free_all(GreedyMatch *match)
{
	const RowGroups *groups = match->groups;

	match->group_of = AllocateArray(groups->row_count, sizeof(uint32));
	match->next_free = AllocateArray((Size) groups->row_count + 1, sizeof(uint32));
	for (uint32 group = 0; group < groups->count; group++)
	{
		for (uint32 i = groups->starts[group]; i < groups->starts[group + 1]; i++)
		{
			CHECK_NOW_AND_THEN(i);
			match->group_of[groups->members[i]] = group;
			match->next_free[i] = i;
		}
	}
	match->next_free[groups->row_count] = groups->row_count;
}

/* Counts a pair of the row at this index, and returns whether the row is free and may lack further ones. */
static bool
may_lack_pairs(GreedyMatch *match, uint32 group)
{
	return ++match->pair_counts[group] >= match->most_pairs && GreedyMatchHasFree(match, group);
}

/* Matches the next pair, of groups of one free row; returns false if pairs may be missing after it. */
static bool
match_pair(GreedyMatch *match)
{
	RankedPair pair = match->pair;
	uint32 a = match->group_of[pair.a];
	uint32 b = match->group_of[pair.b];
	bool a_lacks;
	bool b_lacks;

	if (GreedyMatchHasFree(match, a) && GreedyMatchHasFree(match, b))
		take_match(match, pair.distance, first_free(match, match->groups->starts[a]),
				   first_free(match, match->groups->starts[b]));
	a_lacks = may_lack_pairs(match, a);
	b_lacks = may_lack_pairs(match, b);
	read_pair(match);
	return !a_lacks && !b_lacks;
}

GreedyMatch *
GreedyMatchBegin(const RowPlaces *places, Measure measure, TakeMatch take, void *take_context)
{
	GreedyMatch *match = palloc0(sizeof(GreedyMatch));
	bool asymmetric = MeasureIsAsymmetric(measure);

	match->places = places;
	match->groups = &places->groups;
	match->is_ordered = places->is_self_join && !asymmetric;
	match->may_meet_self = places->is_self_join && asymmetric;
	match->take = take;
	match->take_context = take_context;
	match->most_partners =
		(uint32) Min(Max(places->groups.count, JoinMemory() / 2 / sizeof(uint64)), PG_INT32_MAX);
	match->known_first = 1;
	free_all(match);
	return match;
}

void
GreedyMatchBeginPass(GreedyMatch *match, uint32 most_pairs)
{
	match->most_pairs = most_pairs;
	if (most_pairs > 0)
	{
		if (match->pair_counts == NULL)
			match->pair_counts = AllocateArray(match->groups->count, sizeof(uint32));
		memset(match->pair_counts, 0, match->groups->count * sizeof(uint32));
	}
	match->sort = PairSortBegin(PAIRS_BY_DISTANCE, NULL, NULL);
}

bool
GreedyMatchHasFree(GreedyMatch *match, uint32 group)
{
	return first_free(match, match->groups->starts[group]) < match->groups->starts[group + 1];
}

static void
put_from(GreedyMatch *match, uint32 from, uint32 to, double distance)
{
	const uint32 *members = RowGroupMembers(match->groups, to);
	RankedPair pair = {.distance = distance,
					   .a = place_at(match, first_free(match, match->groups->starts[from])),
					   .b = place_at(match, first_free(match, match->groups->starts[to]))};

	if (!match->is_ordered || members[RowGroupSize(match->groups, to) - 1] > pair.a)
		PairSortPut(match->sort, &pair);
}

bool
GreedyMatchPut(GreedyMatch *match, const GroupPair *pair)
{
	if (!GreedyMatchHasFree(match, pair->x) || !GreedyMatchHasFree(match, pair->y))
		return false;
	put_from(match, pair->x, pair->y, pair->distance);
	if (match->is_ordered && pair->x != pair->y)
		put_from(match, pair->y, pair->x, pair->distance);
	return true;
}

uint32
GreedyMatchEndPass(GreedyMatch *match, bool *is_whole)
{
	match->matches = 0;
	*is_whole = true;
	PairSortPerform(match->sort);
	read_pair(match);
	while (match->has_pair && *is_whole)
		*is_whole = match->most_pairs > 0 ? match_pair(match) : match_level(match);
	PairSortEnd(match->sort);
	return match->matches;
}
