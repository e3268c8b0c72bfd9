/*
 * normalize.c
 *		Normalization: decomposition, case folding, composition.
 *
 * No ASCII character composes with what precedes it, so ASCII before ASCII needs only a table. A
 * stretch of other characters, with one ASCII character before it, is decomposed and case-folded
 * into a pending array, which is composed and written in chunks that end before a starter. The last
 * starter of a chunk heads the next one if they might compose (Hangul, Indic vowel signs), that is,
 * without marks on it: NFC(NFC(x) || y) = NFC(x || y).
 */
#include "postgres.h"

#include "text/compose.h"
#include "text/interrupts.h"
#include "text/normalize.h"
#include "text/unicode.h"

#define CHUNK 4096
#define LONGEST_DECOMPOSITION 32 /* U+FDFA has 18 */

/* vowels with U+0345 */
#define GREEK_EXTENDED_FIRST 0x1F00
#define GREEK_EXTENDED_LAST 0x1FFF

#define NFKC_CASEFOLD                                                                              \
	(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE)

typedef struct Normalizer
{
	ByteBuffer out;
	bool blank; /* due before the next word */
	int32 *pending;
	Size count;
	Size capacity;

	/* The source map, or NULL. */
	SourceMap *map;
	const uint8 *source;
	const uint8 *pending_start; /* of the first pending code point */
	const uint8 *starter_start; /* of the last starter */
} Normalizer;

static const uint8 ascii_folded[128] = {
	['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
	['7'] = '7', ['8'] = '8', ['9'] = '9', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd',
	['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k',
	['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r',
	['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',
	['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f',
	['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm',
	['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't',
	['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

static void
note_source(Normalizer *normalizer, Size normalized, const uint8 *start, const uint8 *end)
{
	SourceMap *map = normalizer->map;

	if (map->count == map->capacity)
	{
		map->capacity *= 2;
		map->spans = repalloc_huge(map->spans, mul_size(map->capacity, sizeof(SourceSpan)));
	}
	map->spans[map->count].normalized = normalized;
	map->spans[map->count].start = start - normalizer->source;
	map->spans[map->count++].end = end - normalizer->source;
}

/* Writes at most one byte more than it reads. */
static void
write_ascii(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	char *out;
	bool blank = normalizer->blank;

	ByteBufferReserve(&normalizer->out, (end - p) + 1);
	out = normalizer->out.data + normalizer->out.used;
	for (; p < end; p++)
	{
		uint8 folded = ascii_folded[*p];

		if (folded == 0)
		{
			blank = out > normalizer->out.data;
			continue;
		}
		if (blank)
			*out++ = ' ';
		blank = false;
		*out++ = folded;
	}
	normalizer->out.used = out - normalizer->out.data;
	normalizer->blank = blank;
}

static void
write_ascii_mapped(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	for (; p < end; p++)
	{
		Size before = normalizer->out.used;

		write_ascii(normalizer, p, p + 1);
		if (normalizer->out.used > before)
			note_source(normalizer, normalizer->out.used - 1, p, p + 1);
	}
}

static void
write_code_points(Normalizer *normalizer, const int32 *codepoints, Size count, const uint8 *start,
				  const uint8 *end)
{
	ByteBuffer *out = &normalizer->out;

	ByteBufferReserve(out, count * 4 + 1);
	for (Size i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		if (!UnicodeIsWord(codepoints[i]))
		{
			normalizer->blank = out->used > 0;
			continue;
		}
		if (normalizer->blank)
			out->data[out->used++] = ' ';
		normalizer->blank = false;
		if (unlikely(normalizer->map != NULL))
			note_source(normalizer, out->used, start, end);
		out->used +=
			utf8proc_encode_char(codepoints[i], (utf8proc_uint8_t *) out->data + out->used);
	}
}

/* Whether the canonical decomposition ends in U+0345. */
static bool
ends_in_ypogegrammeni(int32 codepoint)
{
	int32 canonical[LONGEST_DECOMPOSITION];
	int unused_boundary = 0;
	utf8proc_ssize_t count;

	if (codepoint < GREEK_EXTENDED_FIRST || codepoint > GREEK_EXTENDED_LAST)
		return codepoint == YPOGEGRAMMENI;
	count = utf8proc_decompose_char(codepoint, canonical, LONGEST_DECOMPOSITION,
									UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, &unused_boundary);
	return count > 0 && canonical[count - 1] == YPOGEGRAMMENI;
}

/* Appends the case-folded compatibility decomposition, but leaves a final U+0345. */
static void
decompose(Normalizer *normalizer, int32 codepoint)
{
	int unused_boundary = 0;
	utf8proc_ssize_t added;

	if (normalizer->capacity - normalizer->count < LONGEST_DECOMPOSITION)
	{
		normalizer->capacity *= 2;
		normalizer->pending =
			repalloc_huge(normalizer->pending, mul_size(normalizer->capacity, sizeof(int32)));
	}
	added = utf8proc_decompose_char(codepoint, normalizer->pending + normalizer->count,
									LONGEST_DECOMPOSITION, NFKC_CASEFOLD, &unused_boundary);
	if (added < 0 || added > LONGEST_DECOMPOSITION)
		elog(ERROR, "utf8proc could not decompose U+%04X", codepoint);
	normalizer->count += added;
	if (unlikely(ends_in_ypogegrammeni(codepoint)))
		normalizer->pending[normalizer->count - 1] = YPOGEGRAMMENI;
}

/* Composes and writes the code points before the cut, which come from before place. */
static void
write_chunk(Normalizer *normalizer, Size cut, const uint8 *place)
{
	int32 *pending = normalizer->pending;
	Size composed = ComposeCanonical(pending, cut);
	Size held = composed > 0 && UnicodeCombiningClass(pending[composed - 1]) == 0 ? 1 : 0;
	const uint8 *end = held && normalizer->starter_start > normalizer->pending_start
						   ? normalizer->starter_start
						   : place;

	write_code_points(normalizer, pending, composed - held, normalizer->pending_start, end);
	if (composed > held)
		normalizer->pending_start = held ? normalizer->starter_start : place;
	if (held)
		pending[0] = pending[composed - 1];
	memmove(pending + held, pending + cut, (normalizer->count - cut) * sizeof(int32));
	normalizer->count = held + normalizer->count - cut;
}

/* Normalizes the characters from p to the next ASCII one. */
static const uint8 *
normalize_stretch(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	Size read = 0;
	Size chunk = normalizer->map != NULL ? 1 : CHUNK;
	Size composed;
	Size first = 0;

	if (normalizer->pending == NULL)
	{
		normalizer->capacity = CHUNK + LONGEST_DECOMPOSITION;
		normalizer->pending = palloc(normalizer->capacity * sizeof(int32));
	}
	normalizer->count = 0;
	normalizer->pending_start = normalizer->starter_start = p;
	do
	{
		Size before = normalizer->count;
		const uint8 *place = p;
		int32 codepoint;

		/* Count ignored characters too. */
		read++;
		CHECK_NOW_AND_THEN(read);
		p += Utf8Decode(p, end, &codepoint);
		decompose(normalizer, codepoint);
		if (unlikely(before >= chunk && normalizer->count > before) &&
			UnicodeCombiningClass(normalizer->pending[before]) == 0)
		{
			write_chunk(normalizer, before, place);
			normalizer->starter_start = place;
		}
	} while (p < end && *p >= 0x80);
	composed = ComposeCanonical(normalizer->pending, normalizer->count);
	if (composed > 1 && normalizer->starter_start > normalizer->pending_start)
		first = 1;
	write_code_points(normalizer, normalizer->pending, first, normalizer->pending_start,
					  normalizer->starter_start);
	write_code_points(normalizer, normalizer->pending + first, composed - first,
					  first ? normalizer->starter_start : normalizer->pending_start, p);
	return p;
}

/* End of the ASCII characters at p, tested eight at a time. */
static const uint8 *
end_of_ascii(const uint8 *p, const uint8 *end)
{
	uint64 eight;

	for (; end - p >= 8; p += 8)
	{
		memcpy(&eight, p, 8);
		if (eight & UINT64CONST(0x8080808080808080))
			break;
	}
	while (p < end && *p < 0x80)
		p++;
	return p;
}

static ByteBuffer
normalize(ByteSpan utf8, SourceMap *map)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	Normalizer normalizer = {.map = map, .source = p};

	ByteBufferInit(&normalizer.out, utf8.length + 1);
	while (p < end)
	{
		const uint8 *block = end - p > 0x100000 ? p + 0x100000 : end;
		const uint8 *ascii = end_of_ascii(p, block);

		CHECK_FOR_INTERRUPTS();
		/* A mark may follow the last ASCII character. */
		if (ascii > p && ascii < end && *ascii >= 0x80)
			ascii--;
		if (map != NULL)
			write_ascii_mapped(&normalizer, p, ascii);
		else
			write_ascii(&normalizer, p, ascii);
		p = ascii;
		if (p < end && (*p >= 0x80 || (p + 1 < end && p[1] >= 0x80)))
			p = normalize_stretch(&normalizer, p, end);
	}
	if (normalizer.pending)
		pfree(normalizer.pending);
	return normalizer.out;
}

ByteBuffer
NormalizeUtf8(ByteSpan utf8)
{
	return normalize(utf8, NULL);
}

ByteBuffer
NormalizeUtf8Mapped(ByteSpan utf8, SourceMap *map)
{
	map->count = 0;
	map->capacity = Max(utf8.length, 64);
	map->spans =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(map->capacity, sizeof(SourceSpan)));
	return normalize(utf8, map);
}
