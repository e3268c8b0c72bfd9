/*
 * remove_ranges.c
 *		The SQL function remove_ranges: a text without some of its characters.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/multirangetypes.h"
#include "utils/typcache.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(remove_ranges);

/* A place in a text, and how many characters are before it. */
typedef struct CharacterPlace
{
	const char *at;
	const char *end;
	int64 characters;
} CharacterPlace;

/* Moves to the place before character number `to`, from 1, or to the end of the text. */
static void
move_to(CharacterPlace *place, int64 to)
{
	bool is_byte = pg_database_encoding_max_length() == 1;

	while (place->characters < to - 1 && place->at < place->end)
	{
		CHECK_FOR_INTERRUPTS();
		place->at += is_byte ? 1 : Min(pg_mblen(place->at), place->end - place->at);
		place->characters++;
	}
}

/* Appends what is between two places of the text. */
static char *
append_between(char *out, const char *from, const char *to)
{
	memcpy(out, from, to - from);
	return out + (to - from);
}

/* The ranges of a multirange ascend, include their lower bounds, and exclude the upper ones. */
Datum
remove_ranges(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	MultirangeType *ranges = PG_GETARG_MULTIRANGE_P(1);
	TypeCacheEntry *type = lookup_type_cache(INT4RANGEOID, TYPECACHE_RANGE_INFO);
	Size length = VARSIZE_ANY_EXHDR(value);
	CharacterPlace place = {.at = VARDATA_ANY(value), .end = (char *) VARDATA_ANY(value) + length};
	text *result = palloc(VARHDRSZ + length);
	char *out = VARDATA(result);

	for (uint32 i = 0; i < ranges->rangeCount; i++)
	{
		const char *from = place.at;
		RangeBound lower;
		RangeBound upper;

		CHECK_FOR_INTERRUPTS();
		multirange_get_bounds(type, ranges, i, &lower, &upper);
		if (!lower.infinite)
			move_to(&place, DatumGetInt32(lower.val));
		out = append_between(out, from, place.at);
		move_to(&place, upper.infinite ? PG_INT64_MAX : DatumGetInt32(upper.val));
	}
	out = append_between(out, place.at, place.end);
	SET_VARSIZE(result, out - (char *) result);
	PG_RETURN_TEXT_P(result);
}
