/*
 * repeats.c
 *		From the places of each repeated gram to the repeated words of each row.
 *
 * Of the places of a gram, all but the first are repeated. These, each with the first, are sorted by
 * place, and so come row by row. Grams whose places touch or overlap make a range.
 */
#include "c.h"

#include "passages/kernel/repeats.h"

typedef struct RepeatFinder
{
	Passages *passages;
	const RepeatsSpec *spec;
	NumberSort repeated; /* the place of a repeated gram, and the first place */
	PassageReader a;	 /* of the places, in ascending order */
	PassageReader b;	 /* of the first places */

	/* The row that is being collected, and words by their numbers; the ends are exclusive. */
	RepeatedRow row;
	uint32 range_capacity;
	bool is_any;	   /* there is a range that has not ended */
	uint64 range_from; /* where that range begins */
	uint64 range_to;
	uint64 run_from; /* where a run of grams with consecutive first places begins */
	uint64 run_to;
	uint64 run_first;	  /* the first place of the gram at run_from */
	uint64 run_first_end; /* the end of the row of that place */
	uint64 longest_words; /* words of the longest such run in the row */
	uint64 longest_first;
} RepeatFinder;

/* Puts each place of a gram that has an earlier one of the same hash, if its row is to be taken. */
static void
put_repeated(RepeatFinder *finder)
{
	Passages *passages = finder->passages;
	uint64 first_taken = passages->starts[finder->spec->first_row];
	KeyedItem first = {0};
	bool is_any = false;
	KeyedItem entry;

	while (NumberSortNext(&passages->grams, &entry))
	{
		passages->host->done++;
		JoinTick(passages->host, 1);
		if (!is_any || entry.key != first.key)
			first = entry;
		else if (entry.item >= first_taken)
			NumberSortPut(&finder->repeated, entry.item, first.item);
		is_any = true;
	}
}

/* Returns whether the words from two places on are equal, `words` of them. */
static bool
words_are_equal(RepeatFinder *finder, uint64 x, uint64 y, uint64 words)
{
	JoinTick(finder->passages->host, words);
	for (uint64 i = 0; i < words; i++)
	{
		if (PassageTokenAt(&finder->a, x + i) != PassageTokenAt(&finder->b, y + i))
			return false;
	}
	return true;
}

/*
 * Finds the first place of a gram by looking at all places before it. This is only needed where two
 * different grams have one hash, which hardly ever happens.
 */
static bool
search_first(RepeatFinder *finder, uint64 place, uint64 *first)
{
	const Passages *passages = finder->passages;
	uint64 words = passages->winnow.words;

	for (uint32 row = 0; row < passages->row_count; row++)
	{
		for (*first = passages->starts[row]; *first + words <= passages->starts[row + 1]; ++*first)
		{
			if (*first == place)
				return false;
			if (words_are_equal(finder, place, *first, words))
				return true;
		}
	}
	return false;
}

static void
end_run(RepeatFinder *finder)
{
	uint64 words = finder->run_to - finder->run_from;

	if (words <= finder->longest_words)
		return;
	finder->longest_words = words;
	finder->longest_first = finder->run_first;
}

/* Cuts the range down to whole sentences. */
static void
cut_to_sentences(RepeatFinder *finder)
{
	while (finder->range_from < finder->range_to &&
		   !(PassageWordAt(&finder->a, finder->range_from)->from & PASSAGE_WORD_BEGINS))
		finder->range_from++;
	while (finder->range_from < finder->range_to &&
		   !(PassageWordAt(&finder->a, finder->range_to - 1)->to & PASSAGE_WORD_ENDS))
		finder->range_to--;
}

static void
end_range(RepeatFinder *finder)
{
	RepeatedRow *row = &finder->row;

	if (finder->spec->whole_sentences)
		cut_to_sentences(finder);
	if (finder->range_from == finder->range_to)
		return;
	JOIN_MAKE_ROOM(finder->passages->host, row->ranges, row->range_count, finder->range_capacity);
	row->ranges[row->range_count++] =
		(CharacterRange){.from = PASSAGE_WORD_FROM(PassageWordAt(&finder->a, finder->range_from)),
						 .to = PASSAGE_WORD_TO(PassageWordAt(&finder->a, finder->range_to - 1))};
	row->words += finder->range_to - finder->range_from;
}

static void
end_row(RepeatFinder *finder)
{
	RepeatedRow *row = &finder->row;
	uint64 first;

	end_run(finder);
	end_range(finder);
	if (row->range_count == 0)
		return;
	first = finder->longest_first;
	row->first_row = PassagesRowOf(finder->passages, first, 0);
	row->first.from = PASSAGE_WORD_FROM(PassageWordAt(&finder->b, first));
	row->first.to = PASSAGE_WORD_TO(PassageWordAt(&finder->b, first + finder->longest_words - 1));
	finder->spec->take(finder->spec->context, row);
}

static void
begin_row(RepeatFinder *finder, uint64 place)
{
	RepeatedRow *row = &finder->row;

	row->row = PassagesRowOf(finder->passages, place, row->row);
	row->range_count = 0;
	row->words = 0;
	finder->longest_words = 0;
}

/* Whether the gram before these places is known to be at both. */
static bool
goes_on(const RepeatFinder *finder, uint64 place, uint64 first)
{
	return finder->is_any && place + finder->passages->winnow.words == finder->run_to + 1 &&
		   first - finder->run_first == place - finder->run_from && first < finder->run_first_end;
}

/* Adds a gram, whose places come in ascending order, unless it proves not to be repeated. */
static void
add_gram(RepeatFinder *finder, uint64 place, uint64 first)
{
	uint64 words = finder->passages->winnow.words;
	uint64 end = place + words;
	bool is_in_row = finder->is_any && place < finder->passages->starts[finder->row.row + 1];
	bool is_known = is_in_row && goes_on(finder, place, first);

	/* Of a gram that goes on from another one, only the last word is new. */
	if (is_known ? !words_are_equal(finder, end - 1, first + words - 1, 1)
				 : !words_are_equal(finder, place, first, words))
	{
		if (!search_first(finder, place, &first))
			return;
		is_known = is_in_row && goes_on(finder, place, first);
	}
	if (finder->is_any && !is_in_row)
		end_row(finder);
	if (!is_in_row)
		begin_row(finder, place);
	if (!is_in_row || place > finder->range_to)
	{
		if (is_in_row)
			end_range(finder);
		finder->range_from = place;
	}
	if (!is_known)
	{
		if (is_in_row)
			end_run(finder);
		finder->run_from = place;
		finder->run_first = first;
		finder->run_first_end =
			finder->passages->starts[PassagesRowOf(finder->passages, first, 0) + 1];
	}
	finder->range_to = finder->run_to = end;
	finder->is_any = true;
}

void
RepeatsFind(Passages *passages, const RepeatsSpec *spec)
{
	RepeatFinder finder = {.passages = passages, .spec = spec};
	KeyedItem entry;

	NumberSortInit(&finder.repeated, passages->host, PassagesSortBytes(passages));
	PassageReaderInit(&finder.a, &passages->words, 1);
	PassageReaderInit(&finder.b, &passages->words, 7);
	passages->host->done = 0;
	passages->host->total = passages->grams.count;
	put_repeated(&finder);
	NumberSortPerform(&finder.repeated);
	while (NumberSortNext(&finder.repeated, &entry))
	{
		JoinTick(passages->host, 1);
		add_gram(&finder, entry.key, entry.item);
	}
	if (finder.is_any)
		end_row(&finder);
	PassageReaderFree(&finder.a);
	PassageReaderFree(&finder.b);
	NumberSortFree(&finder.repeated);
	JoinRelease(passages->host, finder.row.ranges, finder.range_capacity, sizeof(CharacterRange));
}
