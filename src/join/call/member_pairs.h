/*
 * member_pairs.h
 *		The pairs of rows of two similar groups, in the order of their places.
 *
 * A taker that needs few of them ends early: pairs are made one by one.
 */
#ifndef NEARDUP_JOIN_MEMBER_PAIRS_H
#define NEARDUP_JOIN_MEMBER_PAIRS_H

#include "join/call/row_places.h"

/* Members that remain of a group. */
typedef struct MemberRange
{
	const uint32 *next;
	const uint32 *end;
} MemberRange;

typedef struct MemberPairs
{
	const RowPlaces *places;
	double distance;
	bool is_ordered;	  /* whether each pair comes once, the lesser place first */
	bool is_one_group;	  /* whose rows are paired with each other */
	MemberRange sides[2]; /* next is the member whose pairs come next */
	int side;			  /* which has the present first row */
	bool has_first;
	MemberRange partners; /* partners of the first row that remain */
	uint32 of_first;	  /* pairs of the first row so far */
} MemberPairs;

extern void MemberPairsBegin(MemberPairs *pairs, const RowPlaces *places, const GroupPair *groups,
							 Measure measure);

/*
 * Sets the next pair; false after the last. Pairs ascend by a, and those of one row a by b. A
 * self-join has no pairs of equal keys.
 */
extern bool MemberPairsNext(MemberPairs *pairs, RankedPair *pair);

/* Leaves out the further pairs of the present row a. */
static inline void
MemberPairsSkipRow(MemberPairs *pairs)
{
	pairs->partners.next = pairs->partners.end;
}

#endif
