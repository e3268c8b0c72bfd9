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
 *
 * With a map, there are no runs of ASCII, and what is composed at once is as short as it can be: a
 * sequence, which is a starter with its marks, and the starter that is held from before. So it is
 * known which characters of the source a composed one comes from. A character that is decomposed
 * into several starters is in several sequences.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shmem.h"

#include "text/compose.h"
#include "text/decompose.h"
#include "text/fold_ascii.h"
#include "text/normalize.h"
#include "text/simple_fold.h"
#include "text/unicode.h"

/* Code points of a chunk. */
#define CHUNK 4096

/* Bytes of simple characters for which room is reserved at once. */
#define SIMPLE_BLOCK 4096

/* A part of the source. */
typedef struct Source
{
	const uint8 *start;
	const uint8 *end;
} Source;

typedef struct Normalizer
{
	ByteBuffer out;
	bool after_blank; /* the output ends in a blank, or is empty */
	int32 *pending;
	Size count;
	Size capacity;

	/* The map to be made, or NULL. Then the pending code points are one sequence, after `held` ones. */
	SourceMap *map;
	const uint8 *source;
	Size held;			/* 1 if the first pending code point is held from before, else 0 */
	Source held_source; /* of that code point */
	Source starter;		/* of the starter of the sequence */
	Source marks;		/* of its marks; no marks if `start` is NULL */
} Normalizer;

/*
 * Adds a character to the map: its place in the output, and its source. A blank behind another one,
 * which is not written, belongs to that one; at the beginning it belongs to none.
 */
static void
note_source(Normalizer *normalizer, Size normalized, bool is_blank, Source source)
{
	SourceMap *map = normalizer->map;
	Size end = source.end - normalizer->source;

	if (is_blank && normalizer->after_blank)
	{
		if (map->count > 0)
			map->spans[map->count - 1].end = end;
		return;
	}
	if (map->count == map->capacity)
	{
		map->capacity *= 2;
		map->spans = repalloc_huge(map->spans, mul_size(map->capacity, sizeof(SourceSpan)));
	}
	map->spans[map->count++] = (SourceSpan){
		.normalized = normalized, .start = source.start - normalizer->source, .end = end};
}

static void
write_ascii(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	ByteBuffer *out = &normalizer->out;

	ByteBufferReserve(out, (end - p) + FOLD_ASCII_ROOM);
	out->used =
		FoldAsciiBest()(out->data + out->used, p, end, &normalizer->after_blank) - out->data;
}

/*
 * Writes a folded code point, or a blank unless one precedes, and notes its source. There must be
 * room for four bytes. Returns the end of the output.
 */
static inline char *
write_folded(Normalizer *normalizer, char *out, int32 folded, Source source)
{
	bool blank = folded == ' ';

	if (unlikely(normalizer->map != NULL))
		note_source(normalizer, out - normalizer->out.data, blank, source);
	if (blank & normalizer->after_blank)
		return out;
	normalizer->after_blank = blank;
	return Utf8Encode(out, folded);
}

/* Writes composed code points, all of which have the same source. */
static void
write_code_points(Normalizer *normalizer, const int32 *codepoints, Size count, Source source)
{
	char *out;

	ByteBufferReserve(&normalizer->out, count * 4);
	out = normalizer->out.data + normalizer->out.used;
	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		out = write_folded(normalizer, out, UnicodeIsWord(codepoints[i]) ? codepoints[i] : ' ',
						   source);
	}
	normalizer->out.used = out - normalizer->out.data;
}

/* Ensures room for the decomposition of a code point behind the pending ones. */
static inline void
reserve_pending(Normalizer *normalizer)
{
	if (normalizer->pending == NULL)
	{
		normalizer->capacity = CHUNK + LONGEST_DECOMPOSITION;
		normalizer->pending = palloc(normalizer->capacity * sizeof(int32));
	}
	else if (normalizer->capacity - normalizer->count < LONGEST_DECOMPOSITION)
	{
		normalizer->capacity *= 2;
		normalizer->pending =
			repalloc_huge(normalizer->pending, mul_size(normalizer->capacity, sizeof(int32)));
	}
}

/* Appends the decomposition of a code point to the pending ones. */
static void
decompose(Normalizer *normalizer, int32 codepoint)
{
	reserve_pending(normalizer);
	normalizer->count += DecomposeFolded(codepoint, normalizer->pending + normalizer->count);
}

/* Returns 1 if the last of composed code points is a starter, with which the next may compose. */
static inline Size
ends_in_starter(const int32 *composed, Size count)
{
	return count > 0 && UnicodeCombiningClass(composed[count - 1]) == 0 ? 1 : 0;
}

/*
 * Composes the pending code points before `cut`, and writes them, except that a starter at their end
 * is kept as the first of the pending ones.
 */
static void
write_chunk(Normalizer *normalizer, Size cut)
{
	int32 *pending = normalizer->pending;
	Size composed = ComposeCanonical(pending, cut);
	Size held = ends_in_starter(pending, composed);

	write_code_points(normalizer, pending, composed - held, (Source){0});
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

/* Normalizes the character at p and all after it up to a simple one; returns the place of that one. */
static const uint8 *
normalize_stretch(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	Size composed;

	normalizer->count = 0;
	do
	{
		Size before = normalizer->count;
		int32 codepoint;

		CHECK_FOR_INTERRUPTS();
		p += Utf8Decode(p, end, &codepoint);
		decompose(normalizer, codepoint);
		if (unlikely(before >= CHUNK && normalizer->count > before) &&
			UnicodeCombiningClass(normalizer->pending[before]) == 0)
			write_chunk(normalizer, before);
	} while (!at_simple(p, end));
	composed = ComposeCanonical(normalizer->pending, normalizer->count);
	write_code_points(normalizer, normalizer->pending, composed, (Source){0});
	return p;
}

/*
 * Writes composed code points of one sequence with their source, except the last one if that is
 * held. Marks on a character that is no part of a word are a word, which does not have that character.
 */
static void
write_sequence(Normalizer *normalizer, const int32 *codepoints, Size count, Size held,
			   Source source)
{
	Source rest = source;

	if (count > 1 && normalizer->marks.start != NULL && !UnicodeIsWord(codepoints[0]))
	{
		source = normalizer->starter;
		rest = normalizer->marks;
	}
	if (count > held)
		write_code_points(normalizer, codepoints, 1, source);
	if (count > held + 1)
		write_code_points(normalizer, codepoints + 1, count - held - 1, rest);
	normalizer->held_source = count > 1 ? rest : source;
}

/*
 * Composes the pending code points: one that may be held, and a sequence. Writes them, except that a
 * starter at their end is held if another sequence follows. A held one that composes with the
 * starter of the sequence becomes another code point, whose source has both.
 */
static void
write_held_and_sequence(Normalizer *normalizer, bool is_last)
{
	int32 *pending = normalizer->pending;
	int32 first = pending[0];
	Size before = normalizer->held;
	Size composed = ComposeCanonical(pending, normalizer->count);
	Size held = is_last ? 0 : ends_in_starter(pending, composed);
	Source source = normalizer->starter;

	if (normalizer->marks.start != NULL)
		source.end = normalizer->marks.end;
	if (before && pending[0] == first)
		write_code_points(normalizer, pending, 1, normalizer->held_source);
	else if (before)
	{
		source.start = normalizer->held_source.start;
		before = 0;
	}
	write_sequence(normalizer, pending + before, composed - before, held, source);
	pending[0] = pending[composed - 1];
	normalizer->count = normalizer->held = held;
}

/*
 * Adds a code point, with its source, to the sequence, or has it begin the next. A symbol such as
 * U+2260 is "=" and a mark, but it is composed again as a whole, so that mark is not one on it.
 */
static void
add_to_sequence(Normalizer *normalizer, int32 codepoint, Source source, bool is_of_symbol)
{
	if (normalizer->count > normalizer->held && UnicodeCombiningClass(codepoint) == 0)
		write_held_and_sequence(normalizer, false);
	if (normalizer->count == normalizer->held)
	{
		normalizer->starter = source;
		normalizer->marks.start = NULL;
	}
	else if (!is_of_symbol)
	{
		if (normalizer->marks.start == NULL)
			normalizer->marks.start = source.start;
		normalizer->marks.end = source.end;
	}
	reserve_pending(normalizer);
	normalizer->pending[normalizer->count++] = codepoint;
}

/* Does what normalize_stretch does, with a map. */
static const uint8 *
normalize_stretch_mapped(Normalizer *normalizer, const uint8 *p, const uint8 *end)
{
	normalizer->count = normalizer->held = 0;
	do
	{
		Source source = {.start = p};
		int32 decomposed[LONGEST_DECOMPOSITION];
		int32 codepoint;
		bool is_symbol;
		Size count;

		CHECK_FOR_INTERRUPTS();
		p += Utf8Decode(p, end, &codepoint);
		source.end = p;
		is_symbol = SimpleFold(codepoint) == ' ';
		count = DecomposeFolded(codepoint, decomposed);
		for (Size i = 0; i < count; i++)
			add_to_sequence(normalizer, decomposed[i], source, is_symbol);
	} while (!at_simple(p, end));
	if (normalizer->count > 0)
		write_held_and_sequence(normalizer, true);
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
	bool has_runs = normalizer->map == NULL;
	char *out;

	/* A character of two bytes may become one of three. */
	ByteBufferReserve(&normalizer->out, 2 * (block - p) + 4);
	out = normalizer->out.data + normalizer->out.used;
	while (folded != 0 && p < block && !(has_runs && *p < 0x80 && at_ascii(p, end)))
	{
		const uint8 *next = p + length;
		uint16 next_folded = next == end ? ' ' : simple_fold_at(next, end, &length);

		if (next_folded == 0)
			break;
		out = write_folded(normalizer, out, folded, (Source){p, next});
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
		const uint8 *start = p;

		CHECK_FOR_INTERRUPTS();
		if (map == NULL)
		{
			p = Utf8EndOfAscii(p, block);
			/* What follows may be a mark on the last ASCII character. */
			if (p > start && !at_simple(p, end))
				p--;
			write_ascii(&normalizer, start, p);
		}
		start = p;
		if (p < block)
			p = write_simple(&normalizer, p, end);
		if (p == start && p < block)
			p = map != NULL ? normalize_stretch_mapped(&normalizer, p, end)
							: normalize_stretch(&normalizer, p, end);
	}
	if (normalizer.out.used > 0 && normalizer.after_blank)
	{
		normalizer.out.used--;
		if (map != NULL)
			map->count--;
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
