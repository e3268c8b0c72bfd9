/*
 * pair.h
 *		A pair of numbers as one int64, for sorts and tuplestores.
 *
 * The sign bit is inverted, so that the integers order as the pairs of unsigned numbers.
 */
#ifndef NEARDUP_CLUSTER_PAIR_H
#define NEARDUP_CLUSTER_PAIR_H

#define PAIR_SIGN_BIT ((uint64) 1 << 63)

static inline int64
PairPack(uint32 first, uint32 second)
{
	return (int64) (((uint64) first << 32 | second) ^ PAIR_SIGN_BIT);
}

static inline uint32
PairFirst(int64 pair)
{
	return (uint32) (((uint64) pair ^ PAIR_SIGN_BIT) >> 32);
}

static inline uint32
PairSecond(int64 pair)
{
	return (uint32) pair;
}

#endif
