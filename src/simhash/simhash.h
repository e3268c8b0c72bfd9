/*
 * simhash.h
 *		The simhash type: 64 bits, mostly equal for similar sets.
 *
 * Values order as unsigned numbers, and so do their text forms.
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

/* Hamming distance, 0 to 64. */
static inline int
SimhashDistance(Simhash a, Simhash b)
{
	return pg_popcount64(a ^ b);
}

extern Datum simhash_distance(PG_FUNCTION_ARGS);
extern Datum simhash_distance_float8(PG_FUNCTION_ARGS);
extern Datum simhash_within(PG_FUNCTION_ARGS);

/* Raises invalid_parameter_value for a negative distance. */
extern int32 SimhashMaxDistanceOrError(int32 distance);

/* 16 hexadecimal digits and a zero. */
#define SIMHASH_TEXT_SIZE 17
extern void SimhashWriteText(Simhash value, char *text);

/* Reads 16 hexadecimal digits of either case; false for others. */
extern bool SimhashReadText(const char *text, Simhash *value);

#endif
