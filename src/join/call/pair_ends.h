/*
 * pair_ends.h
 *		The two numbers of a pair as one int64, which sorts faster.
 *
 * The sign bit is inverted, so that the integers order as the pairs of unsigned numbers.
 */
#ifndef NEARDUP_JOIN_PAIR_ENDS_H
#define NEARDUP_JOIN_PAIR_ENDS_H

#define PAIR_ENDS_SIGN_BIT ((uint64) 1 << 63)

static inline int64
PairEndsPack(uint32 first, uint32 second)
{
	return (int64) (((uint64) first << 32 | second) ^ PAIR_ENDS_SIGN_BIT);
}

static inline uint32
PairEndsFirst(int64 ends)
{
	return (uint32) (((uint64) ends ^ PAIR_ENDS_SIGN_BIT) >> 32);
}

static inline uint32
PairEndsSecond(int64 ends)
{
	return (uint32) ends;
}

#endif
