/*
 * normalize.c
 *		The normalized form of a text, of which words and q-grams are made.
 *
 * Most text is ASCII, and most of the rest is ASCII with an accent here and
 * there. Nothing composes with, or is reordered around, an ASCII character
 * that follows it, so text may be cut before any of them: an ASCII character
 * before another is its own normal form but for its case, which a table gives.
 * Only a stretch of other characters, with the one ASCII character before it
 * (a combining mark may follow), goes through utf8proc.
 *
 * Such a stretch can be a whole book. Its code points are decomposed and case
 * folded one by one into an array, which is composed and written whenever it
 * has CHUNK of them and a starter begins. Where that starter might still compose
 * with what precedes it (a Hangul vowel, an Indic vowel sign), the starter
 * before it is held back, composed as it is, and heads the next chunk. This is
 * right because NFC(NFC(x) || y) = NFC(x || y), and because a mark that stays
 * on a starter keeps later starters from composing with it, so that it is
 * enough to hold back a starter without marks.
 *
 * Where the source of each character is asked for, each chunk is as small as it
 * can be: it ends at the next starter, wherever that is.
 */
#include "postgres.h"

#include "text/compose.h"
#include "text/interrupts.h"
#include "text/normalize.h"
#include "text/unicode.h"

#define CHUNK 4096
#define LONGEST_DECOMPOSITION 32 /* U+FDFA has 18 */

/* Block of the vowels with U+0345. */
#define GREEK_EXTENDED_FIRST 0x1F00
#define GREEK_EXTENDED_LAST 0x1FFF

#define NFKC_CASEFOLD                                                                              \
	(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE)

typedef struct Normalizer
{
	ByteBuffer out;
	bool blank; /* a blank is due before the next word character */
	int32 *pending;
	Size count;
	Size capacity;

	/* Where the source of each character is asked for; else map is NULL. */
	SourceMap *map;
	const uint8 *source;
	const uint8 *pending_start; /* of the first that is pending */
	const uint8 *starter_start; /* of the last that begins with a starter */
} Normalizer;

/* The lower-case form of letters, digits themselves, 0 for all other. */
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

/* The character that begins at this place of the result comes from there. */
static void
NoteSource(Normalizer *normalizer, Size normalized, const uint8 *start, const uint8 *end)
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

/*
 * Writes ASCII characters of which none is followed by another character than
 * ASCII. Never writes more bytes than it reads: a blank stands for at least
 * one character that was not written.
 */
static void
WriteAscii(Normalizer *normalizer, const uint8 *p, const uint8 *end)
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

/* WriteAscii, with the source of each character. */
static void
WriteAsciiMapped(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	for (; p < end; p++)
	{
		Size before = normalizer->out.used;

		WriteAscii(normalizer, p, p + 1);
		if (normalizer->out.used > before)
			NoteSource(normalizer, normalizer->out.used - 1, p, p + 1);
	}
}

/* The code points come from the source between start and end. */
static void
WriteCodePoints(Normalizer *normalizer, const int32 *codepoints, Size count, const uint8 *start,
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
			NoteSource(normalizer, out->used, start, end);
		out->used +=
			utf8proc_encode_char(codepoints[i], (utf8proc_uint8_t *) out->data + out->used);
	}
}

/* Whether the canonical decomposition ends in U+0345; U+1FBE, a plain iota, does not. */
static bool
EndsInYpogegrammeni(int32 codepoint)
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

/*
 * Appends the case-folded compatibility decomposition of one character, which
 * may be nothing; a final U+0345 is left for CanonicalCompose to fold.
 */
static void
Decompose(Normalizer *normalizer, int32 codepoint)
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
	if (unlikely(EndsInYpogegrammeni(codepoint)))
		normalizer->pending[normalizer->count - 1] = YPOGEGRAMMENI;
}

/*
 * Composes and writes the pending code points before the cut, where a starter
 * begins, from this place of the source, and holds back the last of them if it is
 * a starter itself.
 */
static void
WriteChunk(Normalizer *normalizer, Size cut, const uint8 *place)
{
	int32 *pending = normalizer->pending;
	Size composed = CanonicalCompose(pending, cut);
	Size held = composed > 0 && CombiningClass(pending[composed - 1]) == 0 ? 1 : 0;
	const uint8 *end = held && normalizer->starter_start > normalizer->pending_start
						   ? normalizer->starter_start
						   : place;

	WriteCodePoints(normalizer, pending, composed - held, normalizer->pending_start, end);
	if (composed > held)
		normalizer->pending_start = held ? normalizer->starter_start : place;
	if (held)
		pending[0] = pending[composed - 1];
	memmove(pending + held, pending + cut, (normalizer->count - cut) * sizeof(int32));
	normalizer->count = held + normalizer->count - cut;
}

/* Normalizes one character and all after it that are not ASCII; returns where it ends. */
static const uint8 *
NormalizeStretch(Normalizer *normalizer, const uint8 *p, const uint8 *end)
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

		/* Of those read, not of those kept: what Unicode ignores adds nothing. */
		read++;
		CHECK_NOW_AND_THEN(read);
		p += Utf8Decode(p, end, &codepoint);
		Decompose(normalizer, codepoint);
		if (unlikely(before >= chunk && normalizer->count > before) &&
			CombiningClass(normalizer->pending[before]) == 0)
		{
			WriteChunk(normalizer, before, place);
			normalizer->starter_start = place;
		}
	} while (p < end && *p >= 0x80);
	composed = CanonicalCompose(normalizer->pending, normalizer->count);
	if (composed > 1 && normalizer->starter_start > normalizer->pending_start)
		first = 1;
	WriteCodePoints(normalizer, normalizer->pending, first, normalizer->pending_start,
					normalizer->starter_start);
	WriteCodePoints(normalizer, normalizer->pending + first, composed - first,
					first ? normalizer->starter_start : normalizer->pending_start, p);
	return p;
}

/* Where the run of ASCII characters that begins at p ends; looks at eight at a time. */
static const uint8 *
EndOfAscii(const uint8 *p, const uint8 *end)
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
Normalize(ByteSpan utf8, SourceMap *map)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	Normalizer normalizer = {.map = map, .source = p};

	ByteBufferInit(&normalizer.out, utf8.length + 1);
	while (p < end)
	{
		const uint8 *block = end - p > 0x100000 ? p + 0x100000 : end;
		const uint8 *ascii = EndOfAscii(p, block);

		CHECK_FOR_INTERRUPTS();
		/* The last ASCII character may have a mark after it; at the end of the block, not known. */
		if (ascii > p && ascii < end && *ascii >= 0x80)
			ascii--;
		if (map != NULL)
			WriteAsciiMapped(&normalizer, p, ascii);
		else
			WriteAscii(&normalizer, p, ascii);
		p = ascii;
		if (p < end && (*p >= 0x80 || (p + 1 < end && p[1] >= 0x80)))
			p = NormalizeStretch(&normalizer, p, end);
	}
	if (normalizer.pending)
		pfree(normalizer.pending);
	return normalizer.out;
}

ByteBuffer
NormalizeUtf8(ByteSpan utf8)
{
	return Normalize(utf8, NULL);
}

ByteBuffer
NormalizeUtf8Mapped(ByteSpan utf8, SourceMap *map)
{
	map->count = 0;
	map->capacity = Max(utf8.length, 64);
	map->spans =
		MemoryContextAllocHuge(CurrentMemoryContext, mul_size(map->capacity, sizeof(SourceSpan)));
	return Normalize(utf8, map);
}
