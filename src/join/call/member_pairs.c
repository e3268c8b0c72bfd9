/*
 * member_pairs.c
 *		Making the pairs of two groups in order.
 *
 * Under a symmetric measure a self-join has each pair once, the lesser row first. The rows of both
 * groups are merged: each is the first of the pairs with those of the other group that follow it.
 * Else the first row is always of the first group, and meets the whole second one.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "join/call/member_pairs.h"

static MemberRange
members_of(const RowPlaces *places, uint32 group)
{
	const uint32 *members = RowGroupMembers(&places->groups, group);

	return (MemberRange){.next = members, .end = members + RowGroupSize(&places->groups, group)};
}

void
MemberPairsBegin(MemberPairs *pairs, const RowPlaces *places, const GroupPair *groups,
				 Measure measure)
{
	*pairs = (MemberPairs){.places = places,
						   .distance = groups->distance,
						   .is_ordered = places->is_self_join && !MeasureIsAsymmetric(measure),
						   .is_one_group = groups->x == groups->y,
						   .sides = {members_of(places, groups->x), members_of(places, groups->y)}};
}

/* Steps over the present first row, which is on both sides if there is one group. */
static void
leave_first(MemberPairs *pairs)
{
	pairs->sides[pairs->side].next++;
	if (pairs->is_ordered && pairs->is_one_group)
		pairs->sides[1 - pairs->side].next++;
}

/* Goes to the next first row; false if there is none with a partner. */
static bool
next_first(MemberPairs *pairs)
{
	MemberRange *sides = pairs->sides;
	MemberRange *partners = &pairs->partners;
	int side = 0;

	if (pairs->has_first)
		leave_first(pairs);
	pairs->has_first = true;
	if (sides[0].next == sides[0].end || sides[1].next == sides[1].end)
		return false;
	if (pairs->is_ordered && *sides[1].next < *sides[0].next)
		side = 1;
	pairs->side = side;
	pairs->of_first = 0;
	*partners = sides[1 - side];
	/* Partners are in the order of keys, and none comes before the first row. */
	if (pairs->is_ordered &&
		RowPlacesHaveEqualKeys(pairs->places, *sides[side].next, partners->end[-1]))
		partners->next = partners->end;
	return true;
}

bool
MemberPairsNext(MemberPairs *pairs, RankedPair *pair)
{
	for (;;)
	{
		MemberRange *partners = &pairs->partners;

		CHECK_FOR_INTERRUPTS();
		if (!pairs->has_first || partners->next == partners->end)
		{
			if (!next_first(pairs))
				return false;
			continue;
		}
		*pair = (RankedPair){.distance = pairs->distance,
							 .a = *pairs->sides[pairs->side].next,
							 .b = *partners->next++};
		if (pairs->places->is_self_join && RowPlacesHaveEqualKeys(pairs->places, pair->a, pair->b))
			continue;
		pairs->of_first++;
		return true;
	}
}
