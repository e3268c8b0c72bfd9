/*
 * placed_words.c
 *		Reading words with their places.
 *
 * Most texts are ASCII for the most part, where a word is a run of letters and digits, folded by a
 * table. What is near other characters is normalized with a map to its source, piece by piece. A
 * piece ends where the normalized form of what follows does not depend on it, and where no word goes
 * on: before a character of ASCII that is no part of a word, with which no mark composes. For
 * example, of "In the café, 2nd floor" the piece is "café". A text may have no such place, so a long
 * piece also ends before such a character that a simple one follows (simple_fold.h), and before a
 * simple character of a script without spaces.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "text/placed_words.h"
#include "text/sentences.h"
#include "text/simple_fold.h"
#include "text/token_of_bytes.h"
#include "text/unicode.h"

/* Bytes of a long piece. */
#define LONG_PIECE (64 * 1024)

/* Returns the folded form of a character of ASCII; 0 for one that is no part of a word. */
static inline uint8
folded_ascii(uint8 c)
{
	static const uint8 folded[256] = {
		['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
		['7'] = '7', ['8'] = '8', ['9'] = '9', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd',
		['e'] = 'e', ['f'] = 'f', ['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k',
		['l'] = 'l', ['m'] = 'm', ['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r',
		['s'] = 's', ['t'] = 't', ['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y',
		['z'] = 'z', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd', ['E'] = 'e', ['F'] = 'f',
		['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k', ['L'] = 'l', ['M'] = 'm',
		['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r', ['S'] = 's', ['T'] = 't',
		['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y', ['Z'] = 'z'};

	return folded[c];
}

static inline bool
is_plain(uint8 c)
{
	return c < 0x80;
}

void
PlacedWordReaderInit(PlacedWordReader *reader, ByteSpan utf8, bool has_sentences)
{
	reader->start = reader->next = reader->counted = (const uint8 *) utf8.data;
	reader->end = reader->start + utf8.length;
	reader->counts_bytes = GetDatabaseEncoding() == PG_SQL_ASCII;
	reader->characters = 0;
	reader->piece = NULL;
	reader->has_sentences = has_sentences;
	reader->has_word = false;
}

/* Returns the number of characters before a byte, and counts from there the next time. */
static uint32
characters_to(PlacedWordReader *reader, const uint8 *byte)
{
	if (reader->counts_bytes)
		return (uint32) (byte - reader->start);
	/* The source of a character may begin before the end of the one before it. */
	for (; reader->counted > byte; reader->counted--)
		reader->characters -= (reader->counted[-1] & 0xC0) != 0x80;
	for (; reader->counted < byte; reader->counted++)
		reader->characters += (*reader->counted & 0xC0) != 0x80;
	return reader->characters;
}

/* Returns whether what is at a place is normalized alike whatever precedes it. */
static bool
is_simple(const uint8 *p, const uint8 *end, int32 *codepoint)
{
	Utf8Decode(p, end, codepoint);
	return SimpleFold(*codepoint) != 0;
}

/* Returns whether a piece that has become long may end at a place, which is not its end. */
static bool
may_end_long_piece(const uint8 *p, const uint8 *end)
{
	int32 codepoint;

	if (is_plain(*p))
		return folded_ascii(*p) == 0 && is_simple(p + 1, end, &codepoint);
	return (*p & 0xC0) != 0x80 && is_simple(p, end, &codepoint) && UnicodeIsUnspaced(codepoint);
}

/* Returns the end of the piece that begins at a place. */
static const uint8 *
end_of_piece(const uint8 *start, const uint8 *end)
{
	const uint8 *p = start + 1;

	for (; p < end; p++)
	{
		CHECK_FOR_INTERRUPTS();
		if (folded_ascii(*p) == 0 && is_plain(*p) && (p + 1 == end || is_plain(p[1])))
			break;
		if (p - start >= LONG_PIECE && p + 1 < end && may_end_long_piece(p, end))
			break;
	}
	return p;
}

static void
begin_piece(PlacedWordReader *reader, const uint8 *start)
{
	const uint8 *end = end_of_piece(start, reader->end);
	ByteSpan source = {(const char *) start, end - start};
	ByteSpan normalized;

	reader->piece = start;
	reader->normalized = NormalizeUtf8Mapped(source, &reader->map);
	reader->span = 0;
	normalized.data = reader->normalized.data;
	normalized.length = reader->normalized.used;
	WordReaderInit(&reader->words, normalized);
	reader->words.is_single = true;
	reader->next = end;
}

static void
end_piece(PlacedWordReader *reader)
{
	pfree(reader->map.spans);
	ByteBufferFree(&reader->normalized);
	reader->piece = NULL;
}

/* Where in the text a word comes from. */
typedef struct WordSource
{
	const uint8 *start;
	const uint8 *end;
} WordSource;

/* Sets *word to a word of the piece; false at the end of the piece. */
static bool
read_piece(PlacedWordReader *reader, PlacedWord *word, WordSource *source)
{
	const SourceMap *map = &reader->map;
	ByteSpan span;
	Size normalized_end;

	if (!WordReaderNext(&reader->words, &span))
		return false;
	normalized_end = (span.data - reader->normalized.data) + span.length;
	if (span.data > reader->normalized.data && span.data[-1] == ' ')
		reader->span++;
	source->start = reader->piece + map->spans[reader->span].start;
	while (reader->span < map->count && map->spans[reader->span].normalized < normalized_end)
		source->end = reader->piece + map->spans[reader->span++].end;
	word->token = TokenOfBytes(span.data, span.length);
	word->from = characters_to(reader, source->start) + 1;
	word->to = characters_to(reader, source->end) + 1;
	return true;
}

/*
 * Reads a word of ASCII. Returns false if none begins here, if it is long, or if other characters
 * follow.
 */
static inline bool
read_ascii_word(PlacedWordReader *reader, const uint8 *start, PlacedWord *word)
{
	const uint8 *p = start;
	Size length = 0;
	uint8 folded;

	while (p < reader->end && length < PLACED_WORD_ROOM && (folded = folded_ascii(*p)) != 0)
	{
		reader->folded[length++] = folded;
		p++;
	}
	if (length == 0 || length == PLACED_WORD_ROOM || (p < reader->end && !is_plain(*p)))
		return false;
	word->token = TokenOfBytes((const char *) reader->folded, length);
	word->from = characters_to(reader, start) + 1;
	word->to = word->from + (uint32) length;
	if (!reader->counts_bytes)
	{
		reader->characters += (uint32) length;
		reader->counted = p;
	}
	reader->next = p;
	return true;
}

/* Reads the next word. */
static bool
read_word(PlacedWordReader *reader, PlacedWord *word, WordSource *source)
{
	for (;;)
	{
		const uint8 *p = reader->next;

		if (reader->piece != NULL)
		{
			if (read_piece(reader, word, source))
				return true;
			end_piece(reader);
			continue;
		}
		/* A mark composes with some characters that are no part of a word, such as "=". */
		while (p < reader->end && is_plain(*p) && folded_ascii(*p) == 0 &&
			   (p + 1 == reader->end || is_plain(p[1])))
		{
			CHECK_FOR_INTERRUPTS();
			p++;
		}
		if (p == reader->end)
			return false;
		CHECK_FOR_INTERRUPTS();
		if (read_ascii_word(reader, p, word))
		{
			*source = (WordSource){.start = p, .end = reader->next};
			return true;
		}
		begin_piece(reader, p);
	}
}

/* Ends the sentence of the word that was read last, if one ends before what follows. */
static void
end_sentence(PlacedWordReader *reader, const uint8 *next, bool is_last)
{
	const uint8 *end = SentenceEnd(reader->word_end, next, is_last);

	reader->word.ends = end != NULL;
	if (end != NULL)
		reader->word.to = characters_to(reader, end) + 1;
}

/*
 * A sentence begins where the one before it ends. It is not known that a word is the last one of its
 * sentence before the next one has been read.
 */
static bool
next_of_sentence(PlacedWordReader *reader, PlacedWord *word)
{
	PlacedWord next;
	WordSource source;
	bool is_any;

	if (!reader->has_word)
	{
		if (!read_word(reader, &reader->word, &source))
			return false;
		reader->word.begins = true;
		reader->word.from = 1;
		reader->word_end = source.end;
	}
	is_any = read_word(reader, &next, &source);
	end_sentence(reader, is_any ? source.start : reader->end, !is_any);
	*word = reader->word;
	reader->has_word = is_any;
	if (!is_any)
		return true;
	next.begins = word->ends;
	if (word->ends)
		next.from = word->to;
	reader->word = next;
	reader->word_end = source.end;
	return true;
}

bool
PlacedWordReaderNext(PlacedWordReader *reader, PlacedWord *word)
{
	WordSource unused_source;

	if (reader->has_sentences)
		return next_of_sentence(reader, word);
	word->begins = word->ends = false;
	return read_word(reader, word, &unused_source);
}
