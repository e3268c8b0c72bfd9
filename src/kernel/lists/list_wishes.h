/*
 * list_wishes.h
 *		Which pairs are still wanted, where only the best ones are (JoinWanted).
 *
 * Once a record has as many pairs as it wants, the worst of them is a bound: only better pairs are
 * wanted. What a pair can be at best is known before it is verified, by the sizes and the positions of
 * its first common token. So of a family of nearly equal records most pairs are left out: each record
 * meets the few of the least places, and is not compared with the others (list_families.h).
 *
 * A process knows the pairs that it has emitted itself. They are counted up to the wanted number, then
 * the worst of them becomes the bound, and further pairs, all of them better, are counted from 0 again.
 * So a record takes the same little memory whatever number is wanted.
 */
#ifndef NEARDUP_KERNEL_LIST_WISHES_H
#define NEARDUP_KERNEL_LIST_WISHES_H

#include "kernel/lists/list_index.h"

typedef struct ListWishes
{
	const ListIndex *index;
	const JoinRecords *records;
	Measure measure;
	bool asymmetric;
	JoinWish *wishes; /* one of all records, or one of each; NULL if all pairs are wanted */
	uint32 count;
} ListWishes;

extern void ListWishesBegin(ListWishes *wishes, const ListIndex *index);

/* Frees the wishes, unless they are those of the records. */
extern void ListWishesEnd(ListWishes *wishes);

/* Notes that a pair is emitted, with an overlap. */
extern void ListWishesNote(ListWishes *wishes, uint32 x, uint32 y, double distance);

/* Returns what pairs are compared by, before their places. */
static inline double
ListWishesDistance(const ListWishes *wishes, int64 overlap, int64 x_size, int64 y_size)
{
	double value = MeasureValue(wishes->measure, overlap, x_size, y_size);

	return wishes->measure == MEASURE_HAMMING ? value : -value;
}

/*
 * Returns the least distance of records of two sizes that have their first common token at these
 * positions. Records of one query are distinct.
 */
static inline double
ListWishesLeastDistance(const ListWishes *wishes, int64 x_size, uint32 x_position, int64 y_size,
						uint32 y_position)
{
	int64 overlap = Min(x_size - x_position, y_size - y_position);

	if (overlap == x_size && overlap == y_size && wishes->records->wanted.is_self_join)
		overlap--;
	return ListWishesDistance(wishes, overlap, x_size, y_size);
}

static inline bool
PairRankIsLess(PairRank a, PairRank b)
{
	return a.distance < b.distance || (a.distance == b.distance && a.places < b.places);
}

/* Returns the rank that a pair has for record x. */
static inline PairRank
ListWishesRank(const ListWishes *wishes, uint32 x, uint32 y, double distance)
{
	const JoinRecords *records = wishes->records;
	uint64 x_place = records->wanted.places[x];
	uint64 y_place = records->wanted.places[y];
	bool x_first = x_place < y_place;

	if (records->wanted.of == WANTED_OF_EACH)
		return (PairRank){distance, y_place};
	if (!records->wanted.is_self_join)
		x_first = JoinRecordIsLeft(records, &records->records[x]);
	else if (wishes->asymmetric)
		x_first = true;
	return (PairRank){distance, x_first ? x_place << 32 | y_place : y_place << 32 | x_place};
}

/* Returns the wish of a record. */
static inline JoinWish *
ListWishesOf(const ListWishes *wishes, uint32 x)
{
	return &wishes->wishes[wishes->records->wanted.of == WANTED_OF_ALL ? 0 : x];
}

/*
 * Returns whether record x wants a pair with record y of no less than this distance. If not, it does
 * not want any pair of no less distance with a record of a greater place.
 */
static inline bool
ListWishesWant(const ListWishes *wishes, uint32 x, uint32 y, double distance)
{
	PairRank bound = ListWishesOf(wishes, x)->bound;

	if (distance != bound.distance)
		return distance < bound.distance;
	return PairRankIsLess(ListWishesRank(wishes, x, y, distance), bound);
}

/* Returns whether the pair is wanted; only by x, if the measure is asymmetric. */
static inline bool
ListWishesWantPair(const ListWishes *wishes, uint32 x, uint32 y, double distance)
{
	bool by_x = ListWishesWant(wishes, x, y, distance);

	if (wishes->asymmetric)
		return by_x;
	if (wishes->records->wanted.of == WANTED_OF_BOTH)
		return by_x && ListWishesWant(wishes, y, x, distance);
	return by_x || ListWishesWant(wishes, y, x, distance);
}

#endif
