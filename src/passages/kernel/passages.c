/*
 * passages.c
 *		Adding rows of words, and finding the grams that may be repeated.
 */
#include "c.h"

#include "bisect.h"
#include "passages/kernel/passages.h"

/* The value of a seed: the place of the first gram that has chosen it, and how many have. */
#define SEED_COUNT_SHIFT 44
#define SEED_PLACE(value) ((value) & (((uint64) 1 << SEED_COUNT_SHIFT) - 1))
#define SEED_COUNT(value) ((uint32) ((value) >> SEED_COUNT_SHIFT))

StaticAssertDecl(WINNOW_MOST_WORDS < 1 << (64 - SEED_COUNT_SHIFT),
				 "the count of a seed has room for all grams of a window");

void
PassagesInit(Passages *passages, JoinHost *host, Size limit, uint32 words)
{
	*passages = (Passages){.host = host, .limit = limit, .row_capacity = 1024};
	WinnowInit(&passages->winnow, words);
	passages->ring = JoinAllocate(host, WinnowRing(&passages->winnow), sizeof(uint64));
	passages->starts = JoinAllocate(host, passages->row_capacity, sizeof(uint64));
	passages->starts[0] = 0;
	PassageWordsInit(&passages->words, host, limit / PASSAGES_BY_WORDS);
	NumberSortInit(&passages->seeds, host, PassagesSortBytes(passages));
	NumberSortInit(&passages->grams, host, PassagesSortBytes(passages));
}

static void
put_seed(void *context, uint64 hash, uint64 first, uint32 count)
{
	Passages *passages = context;
	uint64 place = passages->starts[passages->row_count] + first;

	JoinTick(passages->host, count);
	/* Without a window, seeds are grams. */
	if (passages->winnow.window == 1)
		NumberSortPut(&passages->grams, hash, place);
	else
		NumberSortPut(&passages->seeds, hash, place | (uint64) count << SEED_COUNT_SHIFT);
}

/* Notes the row of some of its words, which have been added. */
static void
note_hints(Passages *passages)
{
	while (passages->hint_count * PASSAGE_HINT < passages->words.count)
	{
		JOIN_MAKE_ROOM(passages->host, passages->hints, passages->hint_count,
					   passages->hint_capacity);
		passages->hints[passages->hint_count++] = passages->row_count;
	}
}

void
PassagesEndRow(Passages *passages)
{
	const PassageWords *words = &passages->words;
	uint64 count = PassagesRowWords(passages);

	if (count > 0)
		WinnowText(&passages->winnow, &words->tail[words->count - count - words->tail_first].token,
				   sizeof(PassageWord) / sizeof(uint64), count, passages->ring, put_seed, passages);
	note_hints(passages);
	PassageWordsEndRow(&passages->words);
	passages->row_count++;
	JOIN_MAKE_ROOM(passages->host, passages->starts, passages->row_count, passages->row_capacity);
	passages->starts[passages->row_count] = words->count;
}

/* Puts the hashes of all grams that have chosen a seed. */
static void
put_grams(Passages *passages, PassageReader *reader, uint64 power, uint64 seed)
{
	uint64 words = passages->winnow.words;
	uint64 place = SEED_PLACE(seed);
	uint64 end = place + SEED_COUNT(seed);
	uint64 polynomial = 0;

	JoinTick(passages->host, words + SEED_COUNT(seed));
	for (uint64 i = place; i < place + words - 1; i++)
		polynomial = GramAdd(polynomial, PassageTokenAt(reader, i));
	for (;; place++)
	{
		polynomial = GramAdd(polynomial, PassageTokenAt(reader, place + words - 1));
		NumberSortPut(&passages->grams, GramHash(polynomial), place);
		if (place + 1 == end)
			return;
		polynomial = GramDrop(polynomial, PassageTokenAt(reader, place), power);
	}
}

/* Puts the grams of seeds that occur more than once. */
static void
put_repeated_grams(Passages *passages)
{
	uint64 power = GramPower(passages->winnow.words - 1);
	KeyedItem previous = {0};
	bool is_first = true;
	bool is_put = false;
	PassageReader reader;
	KeyedItem entry;

	PassageReaderInit(&reader, &passages->words, 8);
	while (NumberSortNext(&passages->seeds, &entry))
	{
		bool is_repeated = !is_first && entry.key == previous.key;

		JoinTick(passages->host, 1);
		if (is_repeated && !is_put)
			put_grams(passages, &reader, power, previous.item);
		if (is_repeated)
			put_grams(passages, &reader, power, entry.item);
		is_put = is_repeated;
		is_first = false;
		previous = entry;
	}
	PassageReaderFree(&reader);
}

void
PassagesFindGrams(Passages *passages)
{
	JoinRelease(passages->host, passages->ring, WinnowRing(&passages->winnow), sizeof(uint64));
	passages->ring = NULL;
	PassageWordsFinish(&passages->words);
	NumberSortPerform(&passages->seeds);
	put_repeated_grams(passages);
	NumberSortFree(&passages->seeds);
	NumberSortPerform(&passages->grams);
}

bool
PassagesUseFiles(const Passages *passages)
{
	return passages->words.file != NULL || passages->seeds.count > passages->seeds.most ||
		   passages->grams.count > passages->grams.most;
}

/* What is built on the grams sorts no more entries than there are grams. */
Size
PassagesNeeded(const Passages *passages)
{
	Size words = (passages->words.count + 1) * sizeof(PassageWord);
	Size entries = Max(passages->seeds.count, passages->grams.count) + NUMBERS_PER_PAGE;

	return Max(PASSAGES_BY_WORDS * words, PASSAGES_BY_SORT * entries * sizeof(KeyedItem));
}

uint32
PassagesRowOf(const Passages *passages, uint64 place, uint32 row)
{
	uint64 hint = place / PASSAGE_HINT;
	uint32 next = Max(row, passages->hints[hint]) + 1;
	uint32 end =
		hint + 1 < passages->hint_count ? passages->hints[hint + 1] + 1 : passages->row_count;

	BISECT(uint32, next, end, at, passages->starts[at] <= place);
	return next - 1;
}

void
PassagesFree(Passages *passages)
{
	JoinRelease(passages->host, passages->ring, WinnowRing(&passages->winnow), sizeof(uint64));
	JoinRelease(passages->host, passages->starts, passages->row_capacity, sizeof(uint64));
	JoinRelease(passages->host, passages->hints, passages->hint_capacity, sizeof(uint32));
	PassageWordsFree(&passages->words);
	NumberSortFree(&passages->seeds);
	NumberSortFree(&passages->grams);
}
