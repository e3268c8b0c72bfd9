/*
 * simhash.h
 *		The simhash type: a sketch of 64 bits, most of which are equal for similar sets.
 *
 * sketch/bit_sums.h explains how the bits are made. The type is passed by value. Values are ordered
 * as unsigned numbers, as which their text forms are ordered as well.
 */
#ifndef NEARDUP_SIMHASH_H
#define NEARDUP_SIMHASH_H

#include "fmgr.h"
#include "port/pg_bitutils.h"

typedef uint64 Simhash;

#define SIMHASH_BITS 64

#define DatumGetSimhash(d) ((Simhash) DatumGetInt64(d))
#define SimhashGetDatum(x) Int64GetDatum((int64) (x))
#define PG_GETARG_SIMHASH(n) DatumGetSimhash(PG_GETARG_DATUM(n))
#define PG_RETURN_SIMHASH(x) return SimhashGetDatum(x)

/* Returns the Hamming distance: the number of bits that differ, from 0 to 64. */
static inline int
SimhashDistance(Simhash a, Simhash b)
{
	return pg_popcount64(a ^ b);
}

#endif
