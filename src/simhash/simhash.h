/*
 * simhash.h
 *		The simhash type: 64 bits, of which similar sets have most in common.
 *
 * Bit 63, the most significant, is the first of the text form. Values order as
 * unsigned numbers, which is how their text forms order.
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

/* The number of bits in which the values differ, the Hamming distance: 0 to 64. */
static inline int
SimhashDistance(Simhash a, Simhash b)
{
	return pg_popcount64(a ^ b);
}

extern Datum simhash_distance(PG_FUNCTION_ARGS);
extern Datum simhash_distance_float8(PG_FUNCTION_ARGS);
extern Datum simhash_within(PG_FUNCTION_ARGS);

/* The greatest distance that an argument asks for; invalid_parameter_value below 0. */
extern int32 SimhashMaxDistanceOrError(int32 distance);

/* The text form: 16 hexadecimal digits and a zero. */
#define SIMHASH_TEXT_SIZE 17
extern void SimhashWriteText(Simhash value, char *text);

/* Reads 16 hexadecimal digits of either case; false where there are others. */
extern bool SimhashReadText(const char *text, Simhash *value);

#endif
