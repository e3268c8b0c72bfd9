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

/* Returns a range as one number, which takes less room than the value of SQL. */
static inline int64
CharacterRangePack(uint32 from, uint32 to)
{
	return (int64) ((uint64) from << 32 | to);
}

/* Returns the value, which is in *range, of a packed range. */
static inline Datum
CharacterRangeUnpack(CharacterRangeDatum *range, int64 packed)
{
	return CharacterRangeSet(range, (int32) ((uint64) packed >> 32), (int32) packed);
}

/* Returns a new int4multirange of ascending ranges. */
extern Datum CharacterRangesDatum(CharacterRangeDatum *ranges, int32 count);

#endif
