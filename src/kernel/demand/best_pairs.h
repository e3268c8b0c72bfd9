/*
 * best_pairs.h
 *		The demand for the most similar pairs: of each record, of all, or of both records of a pair.
 *
 * Once a record has as many pairs as it wants, the worst of them is a bound: only better pairs are
 * wanted. What a pair can be at best is known before it is verified, by the sizes and the positions of
 * its first common token. So of a family of nearly equal records most pairs are left out: each record
 * meets the few of the least places, and is not compared with the others (lists/list_families.h).
 *
 * A process knows the pairs that it has found itself. They are counted up to the wanted number, then
 * the worst of them becomes the bound, and further pairs, all of them better, are counted from 0 again.
 * So a record takes the same little memory whatever number is wanted.
 */
#ifndef NEARDUP_KERNEL_BEST_PAIRS_H
#define NEARDUP_KERNEL_BEST_PAIRS_H

#include "kernel/demand/pair_demand.h"

extern const PairDemandKind best_pairs;

/* What pairs of a record, or of all, are compared by; less is better. */
typedef struct PairRank
{
	double distance; /* a distance itself, else the negative similarity */
	uint64 places;	 /* of both rows, the first in the higher bits; or of the other row */
} PairRank;

/* Which pairs of a record, or of all, are still wanted. */
typedef struct PairWish
{
	PairRank bound; /* only better pairs are */
	PairRank worst; /* of the pairs that were counted */
	uint32 count;	/* once these are as many as are wanted, the worst is the bound */
} PairWish;

/* Whose best pairs are wanted. Of LEAST_OF_EACH, distances do not count, and the join is of one query. */
typedef enum BestOf
{
	BEST_OF_EACH, /* of each record that seeks; in a join of two queries, of the left side only */
	BEST_OF_ALL,  /* of all records together */
	BEST_OF_BOTH, /* pairs that are among the best of both of their records */
	LEAST_OF_EACH /* of each record, with those of the least places, which are less than its own */
} BestOf;

/*
 * What the caller tells: the `count` most similar pairs are wanted. Of equally similar pairs, pairs
 * of lesser places are wanted first. No two records of a query are equal.
 *
 * BEST_OF_BOTH ensures that each pair that is not found has a record with `count` better pairs that are
 * found.
 */
typedef struct BestPairs
{
	uint32 count;
	BestOf of;
	bool is_self_join;	  /* of one query; a part of its spilled rows may be two-sided */
	const uint32 *places; /* by key */

	/*
	 * For BEST_OF_BOTH, memory for the wish of each key, by which parts of spilled rows go on from each
	 * other; NULL if none are kept. Workers do not see these, and want pairs as if there were none.
	 */
	PairWish *wishes;
} BestPairs;

/* What all processes know of the records. */
typedef struct BestRecords
{
	uint32 count;
	BestOf of;
	bool is_self_join;
	uint32 places[FLEXIBLE_ARRAY_MEMBER]; /* by record */
} BestRecords;

typedef struct OpenBest
{
	OpenDemand open;
	const BestRecords *best;
	Measure measure;
	bool is_directed; /* pairs are found for their left record x alone, and x comes first */
	PairWish *wishes; /* one of all records, or one of each */
	uint32 wish_count;
} OpenBest;

/* Wants these pairs, by the roles that are set. */
static inline void
PairDemandBest(PairDemand *demand, BestPairs *best)
{
	demand->kind = &best_pairs;
	demand->of_keys = best;
}

/* Returns the demand if it is for the best pairs, else NULL. */
static inline OpenBest *
OpenBestOf(OpenDemand *demand)
{
	return demand != NULL && demand->kind == &best_pairs ? (OpenBest *) demand : NULL;
}

/*
 * Returns what pairs are compared by, before their places, for records with this overlap at most.
 * Records of one query are distinct.
 */
static inline double
OpenBestDistance(const OpenBest *open, int64 overlap, int64 x_size, int64 y_size)
{
	if (open->best->of == LEAST_OF_EACH)
		return 0;
	if (overlap == x_size && overlap == y_size && open->best->is_self_join)
		overlap--;
	return MeasureDistance(open->measure, MeasureValue(open->measure, overlap, x_size, y_size));
}

static inline bool
PairRankIsLess(PairRank a, PairRank b)
{
	return a.distance < b.distance || (a.distance == b.distance && a.places < b.places);
}

/* Returns the rank that a pair has for record x. */
static inline PairRank
OpenBestRank(const OpenBest *open, uint32 x, uint32 y, double distance)
{
	const JoinRecords *records = open->open.records;
	uint64 x_place = open->best->places[x];
	uint64 y_place = open->best->places[y];
	bool x_first = x_place < y_place;

	if (open->best->of == BEST_OF_EACH || open->best->of == LEAST_OF_EACH)
		return (PairRank){distance, y_place};
	if (open->is_directed)
		x_first = true;
	else if (!open->best->is_self_join)
		x_first = JoinRecordIsLeft(records, &records->records[x]);
	return (PairRank){distance, x_first ? x_place << 32 | y_place : y_place << 32 | x_place};
}

/* Returns the wish of a record. */
static inline PairWish *
OpenBestWish(const OpenBest *open, uint32 x)
{
	return &open->wishes[open->best->of == BEST_OF_ALL ? 0 : x];
}

/*
 * Returns whether record x wants a pair with record y of no less than this distance. If not, it does
 * not want any pair of no less distance with a record of a greater place.
 */
static inline bool
OpenBestWants(const OpenBest *open, uint32 x, uint32 y, double distance)
{
	PairRank bound = OpenBestWish(open, x)->bound;

	if (distance != bound.distance)
		return distance < bound.distance;
	return PairRankIsLess(OpenBestRank(open, x, y, distance), bound);
}

#endif
