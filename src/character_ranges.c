/*
 * character_ranges.c
 *		Making ranges of characters.
 *
 * A join may return millions of ranges, so they are written as they are stored: the two bounds after
 * the header, and flags in the last byte.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/multirangetypes.h"
#include "utils/typcache.h"

#include "allocate.h"
#include "character_ranges.h"
#include "compat.h"

Datum
CharacterRangeSet(CharacterRangeDatum *range, int32 from, int32 to)
{
	range->range.rangetypid = INT4RANGEOID;
	range->from = from;
	range->to = to;
	range->flags = RANGE_LB_INC;
	SET_VARSIZE(range, offsetof(CharacterRangeDatum, flags) + 1);
	return PointerGetDatum(range);
}

Datum
CharacterRangesDatum(CharacterRangeDatum *ranges, int32 count)
{
	TypeCacheEntry *type = lookup_type_cache(INT4RANGEOID, TYPECACHE_RANGE_INFO);
	RangeType **pointers = AllocateArray(count, sizeof(RangeType *));
	MultirangeType *result;

	for (int32 i = 0; i < count; i++)
		pointers[i] = &ranges[i].range;
	result = make_multirange(INT4MULTIRANGEOID, type, count, pointers);
	pfree(pointers);
	return PointerGetDatum(result);
}
