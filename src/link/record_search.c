/*
 * record_search.c
 *		The rounds in which the matches of a table of records are learned.
 *
 * The result depends on the values alone: sums are taken in the order of the candidates, samples are
 * drawn by a generator of a fixed seed, and scores are rounded before they are compared.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "portability/instr_time.h"

#include "allocate.h"
#include "drawing.h"
#include "progress/progress.h"
#include "kinds/sets/weighted_set_rows.h"
#include "link/record_search.h"
#include "measure/threshold.h"
#include "memory/palloc_host.h"

#define MOST_ROUNDS 8

/* It has settled if so small a part of the matches changes. */
#define MOST_CHANGED 0.01

/* It can tell if so large a part of the candidates within clusters have a score above 0. */
#define LEAST_CONSISTENT 0.9

/* And if of the candidates so few, for each with a score above 0, are no further from 0 than DOUBT. */
#define DOUBT 2.0
#define MOST_DOUBTFUL 0.5

/* Examples of each label, of which a round learns. */
#define MOST_EXAMPLES 10000

/* Scores are multiples of 2^-SCORE_BITS. */
#define SCORE_BITS 20

static double
seconds_since(instr_time *start)
{
	instr_time now;
	instr_time passed;

	INSTR_TIME_SET_CURRENT(now);
	passed = now;
	INSTR_TIME_SUBTRACT(passed, *start);
	*start = now;
	return INSTR_TIME_GET_DOUBLE(passed);
}

double
RecordSearchScore(RecordSearch *search, uint64 candidate)
{
	double scale = 1 << SCORE_BITS;

	if (search->rounds == 0)
		return NAN;
	RecordFeaturesAt(&search->features, candidate, search->values);
	return rint(RecordModelScore(&search->model, search->values) * scale) / scale;
}

/* Draws the examples of a round, the same for the same labels and round; there are candidates of both labels. */
static ModelSample
draw_sample(RecordSearch *search, int round)
{
	RecordCandidates *candidates = &search->candidates;
	uint64 others = candidates->count - candidates->matches;
	Drawing matching = DrawingBegin(2 * (uint64) round, candidates->matches, MOST_EXAMPLES);
	Drawing differing = DrawingBegin(2 * (uint64) round + 1, others, MOST_EXAMPLES);
	int width = search->features.count;
	ModelSample sample = {.feature_count = width,
						  .count = matching.wanted + differing.wanted,
						  .matches = matching.wanted,
						  .match_weight = (double) candidates->matches / (double) matching.wanted,
						  .non_match_weight = (double) others / (double) differing.wanted};
	Size places[2] = {sample.matches, 0};

	sample.values = AllocateArray(sample.count, width * sizeof(float));
	for (uint64 i = 0; i < candidates->count; i++)
	{
		bool is_match = RecordCandidateMatches(candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (!DrawingTakes(is_match ? &matching : &differing))
			continue;
		RecordFeaturesAt(&search->features, i, search->values);
		for (int j = 0; j < width; j++)
			sample.values[places[is_match] * width + j] = (float) search->values[j];
		places[is_match]++;
	}
	return sample;
}

/* Notes the scores of all candidates. */
static void
note_scores(RecordSearch *search)
{
	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		const Candidate *pair = RecordCandidateAt(&search->candidates, i);

		JoinProgressCheck();
		CHECK_FOR_INTERRUPTS();
		RecordClustersNote(search->clusters, pair->a, pair->b, RecordSearchScore(search, i));
	}
}

/* Takes the candidates within clusters for matches; returns how many labels change. */
static uint64
label_candidates(RecordSearch *search)
{
	uint64 changed = 0;

	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		const Candidate *pair = RecordCandidateAt(&search->candidates, i);

		CHECK_FOR_INTERRUPTS();
		changed += RecordCandidateSet(&search->candidates, i,
									  RecordClusterHolds(search->clusters, pair->a, pair->b));
	}
	return changed;
}

/* Learns from the labels, and makes others; returns how many change. */
static uint64
run_round(RecordSearch *search, int round)
{
	MemoryContext context =
		AllocSetContextCreate(search->context, "neardup record round", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	ModelSample sample = draw_sample(search, round);

	MemoryContextSwitchTo(search->context);
	search->model = RecordModelFit(&sample);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	if (search->clusters != NULL)
		RecordClustersFree(search->clusters);
	search->clusters = RecordClustersBegin(&search->rows.rows);
	note_scores(search);
	RecordClustersFind(search->clusters);
	return label_candidates(search);
}

/*
 * Whether the clusters agree with the model: nearly all candidates within them have a score above 0, and
 * few scores are near it. In a table of families, or without duplicates, many are.
 */
static bool
is_consistent(RecordSearch *search)
{
	RecordCandidates *candidates = &search->candidates;
	uint64 right = 0;	 /* matches above 0 */
	uint64 positive = 0; /* of different groups */
	uint64 doubtful = 0;

	for (uint64 i = 0; i < candidates->count; i++)
	{
		const Candidate *pair = RecordCandidateAt(candidates, i);
		bool differ = pair->a != pair->b;
		double score = RecordSearchScore(search, i);

		CHECK_FOR_INTERRUPTS();
		right += RecordCandidateMatches(candidates, i) && score > 0;
		positive += differ && score > 0;
		doubtful += differ && fabs(score) < DOUBT;
	}
	return (double) right >= LEAST_CONSISTENT * (double) candidates->matches &&
		   (double) doubtful <= MOST_DOUBTFUL * (double) positive;
}

/* Whether a pair of different groups is taken for a match. */
static bool
has_near_match(RecordCandidates *candidates)
{
	for (uint64 i = 0; i < candidates->count; i++)
	{
		const Candidate *pair = RecordCandidateAt(candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (pair->a != pair->b && RecordCandidateMatches(candidates, i))
			return true;
	}
	return false;
}

static void
conclude(RecordSearch *search, RecordOutcome outcome, const char *verdict)
{
	search->outcome = outcome;
	search->verdict = verdict;
}

/* Learns until it has settled, and sets the outcome. */
static void
learn(RecordSearch *search)
{
	RecordCandidates *candidates = &search->candidates;
	bool is_settled = false;

	if (!has_near_match(candidates))
	{
		conclude(search, RECORDS_COPIES,
				 "copies alone: no rows that differ are more similar than chance gives");
		return;
	}
	conclude(search, RECORDS_UNCLEAR,
			 "cannot tell: there are too few pairs, or none that differ, to learn from");
	while (!is_settled && search->rounds < MOST_ROUNDS)
	{
		uint64 changed;

		if (candidates->matches == 0 || candidates->matches == candidates->count)
			return;
		changed = run_round(search, ++search->rounds);
		is_settled = (double) changed < MOST_CHANGED * (double) Max(candidates->matches, 1);
		JoinProgressAdvance(1);
	}
	if (candidates->matches == 0)
		return;
	if (is_settled && is_consistent(search))
		conclude(search, RECORDS_SETTLED, "settled");
	else
		conclude(search, RECORDS_UNCLEAR,
				 "cannot tell: rows that differ are as similar as copies are");
}

static void
read_and_find_candidates(RecordSearch *search)
{
	const RecordRequest *request = &search->request;
	JoinRequest join = {.task = {.name = request->function,
								 .kind = SetRowsOf(MEASURE_IDF_COSINE),
								 .predicate = PredicateOrError(MEASURE_IDF_COSINE, LEAST_CANDIDATE),
								 .algorithm = JOIN_AUTO,
								 .distinct_keys = true,
								 .may_share = true},
						.queries = {request->query},
						.reader = {.function = request->function,
								   .query = request->function,
								   .key_policy = request->key_policy,
								   .key_type = request->key_type}};
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	RecordRowsRead(&search->rows, &search->join, &join, request);
	search->seconds[STEP_READ] = seconds_since(&start);
	RecordCandidatesFind(&search->candidates, &search->rows);
	search->seconds[STEP_CANDIDATES] = seconds_since(&start);
}

static void
compare_and_learn(RecordSearch *search)
{
	JoinHost host = PallocHost(search->context);
	MemoryContext context =
		AllocSetContextCreate(search->context, "neardup record progress", ALLOCSET_SMALL_SIZES);
	uint64 rows = search->rows.rows.count;
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	JoinProgressBegin(context, search->request.function, &host, &rows, &search->candidates.count);
	JoinProgressPhase(PROGRESS_COMPARING, (uint64) search->request.column_count);
	RecordFeaturesFind(&search->features, &search->rows, &search->candidates);
	search->values = AllocateArray(search->features.count, sizeof(double));
	search->seconds[STEP_COMPARE] = seconds_since(&start);
	JoinProgressPhase(PROGRESS_LEARNING, MOST_ROUNDS);
	learn(search);
	search->seconds[STEP_LEARN] = seconds_since(&start);
	MemoryContextDelete(context);
}

RecordSearch *
RecordSearchRun(const RecordRequest *request)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup records", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	RecordSearch *search = palloc0(sizeof(RecordSearch));

	search->request = *request;
	search->context = context;
	read_and_find_candidates(search);
	compare_and_learn(search);
	MemoryContextSwitchTo(previous);
	return search;
}

void
RecordSearchEnd(RecordSearch *search)
{
	RecordFeaturesEnd(&search->features);
	RecordFileEnd(&search->candidates.pairs);
	MemoryContextDelete(search->context);
}
