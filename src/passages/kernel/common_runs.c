/*
 * common_runs.c
 *		From the places of each repeated gram to the runs of two rows.
 *
 * A run of two rows is a sequence of grams that both have. It is found by its first gram: there the
 * words before the gram differ. So of two places of a gram only the words before them must be
 * compared, and those are collected for all places of the gram. Then the run is followed to its end.
 * Its first words are the gram, which is verified once for each place instead of for each pair.
 *
 *		row 3   … the quick brown fox jumps over …
 *		row 8   … a   quick brown fox jumps …
 *
 * With grams of three words, "quick brown fox" is the first of this run: "the" is not "a". At "brown
 * fox jumps" the words before are both "quick", so the run is known.
 *
 * Where the words of a row repeat with a period, as in "a b a b a b", a gram has many places in it,
 * with the same word before all but the first. So places that have the same word before them as the
 * place they are compared with are skipped together (next_other). And two runs of such words are
 * not compared word by word. If "x a b a b a b y" and "a b a b a b a b z" both have the period 2
 * from their first "a" on, and the first two words are equal, then they are equal up to where the
 * first of them leaves its period, and differ there, since the other one goes on in it
 * (equal_words_from). The period that matters is the distance to the next place of the gram: if the
 * run is longer than that, both rows have the gram there.
 *
 * Frequent grams are passed over. Then a run may begin with some of them, and be found by the first
 * gram that is not frequent: where the word before is equal but begins a frequent gram, the run is
 * followed to the left, until it begins, or has a gram that finds it too.
 */
#include "c.h"

#include "passages/kernel/common_runs.h"

/* A place of the gram whose places are being compared. */
typedef struct GramPlace
{
	uint64 place;
	uint64 before;	   /* the token before it, if has_before */
	uint64 next_other; /* number of the next place with another word before it */
	uint64 period_end; /* where the period ends that begins here; 0 if that is not known */
	uint32 row;
	bool has_before;
	bool follows_frequent; /* the gram one word before it is frequent */
} GramPlace;

typedef struct RunFinder
{
	Passages *passages;
	const CommonRunsSpec *spec;
	GramPlace *places;
	uint64 count;
	uint64 capacity;
	uint64 known_words; /* number of words that are known to be equal at all these places */
	uint64 power;		/* what GramDrop takes for a gram */
	uint64 inverse;		/* inverse of GRAM_BASE */
	PassageReader a;	/* of the place that is compared with others */
	PassageReader b;	/* of the others, and of the words before places */
} RunFinder;

/* Returns the number by which GRAM_BASE must be multiplied to give 1. */
static uint64
inverse_of_base(void)
{
	uint64 inverse = GRAM_BASE;

	/* Each round doubles the number of bits that are right. */
	for (int i = 0; i < 6; i++)
		inverse *= 2 - GRAM_BASE * inverse;
	return inverse;
}

static uint64
polynomial_at(RunFinder *finder, uint64 place)
{
	uint64 words = finder->passages->winnow.words;
	uint64 polynomial = 0;

	for (uint64 i = place; i < place + words; i++)
		polynomial = GramAdd(polynomial, PassageTokenAt(&finder->a, i));
	return polynomial;
}

/*
 * Follows a run to the left, from two places whose words before are equal. Returns false if it has a
 * gram there that is not frequent, by which it is found, too. Else *words is how many words of the
 * run are before the places.
 */
static bool
follow_to_left(RunFinder *finder, const GramPlace *x, const GramPlace *y, uint64 *words)
{
	const Passages *passages = finder->passages;
	uint64 length = passages->winnow.words;
	uint64 a_start = passages->starts[x->row];
	uint64 b_start = passages->starts[y->row];
	uint64 polynomial = polynomial_at(finder, x->place - 1);

	for (uint64 i = 1;; i++)
	{
		uint64 a = x->place - i;
		uint64 b = y->place - i;

		JoinTick(passages->host, 1);
		if (!FrequentGramsHave(finder->spec->frequent, GramHash(polynomial)))
			return false;
		*words = i;
		if (a == a_start || b == b_start ||
			PassageTokenAt(&finder->a, a - 1) != PassageTokenAt(&finder->b, b - 1))
			return true;
		polynomial = (polynomial - PassageTokenAt(&finder->a, a + length - 1)) * finder->inverse +
					 PassageTokenAt(&finder->a, a - 1) * finder->power;
	}
}

/* Returns how many words from two places on are equal, at most `most`. The first `words` are. */
static uint64
equal_words(RunFinder *finder, uint64 a, uint64 b, uint64 words, uint64 most)
{
	uint64 known = words;

	while (words < most &&
		   PassageTokenAt(&finder->a, a + words) == PassageTokenAt(&finder->b, b + words))
		words++;
	JoinTick(finder->passages->host, words - known + 1);
	return words;
}

/* Returns the distance from a place of the gram to its next place in the same row; 0 if there is none. */
static uint64
period_of(const RunFinder *finder, const GramPlace *place)
{
	const GramPlace *next = place + 1;

	if (next == finder->places + finder->count || next->row != place->row)
		return 0;
	return next->place - place->place;
}

static uint64
words_to_end_of_row(const RunFinder *finder, const GramPlace *place)
{
	return finder->passages->starts[place->row + 1] - place->place;
}

/*
 * Returns where the period of a place ends: at the first word, from the next place on, that is not
 * the word one period before it, or at the end of the row. If the next place has the same period,
 * and the words between both are equal to those from the next place on, then the period of both ends
 * at the same word. Otherwise it ends before the gram would come again. The end is noted at all
 * places for which it is found.
 */
static uint64
find_period_end(RunFinder *finder, GramPlace *first)
{
	uint64 period = period_of(finder, first);
	GramPlace *place = first;
	uint64 end = 0;

	while (end == 0)
	{
		GramPlace *next = place + 1;
		bool goes_on = period_of(finder, next) == period;
		uint64 most = goes_on ? period : words_to_end_of_row(finder, next);
		uint64 words = equal_words(finder, place->place, next->place, finder->known_words, most);

		if (goes_on && words >= period)
		{
			place = next;
			end = place->period_end;
		}
		else
			end = next->place + words;
	}
	for (GramPlace *known = first; known <= place; known++)
		known->period_end = end;
	return end;
}

static uint64
period_end_of(RunFinder *finder, GramPlace *place)
{
	return place->period_end != 0 ? place->period_end : find_period_end(finder, place);
}

/* Returns how many words from two places of the gram on are equal. */
static uint64
equal_words_from(RunFinder *finder, GramPlace *x, GramPlace *y)
{
	uint64 most = Min(words_to_end_of_row(finder, x), words_to_end_of_row(finder, y));
	uint64 words = finder->known_words;
	uint64 period = words > 0 ? period_of(finder, x) : 0;

	if (period > 0 && period == period_of(finder, y))
	{
		uint64 x_words;
		uint64 y_words;

		words = equal_words(finder, x->place, y->place, words, period);
		if (words < period)
			return words;
		x_words = period_end_of(finder, x) - x->place;
		y_words = period_end_of(finder, y) - y->place;
		words = Min(x_words, y_words);
		if (x_words != y_words)
			return words;
	}
	return equal_words(finder, x->place, y->place, words, most);
}

/* Returns whether the words before two places are equal. */
static inline bool
follow_equal_words(const GramPlace *x, const GramPlace *y)
{
	return x->has_before && y->has_before && x->before == y->before;
}

/* Takes the run of two places, unless another gram finds it. */
static void
take_run(RunFinder *finder, GramPlace *x, GramPlace *y)
{
	uint64 before = 0;
	CommonRun run = {.a = x->row, .b = y->row};

	if (follow_equal_words(x, y) && !follow_to_left(finder, x, y, &before))
		return;
	run.words = equal_words_from(finder, x, y);
	if (run.words < finder->passages->winnow.words)
		return;
	run.words += before;
	run.a_place = x->place - before;
	run.b_place = y->place - before;
	run.a_from = PASSAGE_WORD_FROM(PassageWordAt(&finder->a, run.a_place));
	run.a_to = PASSAGE_WORD_TO(PassageWordAt(&finder->a, run.a_place + run.words - 1));
	run.b_from = PASSAGE_WORD_FROM(PassageWordAt(&finder->b, run.b_place));
	run.b_to = PASSAGE_WORD_TO(PassageWordAt(&finder->b, run.b_place + run.words - 1));
	finder->spec->take(finder->spec->context, &run);
}

/*
 * Compares a place with later ones, from number `first` on, which are in other rows. Where the words
 * before are equal, and so are the grams that begin with them, the run is found by these unless they
 * are frequent.
 */
static void
compare_place(RunFinder *finder, GramPlace *x, uint64 first)
{
	const CommonRunsSpec *spec = finder->spec;
	uint64 i = first;

	while (i < finder->count)
	{
		GramPlace *y = &finder->places[i];

		JoinTick(finder->passages->host, 1);
		if (follow_equal_words(x, y) && !x->follows_frequent)
		{
			i = y->next_other;
			continue;
		}
		if (spec->are_compared == NULL || spec->are_compared(spec->context, x->row, y->row))
			take_run(finder, x, y);
		i++;
	}
}

/* Finds which places have a frequent gram one word before them; returns whether any has. */
static bool
find_frequent_before(RunFinder *finder)
{
	const FrequentGrams *frequent = finder->spec->frequent;
	bool is_any = false;

	if (frequent == NULL || frequent->count == 0)
		return false;
	for (uint64 i = 0; i < finder->count; i++)
	{
		GramPlace *place = &finder->places[i];

		JoinTick(finder->passages->host, finder->passages->winnow.words);
		place->follows_frequent =
			place->has_before &&
			FrequentGramsHave(frequent, GramHash(polynomial_at(finder, place->place - 1)));
		is_any |= place->follows_frequent;
	}
	return is_any;
}

/* Finds the rows of the places that have been collected, and the words before them. */
static void
describe_places(RunFinder *finder)
{
	const Passages *passages = finder->passages;
	uint32 row = 0;

	for (uint64 i = 0; i < finder->count; i++)
	{
		GramPlace *place = &finder->places[i];

		JoinTick(passages->host, 1);
		if (i == 0 || place->place >= passages->starts[row + 1])
			row = PassagesRowOf(passages, place->place, row);
		*place = (GramPlace){
			.place = place->place, .row = row, .has_before = place->place > passages->starts[row]};
		if (place->has_before)
			place->before = PassageTokenAt(&finder->b, place->place - 1);
	}
}

/* Finds for each place the next one with another word before it. */
static void
find_next_others(RunFinder *finder)
{
	for (uint64 i = finder->count; i > 0; i--)
	{
		GramPlace *place = &finder->places[i - 1];

		place->next_other =
			i < finder->count && follow_equal_words(place, place + 1) ? place[1].next_other : i;
	}
}

/* Returns whether the grams at all places are equal; different ones may have equal hashes. */
static bool
grams_are_equal(RunFinder *finder)
{
	uint64 words = finder->passages->winnow.words;

	for (uint64 i = 1; i < finder->count; i++)
	{
		if (equal_words(finder, finder->places[0].place, finder->places[i].place, 0, words) < words)
			return false;
	}
	return true;
}

/*
 * Finds the runs that begin with the gram whose places have been collected. Most grams have one
 * place, and nothing is read for them.
 */
static void
compare_gram_places(RunFinder *finder)
{
	uint32 left_count = finder->spec->left_count;
	uint64 first = 0;

	if (finder->count < 2)
		return;
	describe_places(finder);
	if (finder->places[0].row == finder->places[finder->count - 1].row)
		return;
	find_next_others(finder);
	if (!find_frequent_before(finder) && finder->places[0].next_other == finder->count)
		return;
	finder->known_words = grams_are_equal(finder) ? finder->passages->winnow.words : 0;
	for (uint64 i = 0; i < finder->count; i++)
	{
		GramPlace *x = &finder->places[i];

		if (left_count > 0 && x->row >= left_count)
			break;
		while (first < finder->count &&
			   (finder->places[first].row <= x->row || finder->places[first].row < left_count))
			first++;
		compare_place(finder, x, first);
	}
}

static void
add_gram_place(RunFinder *finder, uint64 place)
{
	JOIN_MAKE_ROOM(finder->passages->host, finder->places, finder->count, finder->capacity);
	finder->places[finder->count++].place = place;
}

/* Collects the places of each gram that is not frequent, and compares them. */
static void
find_runs(RunFinder *finder)
{
	const FrequentGrams *frequent = finder->spec->frequent;
	NumberSort *grams = &finder->passages->grams;
	bool is_any = false;
	bool is_passed_over = false;
	uint64 hash = 0;
	KeyedItem entry;

	while (NumberSortNext(grams, &entry))
	{
		finder->passages->host->done++;
		JoinTick(finder->passages->host, 1);
		if (!is_any || entry.key != hash)
		{
			compare_gram_places(finder);
			finder->count = 0;
			hash = entry.key;
			is_any = true;
			is_passed_over = frequent != NULL && FrequentGramsHave(frequent, hash);
		}
		if (!is_passed_over)
			add_gram_place(finder, entry.item);
	}
	compare_gram_places(finder);
}

void
CommonRunsFind(Passages *passages, const CommonRunsSpec *spec)
{
	RunFinder finder = {.passages = passages,
						.spec = spec,
						.power = GramPower(passages->winnow.words - 1),
						.inverse = inverse_of_base()};

	PassageReaderInit(&finder.a, &passages->words, 1);
	PassageReaderInit(&finder.b, &passages->words, 7);
	passages->host->done = 0;
	passages->host->total = passages->grams.count;
	find_runs(&finder);
	PassageReaderFree(&finder.a);
	PassageReaderFree(&finder.b);
	JoinRelease(passages->host, finder.places, finder.capacity, sizeof(GramPlace));
}
