/*
 * passage_words.c
 *		Keeping the words of all rows, in memory or in a file.
 */
#include "c.h"

#include "passages/kernel/passage_words.h"

#define LEAST_CAPACITY ((uint64) 4 * PASSAGE_PAGE)

void
PassageWordsInit(PassageWords *words, JoinHost *host, Size most_bytes)
{
	*words =
		(PassageWords){.host = host, .most = Max(most_bytes / sizeof(PassageWord), LEAST_CAPACITY)};
}

static void
set_tail_capacity(PassageWords *words, uint64 capacity)
{
	words->tail =
		JoinEnlarge(words->host, words->tail, words->tail_capacity, capacity, sizeof(PassageWord));
	words->tail_capacity = capacity;
}

/* Doubles the room, but first to the limit, which a row alone may exceed. */
void
PassageWordsGrow(PassageWords *words)
{
	uint64 capacity = Max(words->tail_capacity * 2, LEAST_CAPACITY);

	if (words->tail_capacity < words->most)
		capacity = Min(capacity, words->most);
	set_tail_capacity(words, capacity);
}

/* Writes a page of the tail, from word `at` on; the last page of the file may end in words of any content. */
static void
write_word_page(PassageWords *words, uint64 at)
{
	uint64 page = (words->tail_first + at) / PASSAGE_PAGE;

	JoinTick(words->host, PASSAGE_PAGE);
	words->host->files.write(words->file, page, words->tail + at);
}

/* Writes the whole pages of the tail, and moves the other words to its front. */
static void
write_pages(PassageWords *words)
{
	uint64 count = words->count - words->tail_first;
	uint64 written = count - count % PASSAGE_PAGE;

	for (uint64 i = 0; i < written; i += PASSAGE_PAGE)
		write_word_page(words, i);
	memmove(words->tail, words->tail + written, (count - written) * sizeof(PassageWord));
	words->tail_first += written;
	if (words->tail_capacity > words->most)
		set_tail_capacity(words, words->most);
}

void
PassageWordsEndRow(PassageWords *words)
{
	if (words->count - words->tail_first < words->most)
		return;
	if (words->file == NULL)
		words->file = words->host->files.create(words->host->files.context);
	write_pages(words);
}

void
PassageWordsFinish(PassageWords *words)
{
	if (words->file == NULL)
		return;
	write_pages(words);
	if (words->count > words->tail_first)
		write_word_page(words, 0);
	JoinRelease(words->host, words->tail, words->tail_capacity, sizeof(PassageWord));
	words->tail = NULL;
	words->tail_capacity = 0;
}

void
PassageWordsFree(PassageWords *words)
{
	JoinRelease(words->host, words->tail, words->tail_capacity, sizeof(PassageWord));
	if (words->file != NULL)
		words->host->files.close(words->file);
	words->tail = NULL;
	words->file = NULL;
}

void
PassageReaderInit(PassageReader *reader, PassageWords *words, uint32 eighths)
{
	*reader = (PassageReader){.store = words};
	if (words->file != NULL)
	{
		reader->slots = Min(words->most / 8 * eighths, words->count) / PASSAGE_PAGE + 1;
		reader->numbers = JoinAllocateZero(words->host, reader->slots, sizeof(uint64));
		reader->pages =
			JoinAllocate(words->host, reader->slots * PASSAGE_PAGE, sizeof(PassageWord));
	}
	else
	{
		reader->words = words->tail;
		reader->count = words->count;
	}
}

void
PassageReaderMove(PassageReader *reader, uint64 number)
{
	const PassageWords *words = reader->store;
	uint64 page = number / PASSAGE_PAGE;
	uint64 slot = page % reader->slots;
	PassageWord *kept = reader->pages + slot * PASSAGE_PAGE;

	if (reader->numbers[slot] != page + 1)
	{
		JoinTick(words->host, PASSAGE_PAGE);
		words->host->files.read(words->file, page, kept);
		reader->numbers[slot] = page + 1;
	}
	reader->words = kept;
	reader->first = page * PASSAGE_PAGE;
	reader->count = PASSAGE_PAGE;
}

void
PassageReaderFree(PassageReader *reader)
{
	JoinHost *host = reader->store->host;

	JoinRelease(host, reader->pages, reader->slots * PASSAGE_PAGE, sizeof(PassageWord));
	JoinRelease(host, reader->numbers, reader->slots, sizeof(uint64));
}
