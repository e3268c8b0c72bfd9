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
 * Frequent grams are passed over. Then a run may begin with some of them, and be found by the first
 * gram that is not frequent: where the word before is equal but begins a frequent gram, the run is
 * followed to the left, until it begins, or has a gram that finds it too.
 */
#include "c.h"

#include "kernel/passages/common_runs.h"

/* A place of the gram whose places are being compared. */
typedef struct GramPlace
{
	uint64 place;
	uint64 before; /* the token before it, if has_before */
	uint32 row;
	bool has_before;
} GramPlace;

typedef struct RunFinder
{
	Passages *passages;
	const CommonRunsSpec *spec;
	GramPlace *places;
	uint64 count;
	uint64 capacity;
	bool follows_frequent; /* the gram one word before these places, as of the first, is frequent */
	uint64 known_words;	   /* number of words that are known to be equal at all these places */
	uint64 power;		   /* what GramDrop takes for a gram */
	uint64 inverse;		   /* inverse of GRAM_BASE */
	PassageReader a;	   /* of the place that is compared with others */
	PassageReader b;	   /* of the others, and of the words before places */
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

/* Takes the run of two places, unless another gram finds it. */
static void
take_run(RunFinder *finder, const GramPlace *x, const GramPlace *y)
{
	const Passages *passages = finder->passages;
	uint64 before = 0;
	CommonRun run = {.a = x->row, .b = y->row};

	if (x->has_before && y->has_before && x->before == y->before &&
		!follow_to_left(finder, x, y, &before))
		return;
	run.words = equal_words(
		finder, x->place, y->place, finder->known_words,
		Min(passages->starts[x->row + 1] - x->place, passages->starts[y->row + 1] - y->place));
	if (run.words < passages->winnow.words)
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
 * Returns whether the words before two places leave the run to another gram for certain: they are
 * equal, and the gram that begins with them is not frequent.
 */
static inline bool
is_found_before(const RunFinder *finder, const GramPlace *x, const GramPlace *y)
{
	return x->has_before && y->has_before && x->before == y->before && !finder->follows_frequent;
}

/* Compares a place with later ones, from number `first` on, which are in other rows. */
static void
compare_place(RunFinder *finder, const GramPlace *x, uint64 first)
{
	const CommonRunsSpec *spec = finder->spec;

	JoinTick(finder->passages->host, finder->count - first);
	for (uint64 i = first; i < finder->count; i++)
	{
		const GramPlace *y = &finder->places[i];

		if (!is_found_before(finder, x, y) &&
			(spec->are_compared == NULL || spec->are_compared(spec->context, x->row, y->row)))
			take_run(finder, x, y);
	}
}

/* Returns whether some place has a frequent gram one word before it. */
static bool
any_follows_frequent(RunFinder *finder)
{
	const FrequentGrams *frequent = finder->spec->frequent;

	if (frequent == NULL || frequent->count == 0)
		return false;
	for (uint64 i = 0; i < finder->count; i++)
	{
		const GramPlace *place = &finder->places[i];

		JoinTick(finder->passages->host, finder->passages->winnow.words);
		if (place->has_before &&
			FrequentGramsHave(frequent, GramHash(polynomial_at(finder, place->place - 1))))
			return true;
	}
	return false;
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
		place->row = row;
		place->has_before = place->place > passages->starts[row];
		if (place->has_before)
			place->before = PassageTokenAt(&finder->b, place->place - 1);
	}
}

/* Returns whether all places have the same word before them. */
static bool
follow_one_word(const RunFinder *finder)
{
	for (uint64 i = 0; i < finder->count; i++)
	{
		const GramPlace *place = &finder->places[i];

		if (!place->has_before || place->before != finder->places[0].before)
			return false;
	}
	return true;
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
	finder->follows_frequent = any_follows_frequent(finder);
	if (!finder->follows_frequent && follow_one_word(finder))
		return;
	finder->known_words = grams_are_equal(finder) ? finder->passages->winnow.words : 0;
	for (uint64 i = 0; i < finder->count; i++)
	{
		const GramPlace *x = &finder->places[i];

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
	if (finder->count == finder->capacity)
	{
		uint64 capacity = Max(finder->capacity * 2, 64);

		finder->places = JoinEnlarge(finder->passages->host, finder->places, finder->capacity,
									 capacity, sizeof(GramPlace));
		finder->capacity = capacity;
	}
	finder->places[finder->count++].place = place;
}

/* Collects the places of each gram that is not frequent, and compares them. */
static void
find_runs(RunFinder *finder)
{
	const FrequentGrams *frequent = finder->spec->frequent;
	GramSort *grams = &finder->passages->grams;
	bool is_any = false;
	bool is_passed_over = false;
	uint64 hash = 0;
	GramEntry entry;

	while (GramSortNext(grams, &entry))
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
			add_gram_place(finder, entry.value);
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
