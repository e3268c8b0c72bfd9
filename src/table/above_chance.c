/*
 * above_chance.c
 *		Choosing tokens, measure and threshold by the pairs that are more than chance would give.
 *
 * The pairs of the table are counted in bins of their similarity (table_pairs.h). Rows that have
 * nothing to do with each other make many pairs of low similarity and ever fewer of higher ones: the
 * logarithm of their number falls along a line, which is fitted to some of the lowest bins, the zone.
 * What is above the line are pairs that have a reason. The threshold is the one for which the
 * expected F1 of these pairs is greatest, and so is the choice of the tokens and the measure among
 * the choices of default_tokens.h.
 *
 * The line begins at the fullest bin of the zone: what is below it is all chance. Rows of one
 * template, say, make a hill of pairs in the zone and none below. Where the zone has hardly any
 * pairs, chance gives less similar ones, and a lower zone is looked at.
 *
 * It cannot tell where there is too little to see: where few pairs are below the threshold, nothing
 * says what chance gives. Nor can it where most of the pairs that it would take are chance, or where
 * so many rows are similar that all of them may have one of a few templates.
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "kinds/sets/weighted_set_rows.h"
#include "table/above_chance.h"
#include "table/default_tokens.h"
#include "table/table_pairs.h"

/*
 * The zone has ZONE_BINS bins. It begins at bin FIRST_BIN, which is the lowest threshold that can be
 * chosen, or, where hardly any pairs are there, at bin LOWER_FIRST_BIN.
 */
#define ZONE_BINS 8
#define FIRST_BIN 10
#define LOWER_FIRST_BIN 2

/* The line is fitted to the bins of the zone if at least this many of them have pairs. */
#define LEAST_FITTED_BINS 3

/*
 * The steepest rise that the line may have: ln(pairs) falls by at least 5 while the similarity rises
 * by 1. What falls more slowly is no chance.
 */
#define GREATEST_SLOPE (-5)

/*
 * Nothing is known of chance unless at least LEAST_BELOW pairs are estimated to lie below the
 * threshold, and LEAST_SEEN of them were counted rather than extrapolated from a sample.
 */
#define LEAST_BELOW 200
#define LEAST_SEEN 50

/* The part of the pairs from the threshold on that must be above chance. */
#define LEAST_ABOVE 0.33

/*
 * The greatest part of all pairs that may be similar. It is the part that is similar where all rows
 * belong to 25 families of equal size: then few templates explain the pairs, not duplicates.
 */
#define MOST_SIMILAR 0.04

/* An expected F1 from which on no further choice of tokens is tried. */
#define GOOD_QUALITY 0.97

/* The line ln(pairs) = height + slope * (similarity - center). */
typedef struct Line
{
	double center;
	double height;
	double slope;
} Line;

/* What is expected of a choice. */
typedef struct Expectation
{
	AboveChance choice;
	double quality; /* the expected F1 */
} Expectation;

static double
bin_middle(int bin)
{
	return PairBinStart(bin) + 0.5 / BINS;
}

static int
filled_bins(const double *pairs, int first, int end)
{
	int filled = 0;

	for (int bin = first; bin < end; bin++)
		filled += pairs[bin] > 0;
	return filled;
}

/* Returns the first bin of the line: the fullest of the zone, or the first if a line is too short. */
static int
line_start(const double *pairs, int first)
{
	int fullest = first;

	for (int bin = first; bin < first + ZONE_BINS; bin++)
	{
		if (pairs[bin] > pairs[fullest])
			fullest = bin;
	}
	if (filled_bins(pairs, fullest, first + ZONE_BINS) < LEAST_FITTED_BINS)
		return first;
	return fullest;
}

/* Fits the line to bins, some of which have pairs, weighted by these. */
static Line
fit_line(const double *pairs, int first, int end)
{
	Line line = {0};
	double weight = 0;
	double variance = 0;
	double covariance = 0;

	for (int bin = first; bin < end; bin++)
	{
		if (pairs[bin] == 0)
			continue;
		weight += pairs[bin];
		line.center += pairs[bin] * bin_middle(bin);
		line.height += pairs[bin] * log(pairs[bin]);
	}
	line.center /= weight;
	line.height /= weight;
	for (int bin = first; bin < end; bin++)
	{
		double distance = bin_middle(bin) - line.center;

		if (pairs[bin] == 0)
			continue;
		variance += pairs[bin] * distance * distance;
		covariance += pairs[bin] * distance * (log(pairs[bin]) - line.height);
	}
	line.slope = Min(covariance / variance, GREATEST_SLOPE);
	return line;
}

/* The lowest two bins of the zone that have pairs are the background where no line can be fitted. */
static void
take_lowest_bins(const double *pairs, int first, double *background)
{
	int taken = 0;

	for (int bin = first; bin < first + ZONE_BINS && taken < 2; bin++)
	{
		background[bin] = pairs[bin];
		taken += pairs[bin] > 0;
	}
}

/* Sets background[bin], which are 0, to the pairs that chance gives: no more than there are. */
static void
find_background(const double *pairs, int first, double *background)
{
	int start = line_start(pairs, first);
	int end = first + ZONE_BINS;
	double least = INFINITY;
	Line line;

	if (filled_bins(pairs, start, end) < LEAST_FITTED_BINS)
	{
		take_lowest_bins(pairs, first, background);
		return;
	}
	line = fit_line(pairs, start, end);
	for (int bin = first; bin <= start; bin++)
		background[bin] = pairs[bin];
	for (int bin = start + 1; bin < BINS; bin++)
	{
		double expected = exp(line.height + line.slope * (bin_middle(bin) - line.center));

		/* Chance gives ever fewer pairs; short texts have similarities in between that none can have. */
		if (pairs[bin] > 0)
			least = Min(least, Min(pairs[bin], expected));
		background[bin] = Min(least, pairs[bin]);
	}
}

/* Sets whether the choice can be told to be right, and the message. */
static void
judge(AboveChance *choice, const PairCounts *counts, double chance_below)
{
	if (choice->pairs == 0)
		choice->message = "No pairs of different sets are above chance.";
	else if (chance_below < LEAST_BELOW || chance_below * counts->share < LEAST_SEEN)
		choice->message = psprintf(
			"%.0f pairs of different sets would be similar, and only %.0f less similar ones, "
			"that chance gave, were seen: too few to tell.",
			choice->pairs, chance_below * counts->share);
	else if (choice->above < LEAST_ABOVE * choice->pairs)
		choice->message =
			psprintf("Of %.0f pairs of different sets from %g on, only %.0f are above chance.",
					 choice->pairs, choice->threshold, choice->above);
	else if (choice->pairs > MOST_SIMILAR * counts->all)
		choice->message =
			psprintf("%.0f of all %.0f pairs of different sets are similar: rows that share much, "
					 "such as a template, cannot be told from near-duplicates.",
					 choice->pairs, counts->all);
	else
	{
		choice->message = psprintf("Of %.0f such pairs of different sets, %.0f are above chance.",
								   choice->pairs, choice->above);
		choice->can_tell = true;
	}
}

/* Sets the threshold of a choice from what was counted from this bin on, which the zone begins with. */
static Expectation
find_threshold(const PairCounts *counts, int first, AboveChance choice)
{
	Expectation best = {.choice = choice};
	double background[BINS] = {0};
	double chance_below = 0;
	double all_above = 0;

	find_background(counts->pairs, first, background);
	for (int bin = FIRST_BIN; bin < BINS; bin++)
		all_above += counts->pairs[bin] - background[bin];
	for (int bin = BINS - 1; bin >= FIRST_BIN; bin--)
	{
		double quality;

		choice.pairs += counts->pairs[bin];
		choice.above += counts->pairs[bin] - background[bin];
		choice.threshold = PairBinStart(bin);
		quality = 2 * choice.above / Max(choice.pairs + all_above, 1);
		if (quality > best.quality)
			best = (Expectation){.choice = choice, .quality = quality};
	}
	for (int bin = first; PairBinStart(bin) < best.choice.threshold; bin++)
		chance_below += background[bin];
	judge(&best.choice, counts, chance_below);
	return best;
}

double
AboveChanceThreshold(const PairCounts *counts)
{
	return find_threshold(counts, FIRST_BIN, (AboveChance){.threshold = 1}).choice.threshold;
}

/* What can be told outranks what cannot. */
static bool
outranks_view(const Expectation *a, const Expectation *b)
{
	return a->choice.can_tell > b->choice.can_tell ||
		   (a->choice.can_tell == b->choice.can_tell && a->quality > b->quality);
}

/*
 * Counts the pairs of a choice, the very similar ones by an estimate if the choice cannot be better than
 * the best so far however many there are.
 */
static Expectation
expect_of_view(const JoinRequest *join, const char *relation, AboveChance choice,
			   const Expectation *best)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup above chance", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	const char *sets =
		psprintf("SELECT 0::pg_catalog.int8, (%s\n) FROM %s", choice.tokens, relation);
	JoinRequest request = *join;
	int first = FIRST_BIN;
	double in_zone = 0;
	TablePairs table;
	const PairCounts *counts;
	PairCounts at_most;
	Expectation expectation;

	request.task.predicate.measure = choice.measure;
	request.task.kind = SetRowsOf(choice.measure);
	TablePairsBegin(&table, &request, sets, PairBinStart(LOWER_FIRST_BIN));
	counts = TablePairsCount(&table, first);
	for (int bin = first; bin < first + ZONE_BINS; bin++)
		in_zone += counts->pairs[bin];
	if (in_zone < LEAST_SEEN)
	{
		first = LOWER_FIRST_BIN;
		counts = TablePairsCount(&table, first);
	}
	at_most = TablePairsAtMost(&table);
	expectation = find_threshold(&at_most, first, choice);
	/* Whether it can be told is known when all have been counted. */
	expectation.choice.can_tell = true;
	if (outranks_view(&expectation, best))
		TablePairsCompleteSimilar(&table);
	MemoryContextSwitchTo(previous);
	expectation = find_threshold(counts, first, choice);
	TablePairsEnd(&table);
	MemoryContextDelete(context);
	return expectation;
}

static bool
is_good(const Expectation *expectation)
{
	return expectation->choice.can_tell && expectation->quality >= GOOD_QUALITY;
}

AboveChance
AboveChanceChoose(const JoinRequest *join, const char *relation, const char *body,
				  const char *tokens)
{
	const char *schema = quote_identifier(get_namespace_name(join->reader.schema));
	const char *content = psprintf("%s::pg_catalog.text", body);
	Expectation best = {.quality = -1};

	if (tokens != NULL)
		return expect_of_view(join, relation,
							  (AboveChance){.tokens = tokens,
											.measure = join->task.predicate.measure,
											.threshold = 1},
							  &best)
			.choice;
	for (int i = 0; i < DEFAULT_VIEWS && !is_good(&best); i++)
	{
		AboveChance choice = {.tokens = psprintf(default_views[i].format, schema, content),
							  .measure = default_views[i].measure,
							  .threshold = 1};
		Expectation view = expect_of_view(join, relation, choice, &best);

		if (outranks_view(&view, &best))
			best = view;
	}
	return best.choice;
}
