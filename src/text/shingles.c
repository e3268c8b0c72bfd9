/*
 * shingles.c
 *		Shingles, as spans of a text or of a sliding window of words.
 *
 * In a normalized text a shingle is simply the span from the beginning of its first word to the end
 * of its last one, since the words between stand as they are joined: by single blanks. Words of
 * scripts without spaces overlap, and lexemes come one by one, so these are copied into a window.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "storage/shmem.h"

#include "text/shingles.h"
#include "text/token_of_bytes.h"
#include "text/words.h"

/* A new window has room for this many words, and for this many bytes. */
#define WINDOW 1024

static void
check_width(int32 width)
{
	if (width < 1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("shingle width must be at least 1"), errdetail("The width is %d.", width)));
}

void
ShinglerInit(Shingler *shingler, int32 width, TokenList *list)
{
	check_width(width);
	shingler->list = list;
	shingler->width = width;
	shingler->first = 0;
	shingler->count = 0;
	shingler->capacity = WINDOW;
	shingler->any = false;
	shingler->starts = palloc(shingler->capacity * sizeof(Size));
	ByteBufferInit(&shingler->words, WINDOW);
}

/* Appends the shingle of all words from the first one on. */
static void
append_shingle(Shingler *shingler)
{
	Size start = shingler->starts[shingler->first];

	TokenListAppend(shingler->list,
					TokenOfBytes(shingler->words.data + start, shingler->words.used - start));
	shingler->any = true;
}

/*
 * Drops the words before the first one once they are more than the others, which bounds the cost.
 */
static void
slide_window(Shingler *shingler)
{
	Size kept = shingler->count - shingler->first;
	Size dropped;

	if (shingler->first < WINDOW / 2 || kept > shingler->first)
		return;
	dropped = kept > 0 ? shingler->starts[shingler->first] : shingler->words.used;
	shingler->words.used -= dropped;
	memmove(shingler->words.data, shingler->words.data + dropped, shingler->words.used);
	for (Size i = 0; i < kept; i++)
		shingler->starts[i] = shingler->starts[shingler->first + i] - dropped;
	shingler->first = 0;
	shingler->count = kept;
}

void
ShinglerAdd(Shingler *shingler, ByteSpan word)
{
	CHECK_FOR_INTERRUPTS();
	if (shingler->count == shingler->capacity)
	{
		shingler->capacity *= 2;
		shingler->starts =
			repalloc_huge(shingler->starts, mul_size(shingler->capacity, sizeof(Size)));
	}
	if (shingler->count > 0)
		ByteBufferAppend(&shingler->words, " ", 1);
	shingler->starts[shingler->count++] = shingler->words.used;
	ByteBufferAppend(&shingler->words, word.data, word.length);
	if (shingler->count - shingler->first == shingler->width)
	{
		append_shingle(shingler);
		shingler->first++;
		slide_window(shingler);
	}
}

void
ShinglerFinish(Shingler *shingler)
{
	if (!shingler->any && shingler->count > 0)
		append_shingle(shingler);
	ByteBufferFree(&shingler->words);
	pfree(shingler->starts);
}

/* Appends the shingles of a text in which every word stands between blanks, as spans of it. */
static void
add_spans(ByteSpan normalized, int32 width, TokenList *list)
{
	WordReader first;
	WordReader last;
	ByteSpan first_word;
	ByteSpan last_word;

	WordReaderInit(&first, normalized);
	WordReaderInit(&last, normalized);
	if (!WordReaderNext(&last, &last_word))
		return;
	for (int32 i = 1; i < width && WordReaderNext(&last, &last_word); i++)
		CHECK_FOR_INTERRUPTS();
	do
	{
		CHECK_FOR_INTERRUPTS();
		(void) WordReaderNext(&first, &first_word);
		TokenListAppend(list, TokenOfBytes(first_word.data,
										   last_word.data + last_word.length - first_word.data));
	} while (WordReaderNext(&last, &last_word));
}

/* Appends the shingles of a text in which words may overlap. */
static void
add_shingles(ByteSpan normalized, int32 width, TokenList *list)
{
	Shingler shingler;
	WordReader reader;
	ByteSpan word;

	ShinglerInit(&shingler, width, list);
	WordReaderInit(&reader, normalized);
	while (WordReaderNext(&reader, &word))
		ShinglerAdd(&shingler, word);
	ShinglerFinish(&shingler);
}

void
TokensOfShingles(ByteSpan normalized, int32 width, TokenList *list)
{
	check_width(width);
	if (WordsMayOverlap(normalized))
		add_shingles(normalized, width, list);
	else
		add_spans(normalized, width, list);
}
