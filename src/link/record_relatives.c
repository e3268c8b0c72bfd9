/*
 * record_relatives.c
 *		Telling relatives from errors, by expectation and maximization.
 *
 * It begins with the pairs that are far in two columns or more as relatives, and then turns by turn
 * counts how the pairs of each class agree in each column, and tells from the counts how likely each pair
 * belongs to either class. Columns in which a row has no value say nothing.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "drawing.h"
#include "link/record_relatives.h"

/* Matches that are looked at. */
#define MOST_PAIRS 30000

#define MOST_STEPS 100

/* No further step if no probability moved by so much. */
#define LEAST_MOVE 0.0001

/* The probabilities to begin with, of pairs that are far in so many columns, and of others. */
#define LEAST_FAR_COLUMNS 2
#define LIKELY 0.98
#define UNLIKELY 0.02

/* Added to each count. */
#define PSEUDOCOUNT 0.5

#define LEAST_SHARE 0.000001

/*
 * There are relatives if they are this part of the matches, and far in two columns in this part of their
 * pairs, where no more than that part of the others are.
 */
#define LEAST_RELATIVES 0.1
#define LEAST_FAR 0.8
#define MOST_FAR_OTHERS 0.5

/* The pairs, and what is known of them at a step. */
typedef struct Mixture
{
	int column_count;
	uint32 count;
	uint8 *agreements;	   /* column_count for each pair */
	double *probabilities; /* by pair: that it is of relatives */
	double odds;
	double (
		*shares)[2][AGREE_LEVELS]; /* by column: of the agreements, in relatives and in others */
	double (*evidence)[AGREE_LEVELS];
} Mixture;

RecordRelatives
RecordRelativesBegin(RecordFeatures *features, RecordCandidates *candidates)
{
	RecordRelatives relatives = {.features = features, .candidates = candidates};

	relatives.columns = AllocateArray(features->column_count, sizeof(int));
	for (int i = 0; i < features->column_count; i++)
	{
		if (features->agreements[i].counts)
			relatives.columns[relatives.column_count++] = i;
	}
	relatives.evidence = AllocateArray(relatives.column_count, sizeof(*relatives.evidence));
	relatives.far_shares = AllocateArray(relatives.column_count, sizeof(double));
	return relatives;
}

/* Whether a candidate is of two groups and has the mark. */
static bool
is_looked_at(RecordCandidates *candidates, uint64 number, CandidateMark mark)
{
	const Candidate *pair;

	if (!RecordCandidateHas(candidates, number, mark))
		return false;
	pair = RecordCandidateAt(candidates, number);
	return pair->a != pair->b;
}

static uint64
count_looked_at(RecordCandidates *candidates, CandidateMark mark)
{
	uint64 count = 0;

	for (uint64 i = 0; i < candidates->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		count += is_looked_at(candidates, i, mark);
	}
	return count;
}

/* Reads how the pairs agree, or some of them, drawn always alike. */
static Mixture
read_pairs(const RecordRelatives *relatives, CandidateMark mark)
{
	RecordCandidates *candidates = relatives->candidates;
	uint64 all = count_looked_at(candidates, mark);
	Drawing drawing = DrawingBegin(0, all, MOST_PAIRS);
	int width = relatives->column_count;
	Mixture mixture = {.column_count = width};

	mixture.agreements = AllocateArray(drawing.wanted, Max(width, 1));
	mixture.probabilities = AllocateArray(drawing.wanted, sizeof(double));
	mixture.shares = AllocateArray(width, sizeof(*mixture.shares));
	mixture.evidence = AllocateArray(width, sizeof(*mixture.evidence));
	for (uint64 i = 0; i < candidates->count; i++)
	{
		uint8 *agreements = mixture.agreements + (Size) mixture.count * width;

		CHECK_FOR_INTERRUPTS();
		if (!is_looked_at(candidates, i, mark) || !DrawingTakes(&drawing))
			continue;
		for (int j = 0; j < width; j++)
			agreements[j] =
				(uint8) RecordFeaturesAgreement(relatives->features, i, relatives->columns[j]);
		mixture.count++;
	}
	return mixture;
}

/* Sets the probabilities to begin with; returns whether any pair is far in several columns. */
static bool
begin_probabilities(Mixture *mixture)
{
	bool any = false;

	for (uint32 i = 0; i < mixture->count; i++)
	{
		int far = 0;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < mixture->column_count; j++)
			far += mixture->agreements[(Size) i * mixture->column_count + j] == AGREE_FAR;
		mixture->probabilities[i] = far >= LEAST_FAR_COLUMNS ? LIKELY : UNLIKELY;
		any |= far >= LEAST_FAR_COLUMNS;
	}
	return any;
}

/* Counts how the pairs of each class agree in a column. */
static void
count_agreements(Mixture *mixture, int column)
{
	double(*shares)[AGREE_LEVELS] = mixture->shares[column];

	for (int class = 0; class < 2; class ++)
	{
		for (int level = 0; level < AGREE_LEVELS; level++)
			shares[class][level] = PSEUDOCOUNT;
	}
	for (uint32 i = 0; i < mixture->count; i++)
	{
		uint8 level = mixture->agreements[(Size) i * mixture->column_count + column];

		if (level == AGREE_LEVELS)
			continue;
		shares[0][level] += mixture->probabilities[i];
		shares[1][level] += 1 - mixture->probabilities[i];
	}
	for (int class = 0; class < 2; class ++)
	{
		double sum = 0;

		for (int level = 0; level < AGREE_LEVELS; level++)
			sum += shares[class][level];
		for (int level = 0; level < AGREE_LEVELS; level++)
			shares[class][level] /= sum;
	}
	for (int level = 0; level < AGREE_LEVELS; level++)
		mixture->evidence[column][level] = log(shares[0][level]) - log(shares[1][level]);
}

/* Learns from the probabilities what each agreement says. */
static void
maximize(Mixture *mixture)
{
	double sum = 0;
	double share;

	for (uint32 i = 0; i < mixture->count; i++)
		sum += mixture->probabilities[i];
	share = Min(Max(sum / mixture->count, LEAST_SHARE), 1 - LEAST_SHARE);
	mixture->odds = log(share / (1 - share));
	for (int j = 0; j < mixture->column_count; j++)
	{
		CHECK_FOR_INTERRUPTS();
		count_agreements(mixture, j);
	}
}

/* Sets the probabilities by what was learned; returns by how much the one moved that moved most. */
static double
expect(Mixture *mixture)
{
	double most = 0;

	for (uint32 i = 0; i < mixture->count; i++)
	{
		const uint8 *agreements = mixture->agreements + (Size) i * mixture->column_count;
		double odds = mixture->odds;
		double probability;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < mixture->column_count; j++)
		{
			if (agreements[j] != AGREE_LEVELS)
				odds += mixture->evidence[j][agreements[j]];
		}
		probability = 1 / (1 + exp(-odds));
		most = Max(most, fabs(probability - mixture->probabilities[i]));
		mixture->probabilities[i] = probability;
	}
	return most;
}

/* Whether one of the classes is of relatives, and not of the errors that fall on a column now and then. */
static bool
has_relatives(const Mixture *mixture)
{
	uint32 likely = 0;
	int far = 0;

	for (uint32 i = 0; i < mixture->count; i++)
		likely += mixture->probabilities[i] > 0.5;
	for (int j = 0; j < mixture->column_count; j++)
		far += mixture->shares[j][0][AGREE_FAR] >= LEAST_FAR &&
			   mixture->shares[j][1][AGREE_FAR] <= MOST_FAR_OTHERS;
	return likely >= LEAST_RELATIVES * mixture->count && far >= LEAST_FAR_COLUMNS;
}

static void
keep_classes(RecordRelatives *relatives, const Mixture *mixture)
{
	relatives->are_found = true;
	relatives->odds = mixture->odds;
	for (int j = 0; j < relatives->column_count; j++)
	{
		memcpy(relatives->evidence[j], mixture->evidence[j], sizeof(relatives->evidence[j]));
		relatives->far_shares[j] = mixture->shares[j][0][AGREE_FAR];
	}
}

bool
RecordRelativesFind(RecordRelatives *relatives, CandidateMark mark)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "neardup record relatives",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	Mixture mixture = read_pairs(relatives, mark);

	if (begin_probabilities(&mixture))
	{
		int steps = 0;

		do
			maximize(&mixture);
		while (expect(&mixture) >= LEAST_MOVE && ++steps < MOST_STEPS);
		if (has_relatives(&mixture))
			keep_classes(relatives, &mixture);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return relatives->are_found;
}

bool
RecordRelativesHave(const RecordRelatives *relatives, uint64 candidate)
{
	double odds = relatives->odds;

	for (int j = 0; j < relatives->column_count; j++)
	{
		Agreement agreement =
			RecordFeaturesAgreement(relatives->features, candidate, relatives->columns[j]);

		if (agreement != AGREE_LEVELS)
			odds += relatives->evidence[j][agreement];
	}
	return odds > 0;
}
