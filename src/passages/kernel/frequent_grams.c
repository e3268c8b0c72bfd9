/*
 * frequent_grams.c
 *		Counting the rows of each gram, and naming what many rows have.
 *
 * The places of a gram come in ascending order, so the places of one row follow each other.
 */
#include "c.h"

#include "bisect.h"
#include "passages/kernel/frequent_grams.h"

/* The gram whose places are being read. */
typedef struct CountedGram
{
	uint64 hash;
	uint64 place; /* the first one */
	uint32 row;	  /* row of the last place, once there are two */
	uint64 rows;  /* so far; 0 if there is no gram */
	bool has_row;
} CountedGram;

static void
note_gram(FrequentGrams *frequent, JoinHost *host, const CountedGram *gram)
{
	JOIN_MAKE_ROOM(host, frequent->hashes, frequent->count, frequent->capacity);
	frequent->hashes[frequent->count++] = gram->hash;
	NumberSortPut(&frequent->places, gram->place, gram->rows);
}

void
FrequentGramsFind(FrequentGrams *frequent, Passages *passages, uint64 most_rows)
{
	CountedGram gram = {0};
	KeyedItem entry;

	*frequent = (FrequentGrams){0};
	NumberSortInit(&frequent->places, passages->host, PassagesSortBytes(passages));
	while (passages->row_count > most_rows && NumberSortNext(&passages->grams, &entry))
	{
		JoinTick(passages->host, 1);
		if (gram.rows == 0 || entry.key != gram.hash)
		{
			if (gram.rows > most_rows)
				note_gram(frequent, passages->host, &gram);
			gram = (CountedGram){.hash = entry.key, .place = entry.item, .rows = 1};
			continue;
		}
		/* Most grams have one place, whose row does not matter. */
		if (!gram.has_row)
			gram.row = PassagesRowOf(passages, gram.place, 0);
		gram.has_row = true;
		if (entry.item >= passages->starts[gram.row + 1])
		{
			gram.row = PassagesRowOf(passages, entry.item, gram.row);
			gram.rows++;
		}
	}
	if (gram.rows > most_rows)
		note_gram(frequent, passages->host, &gram);
	NumberSortRewind(&passages->grams);
}

bool
FrequentGramsHave(const FrequentGrams *frequent, uint64 hash)
{
	uint64 place = 0;

	BISECT(uint64, place, frequent->count, at, frequent->hashes[at] < hash);
	return place < frequent->count && frequent->hashes[place] == hash;
}

void
FrequentGramsList(FrequentGrams *frequent, Passages *passages, TakeFrequentPassage take,
				  void *context)
{
	FrequentPassage passage = {0};
	uint64 first = 0;
	uint64 last = 0; /* the first word of the last gram */
	PassageReader reader;
	KeyedItem gram;
	bool is_any;

	NumberSortPerform(&frequent->places);
	PassageReaderInit(&reader, &passages->words, 8);
	do
	{
		is_any = NumberSortNext(&frequent->places, &gram);
		JoinTick(passages->host, 1);
		if (passage.rows > 0 &&
			(!is_any || gram.key != last + 1 || gram.key >= passages->starts[passage.row + 1]))
		{
			passage.words = last - first + passages->winnow.words;
			passage.from = PASSAGE_WORD_FROM(PassageWordAt(&reader, first));
			passage.to = PASSAGE_WORD_TO(PassageWordAt(&reader, first + passage.words - 1));
			take(context, &passage);
			passage.rows = 0;
		}
		if (is_any && passage.rows == 0)
		{
			passage.row = PassagesRowOf(passages, gram.key, passage.row);
			passage.rows = gram.item;
			first = gram.key;
		}
		if (is_any)
		{
			passage.rows = Min(passage.rows, gram.item);
			last = gram.key;
		}
	} while (is_any);
	PassageReaderFree(&reader);
}

void
FrequentGramsFree(FrequentGrams *frequent)
{
	JoinRelease(frequent->places.host, frequent->hashes, frequent->capacity, sizeof(uint64));
	NumberSortFree(&frequent->places);
}
