/*
 * record_search.c
 *		The rounds in which the matches of a table of records are learned.
 *
 * The result depends on the values alone: sums are taken in the order of the candidates, samples are
 * drawn by a generator of a fixed seed, and scores are rounded before they are compared.
 */
#include "postgres.h"

#include <math.h>

#include "common/pg_prng.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "portability/instr_time.h"
#include "utils/fmgrprotos.h"
#include "utils/json.h"

#include "allocate.h"
#include "progress/progress.h"
#include "kinds/sets/weighted_set_rows.h"
#include "link/record_search.h"
#include "measure/threshold.h"
#include "memory/palloc_host.h"

/* Rounds, from the beginning or from the one before which relatives were found. */
#define MOST_ROUNDS 12

/* It has settled if so small a part of the matches changes. */
#define MOST_CHANGED 0.01

/* It can tell if so large a part of the candidates within clusters have a score above 0. */
#define LEAST_CONSISTENT 0.9

/* And if of the candidates so few, for each with a score above 0, are no further from 0 than DOUBT. */
#define DOUBT 2.0
#define MOST_DOUBTFUL 0.5

/* Examples of each label, of which a round learns. */
#define MOST_EXAMPLES 30000

/* A column is named if so many matches that have two values in it are far there. */
#define MOST_AGAINST 0.6

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

	if (search->model.weights == NULL)
		return NAN;
	RecordFeaturesAt(&search->features, candidate, search->values);
	return rint(RecordModelScore(&search->model, search->values) * scale) / scale;
}

/* Whether a candidate is an example of a match: relatives never are. */
static bool
is_taught(const RecordCandidates *candidates, uint64 number)
{
	return RecordCandidateMatches(candidates, number) &&
		   !RecordCandidateHas(candidates, number, CANDIDATE_RELATED);
}

static uint64
count_taught(const RecordCandidates *candidates)
{
	uint64 count = 0;

	for (uint64 i = 0; i < candidates->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		count += is_taught(candidates, i);
	}
	return count;
}

/*
 * Draws examples from the candidates, in their order. Each has the same random number in all rounds, so that
 * rounds learn from nearly the same examples: labels change by what is learned, and not by what is drawn.
 */
typedef struct ExampleDrawing
{
	pg_prng_state state;
	double shares[2]; /* of the matches, at true, and of the others that are drawn */
} ExampleDrawing;

static ExampleDrawing
begin_examples(const RecordSearch *search, uint64 matches)
{
	uint64 others = search->candidates.count - matches;
	ExampleDrawing drawing = {
		.shares = {MOST_EXAMPLES / (double) others, MOST_EXAMPLES / (double) matches}};

	pg_prng_seed(&drawing.state, 0);
	return drawing;
}

/* Returns whether the next candidate, of this label, is an example. */
static bool
is_example(ExampleDrawing *drawing, bool is_match)
{
	return pg_prng_double(&drawing->state) < drawing->shares[is_match];
}

/* Sets how many examples there are of either label. */
static void
count_examples(RecordSearch *search, uint64 matches, uint64 *counts)
{
	ExampleDrawing drawing = begin_examples(search, matches);

	counts[false] = counts[true] = 0;
	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		bool is_match = is_taught(&search->candidates, i);

		CHECK_FOR_INTERRUPTS();
		counts[is_match] += is_example(&drawing, is_match);
	}
}

/* Returns about MOST_EXAMPLES of each label, or all; there are candidates of both labels. */
static ModelSample
draw_sample(RecordSearch *search, uint64 matches)
{
	ExampleDrawing drawing = begin_examples(search, matches);
	int width = search->features.count;
	uint64 others = search->candidates.count - matches;
	uint64 counts[2];
	Size places[2];
	ModelSample sample;

	count_examples(search, matches, counts);
	sample = (ModelSample){.feature_count = width,
						   .count = counts[true] + counts[false],
						   .matches = counts[true],
						   .match_weight = (double) matches / (double) counts[true],
						   .non_match_weight = (double) others / (double) counts[false]};
	sample.values = AllocateArray(sample.count, width * sizeof(float));
	places[true] = 0;
	places[false] = sample.matches;
	for (uint64 i = 0; i < search->candidates.count; i++)
	{
		bool is_match = is_taught(&search->candidates, i);

		CHECK_FOR_INTERRUPTS();
		if (!is_example(&drawing, is_match))
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

/* Makes clusters by the scores, and labels the candidates; returns how many labels change. */
static uint64
make_clusters(RecordSearch *search)
{
	if (search->clusters != NULL)
		RecordClustersFree(search->clusters);
	search->clusters = RecordClustersBegin(&search->rows.rows, &search->veto, search->entities);
	note_scores(search);
	RecordClustersFind(search->clusters);
	return label_candidates(search);
}

/* Learns from the labels, of which so many are taught as matches, and makes others; returns how many change. */
static uint64
run_round(RecordSearch *search, uint64 matches)
{
	MemoryContext context =
		AllocSetContextCreate(search->context, "neardup record round", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	ModelSample sample = draw_sample(search, matches);

	MemoryContextSwitchTo(search->context);
	search->model = RecordModelFit(&sample);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return make_clusters(search);
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
		bool differ = pair->a != pair->b && !VetoParts(&search->veto, pair->a, pair->b);
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

/*
 * Takes the candidates for matches that are more similar than chance gives. Families look like chance: where
 * there are relatives among the close candidates, all of these are taken.
 */
static void
take_first_matches(RecordSearch *search)
{
	RecordCandidates *candidates = &search->candidates;
	CandidateMark mark = CANDIDATE_SIMILAR;

	if (candidates->threshold > CLOSE && RecordRelativesFind(&search->relatives, CANDIDATE_CLOSE))
	{
		mark = CANDIDATE_CLOSE;
		search->relatives.are_found = false;
	}
	for (uint64 i = 0; i < candidates->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!RecordCandidateHas(candidates, i, mark))
			continue;
		RecordCandidateMark(candidates, i, CANDIDATE_SIMILAR);
		(void) RecordCandidateSet(candidates, i, true);
	}
}

/*
 * Marks the relatives that were found, and takes the other pairs that were matches at first or are now for
 * matches, to learn once more.
 */
static void
part_relatives(RecordSearch *search)
{
	RecordCandidates *candidates = &search->candidates;

	for (uint64 i = 0; i < candidates->count; i++)
	{
		const Candidate *pair = RecordCandidateAt(candidates, i);
		bool is_match = RecordCandidateHas(candidates, i, CANDIDATE_MATCHES | CANDIDATE_SIMILAR);

		CHECK_FOR_INTERRUPTS();
		if (pair->a != pair->b && RecordRelativesHave(&search->relatives, i))
		{
			RecordCandidateMark(candidates, i, CANDIDATE_RELATED);
			is_match = false;
		}
		(void) RecordCandidateSet(candidates, i, is_match);
	}
}

/* Runs rounds until one hardly changes a label; returns whether that came, and had examples of both labels. */
static bool
run_rounds(RecordSearch *search)
{
	RecordCandidates *candidates = &search->candidates;
	RecordRelatives *relatives = &search->relatives;
	bool are_found = RecordRelativesFind(relatives, CANDIDATE_MATCHES);
	bool is_settled = false;
	int first = 0;

	if (are_found)
		part_relatives(search);
	while (!is_settled && search->rounds - first < MOST_ROUNDS)
	{
		uint64 matches = count_taught(candidates);
		uint64 changed;

		if (matches == 0 || matches == candidates->count)
			return false;
		search->rounds++;
		changed = run_round(search, matches);
		JoinProgressAdvance(1);
		if (!are_found && RecordRelativesFind(relatives, CANDIDATE_MATCHES))
		{
			are_found = true;
			first = search->rounds;
			part_relatives(search);
			continue;
		}
		is_settled = (double) changed < MOST_CHANGED * (double) Max(candidates->matches, 1);
	}
	return is_settled;
}

/* Sets the columns that count in which nearly all matches are far: by them, they are different things. */
static void
find_differing(RecordSearch *search)
{
	RecordCandidates *candidates = &search->candidates;
	const RecordRelatives *relatives = &search->relatives;

	for (int j = 0; j < relatives->column_count; j++)
	{
		int column = relatives->columns[j];
		uint64 both = 0;
		uint64 far = 0;

		for (uint64 i = 0; i < candidates->count; i++)
		{
			const Candidate *pair = RecordCandidateAt(candidates, i);
			Agreement agreement;

			CHECK_FOR_INTERRUPTS();
			if (pair->a == pair->b || !RecordCandidateMatches(candidates, i))
				continue;
			agreement = RecordFeaturesAgreement(&search->features, i, column);
			both += agreement != AGREE_LEVELS;
			far += agreement == AGREE_FAR;
		}
		search->differing[column] = search->features.agreements[column].tells &&
									(double) far > MOST_AGAINST * (double) both;
	}
}

/* Where relatives were all that was similar, sets the columns that part them. */
static void
find_parting(RecordSearch *search)
{
	const RecordRelatives *relatives = &search->relatives;

	for (int j = 0; j < relatives->column_count; j++)
		search->differing[relatives->columns[j]] =
			relatives->are_found && relatives->far_shares[j] > MOST_AGAINST;
}

/* Returns the verdict that names the columns that differ, or NULL if there is none. */
static const char *
name_differing(const RecordSearch *search)
{
	StringInfoData verdict;
	int named = 0;

	initStringInfo(&verdict);
	appendStringInfoString(&verdict,
						   "cannot tell: rows that are alike otherwise are far apart in ");
	for (int i = 0; i < search->request.column_count; i++)
	{
		if (search->differing[i])
			appendStringInfo(&verdict, "%s\"%s\"", named++ > 0 ? ", " : "",
							 search->request.column_names[i]);
	}
	return named > 0 ? verdict.data : NULL;
}

/* Takes the pairs for matches that were matches at first, to show them where none is left. */
static void
restore_first_matches(RecordCandidates *candidates)
{
	for (uint64 i = 0; i < candidates->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		(void) RecordCandidateSet(candidates, i,
								  RecordCandidateHas(candidates, i, CANDIDATE_SIMILAR));
	}
}

static void
note_what_was_seen(RecordSearch *search, bool are_first)
{
	unsigned long long compared = search->candidates.count;
	unsigned long long matches = search->candidates.matches;

	if (are_first)
		search->seen =
			psprintf("Of %llu pairs that were compared, %llu are more similar than chance gives.",
					 compared, matches);
	else
		search->seen = psprintf("Of %llu pairs that were compared, %llu are within clusters.",
								compared, matches);
}

/* Learns until it has settled, and sets the outcome. */
static void
learn(RecordSearch *search)
{
	RecordCandidates *candidates = &search->candidates;
	const char *differing;
	bool is_settled;
	bool are_left; /* matches */

	take_first_matches(search);
	if (!has_near_match(candidates))
	{
		conclude(search, RECORDS_COPIES,
				 "copies alone: no rows that differ are more similar than chance gives");
		return;
	}
	is_settled = run_rounds(search);
	search->differing = palloc0(search->request.column_count * sizeof(bool));
	are_left = candidates->matches > 0;
	if (are_left)
		find_differing(search);
	else
	{
		find_parting(search);
		restore_first_matches(candidates);
	}
	note_what_was_seen(search, !are_left || search->rounds == 0);
	differing = name_differing(search);
	if (differing != NULL)
		conclude(search, RECORDS_UNCLEAR, differing);
	else if (!are_left || search->rounds == 0)
		conclude(search, RECORDS_UNCLEAR,
				 "cannot tell: there are too few pairs, or none that differ, to learn from");
	else if (is_settled && is_consistent(search))
		conclude(search, RECORDS_SETTLED, "settled");
	else
		conclude(search, RECORDS_UNCLEAR,
				 "cannot tell: rows that differ are as similar as copies are");
}

/* Scores the candidates by the model of the request. */
static void
score(RecordSearch *search)
{
	search->model = LearnedModelWeights(search->request.model);
	(void) make_clusters(search);
	conclude(search, RECORDS_SCORED, "scored by a model");
}

/* Takes the entities of the groups, and demands the pairs of new groups with all. */
static void
take_entities(RecordSearch *search, PairDemand *demand)
{
	const RecordRows *rows = &search->rows;
	uint32 count = rows->rows.group_count;
	uint32 *leasts = AllocateArray(rows->entities->names.count, sizeof(uint32));
	uint8 *roles = AllocateArray(count, sizeof(uint8));

	search->entities = AllocateArray(count, sizeof(uint32));
	memset(leasts, 0xFF, rows->entities->names.count * sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
	{
		uint32 entity = RecordRowsEntity(rows, group);

		CHECK_FOR_INTERRUPTS();
		roles[rows->rows.numbers[group]] = entity == NO_ROW ? JOIN_SEEKS : JOIN_IS_MET;
		if (entity != NO_ROW && leasts[entity] == NO_ROW)
			leasts[entity] = group;
		search->entities[group] = entity == NO_ROW ? NO_ROW : leasts[entity];
	}
	pfree(leasts);
	PairDemandByRoles(demand, roles, count);
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
								 .may_share = true,
								 .most_rows = MOST_ROWS_OF_TOKEN},
						.queries = {request->query},
						.reader = {.function = request->function,
								   .query = request->function,
								   .key_policy = request->key_policy,
								   .key_type = request->key_type}};
	instr_time start;

	INSTR_TIME_SET_CURRENT(start);
	RecordRowsRead(&search->rows, &search->join, &join, request);
	search->seconds[STEP_READ] = seconds_since(&start);
	if (request->entity_column != NULL)
		take_entities(search, &join.task.demand);
	search->veto = RecordRowsVeto(&search->rows);
	RecordCandidatesFind(&search->candidates, &search->rows, &search->veto);
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
	if (search->learned != NULL)
		search->learned->tokens = RecordRowsTokens(&search->rows);
	RecordFeaturesFind(&search->features, &search->rows, &search->candidates, search->learned);
	search->values = AllocateArray(search->features.count, sizeof(double));
	search->relatives = RecordRelativesBegin(&search->features, &search->candidates);
	search->seconds[STEP_COMPARE] = seconds_since(&start);
	JoinProgressPhase(PROGRESS_LEARNING, 2 * MOST_ROUNDS);
	if (search->request.model != NULL)
		score(search);
	else
		learn(search);
	search->seconds[STEP_LEARN] = seconds_since(&start);
	MemoryContextDelete(context);
}

/* Begins to keep what will be learned of the columns. */
static LearnedModel *
begin_learned(const RecordRequest *request)
{
	LearnedModel *learned = palloc0(sizeof(LearnedModel));

	learned->column_count = request->column_count;
	learned->columns = palloc0(request->column_count * sizeof(LearnedColumn));
	for (int i = 0; i < request->column_count; i++)
		learned->columns[i].name = request->column_names[i];
	return learned;
}

/* Keeps the model of the last round. */
static void
end_learned(RecordSearch *search)
{
	LearnedModel *learned = search->learned;

	learned->rows = search->rows.rows.count;
	learned->constant = search->model.constant;
	for (int i = 0; i < learned->column_count; i++)
	{
		for (int feature = 0; feature < COLUMN_FEATURES; feature++)
		{
			int place = search->features.places[i].of[feature];

			learned->columns[i].weights[feature] =
				place < 0 || search->rounds == 0 ? NAN : search->model.weights[place];
		}
	}
}

RecordSearch *
RecordSearchRun(const RecordRequest *request, bool keeps_model)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup records", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	RecordSearch *search = palloc0(sizeof(RecordSearch));

	search->request = *request;
	search->context = context;
	if (keeps_model)
		search->learned = begin_learned(request);
	read_and_find_candidates(search);
	compare_and_learn(search);
	if (keeps_model)
		end_learned(search);
	MemoryContextSwitchTo(previous);
	return search;
}

Datum
RecordSearchSimilarities(RecordSearch *search, uint64 candidate)
{
	StringInfoData json;

	initStringInfo(&json);
	appendStringInfoChar(&json, '{');
	for (int i = 0; i < search->request.column_count; i++)
	{
		double similarity = RecordFeaturesSimilarity(&search->features, candidate, i);

		if (isnan(similarity))
			continue;
		if (json.len > 1)
			appendStringInfoString(&json, ", ");
		escape_json(&json, search->request.column_names[i]);
		appendStringInfo(&json, ": %.4g", similarity);
	}
	appendStringInfoChar(&json, '}');
	return DirectFunctionCall1(jsonb_in, CStringGetDatum(json.data));
}

void
RecordSearchEnd(RecordSearch *search)
{
	RecordFeaturesEnd(&search->features);
	RecordFileEnd(&search->candidates.pairs);
	MemoryContextDelete(search->context);
}
