/*
 * character_ranges.h
 *		Ranges of characters as values of SQL: int4range and int4multirange.
 */
#ifndef NEARDUP_CHARACTER_RANGES_H
#define NEARDUP_CHARACTER_RANGES_H

#include "utils/rangetypes.h"

/* A value of int4range, [from, to), as PostgreSQL stores it. */
typedef struct CharacterRangeDatum
{
	RangeType range;
	int32 from;
	int32 to;
	char flags;
} CharacterRangeDatum;

/* Returns the value, which is in *range. */
extern Datum CharacterRangeSet(CharacterRangeDatum *range, int32 from, int32 to);

/* Returns a range as one number by value, which takes less room than the value of SQL. */
static inline Datum
CharacterRangePack(uint32 from, uint32 to)
{
	return Int64GetDatum((int64) ((uint64) from << 32 | to));
}

/* Returns the value, which is in *range, of a packed range. */
static inline Datum
CharacterRangeUnpack(CharacterRangeDatum *range, Datum packed)
{
	uint64 number = (uint64) DatumGetInt64(packed);

	return CharacterRangeSet(range, (int32) (number >> 32), (int32) number);
}

/* Returns a new int4multirange of ascending ranges. */
extern Datum CharacterRangesDatum(CharacterRangeDatum *ranges, int32 count);

#endif
