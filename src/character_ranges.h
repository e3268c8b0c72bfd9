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

/* Returns a new int4multirange of ascending ranges. */
extern Datum CharacterRangesDatum(CharacterRangeDatum *ranges, int32 count);

#endif
