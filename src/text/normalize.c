/*
 * normalize.c
 *		Normalization: decomposition, case folding, composition.
 *
 * In principle, each character is decomposed and folded, all marks are sorted, and the whole is
 * composed. That is slow, and for most characters the result is known beforehand. So the text is
 * taken apart into three kinds of pieces:
 *
 * - Runs of ASCII are folded by vectors (fold_ascii.h).
 * - Simple characters (simple_fold.h) have a normalized form of one code point, and do not compose
 *   with what precedes them. They are looked up and written one by one.
 * - The rest is a stretch: the characters between two simple ones, and the simple one before them,
 *   with which they may compose. For example, in "cafe" with a combining acute behind it, "caf" is
 *   ASCII, and the stretch is "e" and the acute.
 *
 * A stretch is decomposed into the array `pending`, which is composed and written in chunks, lest a
 * long stretch take memory of many times its size. A chunk ends before a starter, a code point of
 * class 0, since marks are never sorted across one. A starter can still compose with the one before
 * it (the parts of a Hangul syllable, the vowel signs of Indic scripts). So the last starter of a
 * chunk, if no marks remain behind it, is not written, but heads the next chunk in its composed
 * form. That is right because NFC(NFC(x) || y) = NFC(x || y).
 *
 * Blanks are written when they are met; one at the end is dropped at last.
 */
#include "postgres.h"

#include "storage/shmem.h"

#include "text/compose.h"
#include "text/decompose.h"
#include "text/fold_ascii.h"
#include "text/interrupts.h"
#include "text/normalize.h"
#include "text/simple_fold.h"
#include "text/unicode.h"

/* Code points of a chunk. */
#define CHUNK 4096

/* Bytes of simple characters for which room is reserved at once. */
#define SIMPLE_BLOCK 4096

typedef struct Normalizer
{
	ByteBuffer out;
	bool after_blank; /* the output ends in a blank, or is empty */
	int32 *pending;
	Size count;
	Size capacity;

	/* The map to be made, or NULL. Then also where pending code points begin in the source. */
	SourceMap *map;
	const uint8 *source;
	const uint8 *pending_start; /* the first pending code point */
	const uint8 *starter_start; /* the last starter among them */
} Normalizer;

/* Adds a character to the map: its place in the output, and its source. */
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

static void
write_ascii(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	ByteBuffer *out = &normalizer->out;

	ByteBufferReserve(out, (end - p) + FOLD_ASCII_ROOM);
	out->used =
		FoldAsciiBest()(out->data + out->used, p, end, &normalizer->after_blank) - out->data;
}

/* Writes ASCII character by character, to know the source of each. */
static void
write_ascii_mapped(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	for (; p < end; p++)
	{
		write_ascii(normalizer, p, p + 1);
		if (!normalizer->after_blank)
			note_source(normalizer, normalizer->out.used - 1, p, p + 1);
	}
}

/*
 * Writes a folded code point, or a blank unless one precedes, and notes its source. There must be
 * room for four bytes. Returns the end of the output.
 */
static inline char *
write_folded(Normalizer *normalizer, char *out, int32 folded, const uint8 *start, const uint8 *end)
{
	bool blank = folded == ' ';

	if (blank & normalizer->after_blank)
		return out;
	normalizer->after_blank = blank;
	if (unlikely(normalizer->map != NULL) && !blank)
		note_source(normalizer, out - normalizer->out.data, start, end);
	return Utf8Encode(out, folded);
}

/* Writes composed code points, all of which have the same source. */
static void
write_code_points(Normalizer *normalizer, const int32 *codepoints, Size count, const uint8 *start,
				  const uint8 *end)
{
	char *out;

	ByteBufferReserve(&normalizer->out, count * 4);
	out = normalizer->out.data + normalizer->out.used;
	for (Size i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		out = write_folded(normalizer, out, UnicodeIsWord(codepoints[i]) ? codepoints[i] : ' ',
						   start, end);
	}
	normalizer->out.used = out - normalizer->out.data;
}

/* Appends the decomposition of a code point to the pending ones. */
static void
decompose(Normalizer *normalizer, int32 codepoint)
{
	if (normalizer->capacity - normalizer->count < LONGEST_DECOMPOSITION)
	{
		normalizer->capacity *= 2;
		normalizer->pending =
			repalloc_huge(normalizer->pending, mul_size(normalizer->capacity, sizeof(int32)));
	}
	normalizer->count += DecomposeFolded(codepoint, normalizer->pending + normalizer->count);
}

/*
 * Composes the pending code points before `cut`, which come from the source before `place`, and
 * writes them, except that a starter at their end is kept as the first of the pending ones.
 */
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

/* Returns SimpleFold of the character at p, and its length in bytes. */
static inline uint16
simple_fold_at(const uint8 *p, const uint8 *end, int *length)
{
	int32 codepoint;

	*length = Utf8Decode(p, end, &codepoint);
	return SimpleFold(codepoint);
}

/* Returns whether a stretch ends at p: there is a simple character, or the text ends. */
static inline bool
at_simple(const uint8 *p, const uint8 *end)
{
	int length;

	return p == end || *p < 0x80 || simple_fold_at(p, end, &length) != 0;
}

/*
 * Normalizes the character at p and all after it up to a simple one; returns the place of that one.
 * With a map, chunks are as short as possible, so that the sources of characters are exact.
 */
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

		/* Characters without a decomposition, which are ignored, count as well. */
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
	} while (!at_simple(p, end));
	composed = ComposeCanonical(normalizer->pending, normalizer->count);
	if (composed > 1 && normalizer->starter_start > normalizer->pending_start)
		first = 1;
	write_code_points(normalizer, normalizer->pending, first, normalizer->pending_start,
					  normalizer->starter_start);
	write_code_points(normalizer, normalizer->pending + first, composed - first,
					  first ? normalizer->starter_start : normalizer->pending_start, p);
	return p;
}

/* Returns whether at least eight ASCII characters follow, so that fold_ascii.h is worth a call. */
static inline bool
at_ascii(const uint8 *p, const uint8 *end)
{
	return end - p >= 8 && Utf8EndOfAscii(p, p + 8) == p + 8;
}

/*
 * Writes the simple characters from p on, and returns the end of those that it wrote: before a run
 * of ASCII, or before the last simple character in front of one that is not simple, since that one
 * may be a mark on it.
 */
static const uint8 *
write_simple(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	const uint8 *block = end - p > SIMPLE_BLOCK ? p + SIMPLE_BLOCK : end;
	int length;
	uint16 folded = simple_fold_at(p, end, &length);
	char *out;

	/* A character of two bytes may become one of three. */
	ByteBufferReserve(&normalizer->out, 2 * (block - p) + 4);
	out = normalizer->out.data + normalizer->out.used;
	while (folded != 0 && p < block && !(*p < 0x80 && at_ascii(p, end)))
	{
		const uint8 *next = p + length;
		uint16 next_folded = next == end ? ' ' : simple_fold_at(next, end, &length);

		if (next_folded == 0)
			break;
		out = write_folded(normalizer, out, folded, p, next);
		if (next == end)
		{
			p = end;
			break;
		}
		p = next;
		folded = next_folded;
	}
	normalizer->out.used = out - normalizer->out.data;
	return p;
}

/* Normalizes piece by piece, as the head of this file says. */
static ByteBuffer
normalize(ByteSpan utf8, SourceMap *map)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	Normalizer normalizer = {.after_blank = true, .map = map, .source = p};

	ByteBufferInit(&normalizer.out, utf8.length + FOLD_ASCII_ROOM);
	while (p < end)
	{
		const uint8 *block = end - p > 0x100000 ? p + 0x100000 : end;
		const uint8 *ascii = Utf8EndOfAscii(p, block);

		CHECK_FOR_INTERRUPTS();
		/* What follows may be a mark on the last ASCII character. */
		if (ascii > p && !at_simple(ascii, end))
			ascii--;
		if (map != NULL)
			write_ascii_mapped(&normalizer, p, ascii);
		else
			write_ascii(&normalizer, p, ascii);
		p = ascii;
		if (p < block)
			p = write_simple(&normalizer, p, end);
		if (p == ascii && p < block)
			p = normalize_stretch(&normalizer, p, end);
	}
	if (normalizer.out.used > 0 && normalizer.after_blank)
		normalizer.out.used--;
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
