/*
 * word_qgrams.c
 *		Q-grams of the words of a normalized text.
 *
 * Each word is copied between its padding. Where all its characters are single bytes, the q-grams
 * are the spans of q bytes of the copy.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "text/token_of_bytes.h"
#include "text/unicode.h"
#include "text/word_qgrams.h"
#include "text/words.h"

/* The blanks of the longest padding before a word. */
#define BLANKS (WORD_QGRAM_LONGEST - 1)

static void
check_q(int32 q)
{
	if (q < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("q-gram length must be at least 1"), errdetail("The length is %d.", q)));
	if (q > WORD_QGRAM_LONGEST)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("q-gram length of words must be at most %d", WORD_QGRAM_LONGEST),
						errdetail("The length is %d.", q)));
}

/* A word with its padding: the bytes from `start` up to `end` of a buffer that begins with blanks. */
typedef struct PaddedWord
{
	ByteBuffer buffer;
	ByteSpan word; /* in the normalized text */
	const char *start;
	const char *end;
	bool is_unspaced; /* a character of it includes its marks */
} PaddedWord;

/* Copies the word behind the buffer's blanks, the last ones of which are its padding. */
static void
pad_word(PaddedWord *padded, Size blanks)
{
	ByteBuffer *buffer = &padded->buffer;

	ByteBufferReserve(buffer, padded->word.length + 1);
	memcpy(buffer->data + BLANKS, padded->word.data, padded->word.length);
	buffer->data[BLANKS + padded->word.length] = ' ';
	padded->start = buffer->data + BLANKS - blanks;
	padded->end = buffer->data + BLANKS + padded->word.length + (blanks > 0);
}

/* Appends the q-grams of a word of one-byte characters. Inlined for constant q. */
static pg_attribute_always_inline void
add_byte_grams_of_word(const PaddedWord *padded, Size q, TokenList *list)
{
	Size count = padded->end - padded->start - q + 1;
	Token *tokens = TokenListExtend(list, count);

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		tokens[i] = TokenOfBytes(padded->start + i, q);
	}
}

/* Returns the end of the character at p. The padding takes no marks. */
static const char *
next_padded(const PaddedWord *padded, const char *p)
{
	const uint8 *end = (const uint8 *) padded->end;
	int32 unused_codepoint;

	if (*p == ' ')
		return p + 1;
	if (padded->is_unspaced)
		return (const char *) EndOfCharacter((const uint8 *) p, end);
	return p + Utf8Decode((const uint8 *) p, end, &unused_codepoint);
}

/* Adds the place of the q-gram from `first` up to `last` of the padded word. */
static void
add_place(WordQgramPlaces *places, const PaddedWord *padded, const char *first, const char *last)
{
	const char *word = padded->buffer.data + BLANKS;
	ByteSpan *span;

	ARRAY_MAKE_ROOM(places->spans, places->count, places->capacity);
	first = Max(first, word);
	last = Min(last, word + padded->word.length);
	span = &places->spans[places->count++];
	span->data = padded->word.data + (first - word);
	span->length = last - first;
}

/*
 * Appends the q-grams of any word, by a window both of whose ends move by characters. With its
 * padding a word has at least q characters.
 */
static void
add_grams_of_word(const PaddedWord *padded, int32 q, TokenList *list, WordQgramPlaces *places)
{
	const char *first = padded->start;
	const char *last = padded->start;

	for (int32 i = 0; i < q; i++)
		last = next_padded(padded, last);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, TokenOfBytes(first, last - first));
		if (places != NULL)
			add_place(places, padded, first, last);
		if (last == padded->end)
			break;
		first = next_padded(padded, first);
		last = next_padded(padded, last);
	}
}

static void
add_words(ByteSpan normalized, int32 q, TokenList *list, WordQgramPlaces *places)
{
	WordReader reader;
	PaddedWord padded;

	ByteBufferInit(&padded.buffer, 2 * BLANKS);
	memset(padded.buffer.data, ' ', BLANKS);
	padded.buffer.used = BLANKS;
	WordReaderInit(&reader, normalized);
	while (WordReaderNextRun(&reader, &padded.word, &padded.is_unspaced))
	{
		int32 length = padded.is_unspaced ? Min(q, 2) : q;

		CHECK_FOR_INTERRUPTS();
		pad_word(&padded, length - 1);
		if (places != NULL || !Utf8IsAscii(padded.word))
			add_grams_of_word(&padded, length, list, places);
		else if (q == 2)
			add_byte_grams_of_word(&padded, 2, list);
		else if (q == 3)
			add_byte_grams_of_word(&padded, 3, list);
		else if (q == 4)
			add_byte_grams_of_word(&padded, 4, list);
		else
			add_byte_grams_of_word(&padded, q, list);
	}
	ByteBufferFree(&padded.buffer);
}

void
TokensOfWordQgrams(ByteSpan normalized, int32 q, TokenList *list)
{
	check_q(q);
	add_words(normalized, q, list, NULL);
}

void
TokensOfWordQgramsPlaced(ByteSpan normalized, int32 q, TokenList *list, WordQgramPlaces *places)
{
	check_q(q);
	memset(places, 0, sizeof(*places));
	add_words(normalized, q, list, places);
}
