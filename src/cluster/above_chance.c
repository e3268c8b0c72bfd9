/*
 * above_chance.c
 *		Choosing tokens, measure and threshold by the pairs that are more than chance would give.
 *
 * The pairs of the table are counted in bins of their similarity. Rows that have nothing to do with
 * each other make many pairs of low similarity and ever fewer of higher ones: the logarithm of their
 * number falls along a line, which is fitted to the lowest bins. What is above the line are pairs
 * that have a reason. The threshold is the one for which the expected F1 of these pairs is
 * greatest, and so is the choice of the tokens and the measure among three that did well on
 * labelled tables (doc/quality.md).
 *
 * Pairs are counted from high thresholds down, until there are so many of them that the rest would
 * take long. Equal sets are counted once: they are copies, of which chance makes no pairs.
 */
#include "postgres.h"

#include <math.h>

#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "cluster/above_chance.h"
#include "join/rows/kinds/weighted_set_rows.h"
#include "measure/threshold.h"

/* Bins of similarity, each a fortieth wide, begin at a quarter. */
#define BINS_IN_ONE 40
#define FIRST_BIN 10
#define BINS (BINS_IN_ONE - FIRST_BIN)

/* The line is fitted to the bins below this one, if so many of them have pairs. */
#define FITTED_BINS 8
#define LEAST_FITTED_BINS 3

/* The line falls at least so fast, in natural logarithms by similarity. */
#define GREATEST_SLOPE (-5)

/* No lower threshold is tried when there are more pairs. */
#define MOST_PAIRS 400000

/* The first bins of the passes, each of which counts the pairs from there on. */
static const int pass_bins[] = {18, 10, 4, 0};

/* What rows are compared by: an SQL expression of the extension's schema and the text. */
typedef struct View
{
	const char *format;
	Measure measure;
} View;

static const View views[] = {
	{"%1$s.word_set(%2$s) OPERATOR(%1$s.|) %1$s.qgram_set(%2$s, 4)", MEASURE_IDF_COSINE},
	{"%1$s.qgram_set(%2$s, 3)", MEASURE_IDF_COSINE},
	{"%1$s.qgram_set(%2$s, 3)", MEASURE_JACCARD}};

/* The pairs of one view, by the bin of their similarity. */
typedef struct PairCounts
{
	double pairs[BINS];
	int first;	  /* bin that was counted */
	double total; /* the pairs that this pass has counted so far */
} PairCounts;

/* The similarity at which a bin begins. */
static double
bin_start(int bin)
{
	return (double) (FIRST_BIN + bin) / BINS_IN_ONE;
}

/* Counts a pair in the last bin whose start it reaches. */
static uint64
count_pair(void *context, const FoundPair *pair)
{
	PairCounts *counts = context;
	int bin = Min((int) (pair->value * BINS_IN_ONE) - FIRST_BIN, BINS - 1);

	bin = Max(bin, 0);
	if (bin + 1 < BINS && pair->value >= bin_start(bin + 1))
		bin++;
	counts->pairs[bin]++;
	counts->total++;
	return 1;
}

/* Counts the pairs from a bin on; returns false if it ended, because there are too many. */
static bool
count_from(SimilarityJoin *join, Measure measure, int first, bool may_end, PairCounts *counts)
{
	*counts = (PairCounts){.first = first};
	SimilarityJoinFind(join, PredicateOrError(measure, bin_start(first)), count_pair, counts);
	while (SimilarityJoinNext(join))
	{
		if (may_end && counts->total > MOST_PAIRS)
			return false;
	}
	return !may_end || counts->total <= MOST_PAIRS;
}

static PairCounts
count_pairs(const JoinRequest *request)
{
	Measure measure = request->task.predicate.measure;
	SimilarityJoin join;
	PairCounts counts;
	PairCounts next;

	QueryJoinBegin(&join, request);
	count_from(&join, measure, pass_bins[0], false, &counts);
	for (int pass = 1; pass < (int) lengthof(pass_bins); pass++)
	{
		if (counts.total > MOST_PAIRS || !count_from(&join, measure, pass_bins[pass], true, &next))
			break;
		counts = next;
	}
	SimilarityJoinEnd(&join);
	return counts;
}

/*
 * Fits ln(pairs) = height + slope * (similarity - center), weighted by the pairs, to the lowest bins.
 * Returns false if too few of these have pairs.
 */
static bool
fit_line(const PairCounts *counts, double *center, double *height, double *slope)
{
	double weight = 0;
	double variance = 0;
	double covariance = 0;
	int bins = 0;

	*center = *height = 0;
	for (int bin = counts->first; bin < FITTED_BINS; bin++)
	{
		double pairs = counts->pairs[bin];

		if (pairs == 0)
			continue;
		bins++;
		weight += pairs;
		*center += pairs * (bin_start(bin) + 0.5 / BINS_IN_ONE);
		*height += pairs * log(pairs);
	}
	if (bins < LEAST_FITTED_BINS)
		return false;
	*center /= weight;
	*height /= weight;
	for (int bin = counts->first; bin < FITTED_BINS; bin++)
	{
		double pairs = counts->pairs[bin];
		double distance = bin_start(bin) + 0.5 / BINS_IN_ONE - *center;

		if (pairs == 0)
			continue;
		variance += pairs * distance * distance;
		covariance += pairs * distance * (log(pairs) - *height);
	}
	*slope = Min(covariance / variance, GREATEST_SLOPE);
	return true;
}

/* The lowest two bins that have pairs are the background where no line can be fitted. */
static void
take_lowest_bins(const PairCounts *counts, double *background)
{
	int taken = 0;

	for (int bin = counts->first; bin < BINS && taken < 2; bin++)
	{
		background[bin] = counts->pairs[bin];
		taken += counts->pairs[bin] > 0;
	}
}

/* Sets background[bin], which are 0, to the pairs that chance gives: no more than there are. */
static void
find_background(const PairCounts *counts, double *background)
{
	double center;
	double height;
	double slope;
	double least = INFINITY;

	if (!fit_line(counts, &center, &height, &slope))
	{
		take_lowest_bins(counts, background);
		return;
	}
	for (int bin = counts->first; bin < BINS; bin++)
	{
		double middle = bin_start(bin) + 0.5 / BINS_IN_ONE;

		/* Chance gives ever fewer pairs. */
		least = Min(least, Min(counts->pairs[bin], exp(height + slope * (middle - center))));
		background[bin] = least;
	}
}

/* Takes the threshold of these counts if it promises a better F1 than *best. */
static void
take_best_threshold(const PairCounts *counts, AboveChance view, double *best, AboveChance *chosen)
{
	double background[BINS] = {0};
	double all_above = 0;

	find_background(counts, background);
	for (int bin = counts->first; bin < BINS; bin++)
		all_above += counts->pairs[bin] - background[bin];
	for (int bin = BINS - 1; bin >= counts->first; bin--)
	{
		double quality;

		view.pairs += counts->pairs[bin];
		view.above += counts->pairs[bin] - background[bin];
		quality = 2 * view.above / Max(view.pairs + all_above, 1);
		if (quality > *best)
		{
			view.threshold = bin_start(bin);
			*best = quality;
			*chosen = view;
		}
	}
}

static void
try_view(JoinRequest request, const char *relation, AboveChance view, double *best,
		 AboveChance *chosen)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup above chance", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	PairCounts counts;

	request.task.predicate = PredicateOrError(view.measure, bin_start(0));
	request.task.kind = SetRowsOf(view.measure);
	request.queries[0] = psprintf("SELECT pg_catalog.row_number() OVER (), sets FROM "
								  "(SELECT DISTINCT (%s\n) AS sets FROM %s) AS different_sets",
								  view.tokens, relation);
	counts = count_pairs(&request);
	MemoryContextSwitchTo(previous);
	take_best_threshold(&counts, view, best, chosen);
	MemoryContextDelete(context);
}

AboveChance
AboveChanceChoose(const JoinRequest *join, const char *relation, const char *body,
				  const char *tokens)
{
	const char *schema = quote_identifier(get_namespace_name(join->reader.schema));
	const char *content = psprintf("%s::pg_catalog.text", body);
	AboveChance chosen = {
		.tokens = tokens, .measure = join->task.predicate.measure, .threshold = 1};
	double best = 0;

	if (tokens != NULL)
	{
		try_view(*join, relation, chosen, &best, &chosen);
		return chosen;
	}
	for (int i = 0; i < (int) lengthof(views); i++)
	{
		AboveChance view = {.tokens = psprintf(views[i].format, schema, content),
							.measure = views[i].measure,
							.threshold = 1};

		if (i == 0)
			chosen = view;
		try_view(*join, relation, view, &best, &chosen);
	}
	return chosen;
}
