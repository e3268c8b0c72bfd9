/*
 * strings.c
 *		Metrics of two texts, as SQL functions.
 *
 * Texts are compared by code points as they are, neither normalized nor folded. The algorithms are
 * the kernel's (kernel/edit), which work on arrays of code points and get memory from their host.
 *
 * A prefix or suffix that both texts have does not change an edit distance, and most texts that are
 * compared are nearly equal. So both are dropped before the texts are decoded, byte by byte, but
 * never within a character.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "compat.h"
#include "kernel/edit/damerau_distance.h"
#include "kernel/edit/edit_distance.h"
#include "kernel/edit/jaro.h"
#include "memory/palloc_host.h"
#include "strings/strings.h"
#include "text/encoding.h"
#include "text/unicode.h"

PG_FUNCTION_INFO_V1(edit_distance);
PG_FUNCTION_INFO_V1(edit_distance_at_most);
PG_FUNCTION_INFO_V1(edit_within);
PG_FUNCTION_INFO_V1(damerau_levenshtein);
PG_FUNCTION_INFO_V1(jaro_similarity);
PG_FUNCTION_INFO_V1(jaro_winkler_similarity);

/* The most characters of a text that is compared, which bounds the memory for it. */
#define MAX_CHARACTERS ((Size) 1 << 24)

/* The two texts of a call. Once they are decoded, of[0] is at least as long as of[1]. */
typedef struct Strings
{
	JoinHost host;
	ByteSpan bytes[2];
	Characters of[2];
} Strings;

/* Returns a text argument in UTF-8. */
static ByteSpan
strings_argument(FunctionCallInfo fcinfo, int number)
{
	text *value = PG_GETARG_TEXT_PP(number);

	return ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

/* Makes the kernel's host, and fetches the texts of a call, without decoding them. */
static void
strings_open(Strings *strings, FunctionCallInfo fcinfo)
{
	memset(strings, 0, sizeof(*strings));
	strings->host = PallocHost(CurrentMemoryContext);
	for (int i = 0; i < 2; i++)
		strings->bytes[i] = strings_argument(fcinfo, i);
}

static inline bool
continues_character(char byte)
{
	return ((uint8) byte & 0xC0) == 0x80;
}

static void
drop_common_prefix(Strings *strings)
{
	ByteSpan *a = &strings->bytes[0];
	ByteSpan *b = &strings->bytes[1];
	Size most = Min(a->length, b->length);
	Size common = 0;

	while (common < most && a->data[common] == b->data[common])
		common++;
	/* Move back to a place where a character begins in both, or a text ends. */
	while (common > 0 && ((common < a->length && continues_character(a->data[common])) ||
						  (common < b->length && continues_character(b->data[common]))))
		common--;
	for (int i = 0; i < 2; i++)
	{
		strings->bytes[i].data += common;
		strings->bytes[i].length -= common;
	}
}

static void
drop_common_suffix(Strings *strings)
{
	ByteSpan *a = &strings->bytes[0];
	ByteSpan *b = &strings->bytes[1];
	Size most = Min(a->length, b->length);
	Size common = 0;

	while (common < most && a->data[a->length - common - 1] == b->data[b->length - common - 1])
		common++;
	while (common > 0 && continues_character(a->data[a->length - common]))
		common--;
	for (int i = 0; i < 2; i++)
		strings->bytes[i].length -= common;
}

/* What the bytes of a text tell without being decoded. */
typedef struct Outline
{
	Size length;  /* in characters */
	uint64 kinds; /* of characters, by the lowest six bits of their first bytes */
} Outline;

static Outline
outline_of(JoinHost *host, ByteSpan utf8)
{
	Outline outline = {0};

	for (Size i = 0; i < utf8.length; i++)
	{
		JoinTick(host, 1);
		if (continues_character(utf8.data[i]))
			continue;
		outline.length++;
		outline.kinds |= UINT64CONST(1) << ((uint8) utf8.data[i] & 63);
	}
	return outline;
}

Characters
CharactersOf(JoinHost *host, ByteSpan utf8)
{
	Size count = outline_of(host, utf8).length;
	const uint8 *byte = (const uint8 *) utf8.data;
	const uint8 *end = byte + utf8.length;
	Characters of = {0};

	if (count > MAX_CHARACTERS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("text is too long to be compared"),
				 errdetail("At most %zu characters can be compared.", MAX_CHARACTERS)));
	of.characters = JoinAllocate(host, Max(count, 1), sizeof(uint32));
	while (byte < end)
	{
		int32 character;

		JoinTick(host, 1);
		byte += Utf8Decode(byte, end, &character);
		of.characters[of.length++] = (uint32) character;
	}
	return of;
}

/*
 * Decodes both texts, and swaps them if the first one is shorter. All metrics here are symmetric.
 */
static void
strings_decode(Strings *strings)
{
	for (int i = 0; i < 2; i++)
		strings->of[i] = CharactersOf(&strings->host, strings->bytes[i]);
	if (strings->of[0].length < strings->of[1].length)
	{
		Characters longer = strings->of[1];

		strings->of[1] = strings->of[0];
		strings->of[0] = longer;
	}
}

static void
strings_close(Strings *strings)
{
	pfree(strings->of[0].characters);
	pfree(strings->of[1].characters);
}

/* What the distance of two texts is at least and at most, as far as their outlines tell. */
typedef struct DistanceBounds
{
	Size least;
	Size greatest;
} DistanceBounds;

/*
 * Returns the bounds of the distance. An edit changes the length by at most one, and is needed for
 * each kind of character that one text alone has. As many edits as the longer text has characters
 * turn any text into it.
 */
static DistanceBounds
distance_bounds(Strings *strings)
{
	Outline a = outline_of(&strings->host, strings->bytes[0]);
	Outline b = outline_of(&strings->host, strings->bytes[1]);
	Size length = Max(a.length, b.length) - Min(a.length, b.length);
	Size only_a = (Size) pg_popcount64(a.kinds & ~b.kinds);
	Size only_b = (Size) pg_popcount64(b.kinds & ~a.kinds);

	return (DistanceBounds){.least = Max(length, Max(only_a, only_b)),
							.greatest = Max(a.length, b.length)};
}

/* Fetches the texts of a call, and drops what does not change their distance. */
static DistanceBounds
open_for_distance(Strings *strings, FunctionCallInfo fcinfo)
{
	strings_open(strings, fcinfo);
	drop_common_prefix(strings);
	drop_common_suffix(strings);
	return distance_bounds(strings);
}

/* Returns the Levenshtein distance of the texts, PG_UINT32_MAX if it is above the limit. */
static uint32
distance_within(Strings *strings, DistanceBounds bounds, uint32 limit)
{
	EditPattern pattern;
	uint32 distance;

	if (bounds.least > limit)
		return PG_UINT32_MAX;
	strings_decode(strings);
	EditPatternInit(&pattern, &strings->host);
	EditPatternSet(&pattern, strings->of[0].characters, strings->of[0].length);
	distance =
		EditDistanceWithin(&pattern, strings->of[1].characters, strings->of[1].length, limit);
	EditPatternFree(&pattern);
	strings_close(strings);
	return distance;
}

uint32
MaxEditDistanceOrError(int32 distance)
{
	if (distance < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("maximum edit distance must not be negative"),
						errdetail("The distance is %d.", distance),
						errhint("A distance of 0 finds equal texts.")));
	return (uint32) distance;
}

Datum
edit_distance(PG_FUNCTION_ARGS)
{
	Strings strings;
	DistanceBounds bounds = open_for_distance(&strings, fcinfo);

	PG_RETURN_INT32((int32) distance_within(&strings, bounds, PG_INT32_MAX));
}

Datum
edit_distance_at_most(PG_FUNCTION_ARGS)
{
	uint32 limit = MaxEditDistanceOrError(PG_GETARG_INT32(2));
	Strings strings;
	DistanceBounds bounds = open_for_distance(&strings, fcinfo);
	uint32 distance = distance_within(&strings, bounds, limit);

	PG_RETURN_INT32((int32) Min(distance, limit + 1));
}

Datum
edit_within(PG_FUNCTION_ARGS)
{
	uint32 limit = MaxEditDistanceOrError(PG_GETARG_INT32(2));
	Strings strings;
	DistanceBounds bounds = open_for_distance(&strings, fcinfo);

	PG_RETURN_BOOL(bounds.greatest <= limit || distance_within(&strings, bounds, limit) <= limit);
}

Datum
damerau_levenshtein(PG_FUNCTION_ARGS)
{
	Strings strings;
	uint32 distance;

	strings_open(&strings, fcinfo);
	drop_common_prefix(&strings);
	drop_common_suffix(&strings);
	strings_decode(&strings);
	distance = DamerauDistance(&strings.host, strings.of[0].characters, strings.of[0].length,
							   strings.of[1].characters, strings.of[1].length);
	strings_close(&strings);
	PG_RETURN_INT32((int32) distance);
}

/* Returns a similarity of the arguments, whose common beginnings and ends count. */
static double
similarity(FunctionCallInfo fcinfo,
		   double (*of)(JoinHost *, const uint32 *, uint32, const uint32 *, uint32))
{
	Strings strings;
	double result;

	strings_open(&strings, fcinfo);
	strings_decode(&strings);
	result = of(&strings.host, strings.of[0].characters, strings.of[0].length,
				strings.of[1].characters, strings.of[1].length);
	strings_close(&strings);
	return result;
}

Datum
jaro_similarity(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(similarity(fcinfo, JaroSimilarity));
}

Datum
jaro_winkler_similarity(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(similarity(fcinfo, JaroWinklerSimilarity));
}
