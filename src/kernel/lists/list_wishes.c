/*
 * list_wishes.c
 *		Counts the pairs of each record, or of all, and bounds those that are wanted.
 */
#include "c.h"

#include <math.h>

#include "kernel/lists/list_wishes.h"

/* Returns whether a record wants pairs of its own. */
static bool
is_seeker(const JoinRecords *records, uint32 record)
{
	if (records->wanted.of != WANTED_OF_EACH)
		return true;
	if (!records->wanted.is_self_join)
		return JoinRecordIsLeft(records, &records->records[record]);
	return JoinRecordRole(records, record) == JOIN_SEEKS;
}

void
ListWishesBegin(ListWishes *wishes, const ListIndex *index)
{
	const JoinRecords *records = index->spec->records;

	*wishes = (ListWishes){.index = index,
						   .records = records,
						   .measure = index->spec->predicate.measure,
						   .asymmetric = MeasureIsAsymmetric(index->spec->predicate.measure)};
	if (records->wanted.count == 0 || index->is_weighted)
		return;
	wishes->count = records->wanted.of == WANTED_OF_ALL ? 1 : records->record_count;
	if (records->wanted.wishes != NULL)
	{
		wishes->wishes = records->wanted.wishes;
		return;
	}
	wishes->wishes = JoinAllocate(records->host, wishes->count, sizeof(JoinWish));
	for (uint32 i = 0; i < wishes->count; i++)
	{
		JoinStrideTick(records->host, i);
		wishes->wishes[i] =
			(JoinWish){.bound.distance = is_seeker(records, i) ? INFINITY : -INFINITY};
	}
}

void
ListWishesEnd(ListWishes *wishes)
{
	if (wishes->wishes != wishes->records->wanted.wishes)
		JoinRelease(wishes->records->host, wishes->wishes, wishes->count, sizeof(JoinWish));
}

static void
count_for_wish(JoinWish *wish, PairRank rank, uint32 wanted)
{
	if (!PairRankIsLess(rank, wish->bound))
		return;
	if (wish->count == 0 || PairRankIsLess(wish->worst, rank))
		wish->worst = rank;
	if (++wish->count == wanted)
	{
		wish->bound = wish->worst;
		wish->count = 0;
	}
}

void
ListWishesNote(ListWishes *wishes, uint32 x, uint32 y, double distance)
{
	uint32 wanted = wishes->records->wanted.count;

	count_for_wish(ListWishesOf(wishes, x), ListWishesRank(wishes, x, y, distance), wanted);
	if (wishes->records->wanted.of != WANTED_OF_ALL && !wishes->asymmetric)
		count_for_wish(ListWishesOf(wishes, y), ListWishesRank(wishes, y, x, distance), wanted);
}
