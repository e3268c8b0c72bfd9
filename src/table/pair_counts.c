/*
 * pair_counts.c
 *		Counts the pairs of a table by their similarity, at bounded work.
 *
 * A table of n rows of one template has n²/2 similar pairs, and a low threshold has most rows meet
 * each other. So a few rows seek first, by roles of the join, and the pairs that meet show how much
 * work a row makes. Then as many rows seek as the work allows, mostly all of them. Each of these is
 * compared with all rows, not with a sample of them: a pair is missed only if neither row seeks, so
 * that a tenth of the rows still finds a fifth of the pairs. Very similar pairs, which may be few,
 * are then counted all, by a join at a high threshold.
 *
 * Equal sets are counted once: they are copies, and chance makes no copies. The hash of a set tells
 * whether it seeks, so that the counts do not depend on the order in which rows are read.
 */
#include "postgres.h"

#include <xxhash.h>

#include "miscadmin.h"

#include "allocate.h"
#include "join/call/call_rows.h"
#include "join/call/join_passes.h"
#include "memory/join_memory.h"
#include "table/pair_counts.h"
#include "measure/threshold.h"

/* Rows that seek first. */
#define FIRST_SEEKERS 16

/*
 * The work of a pass: tokens of pairs that may meet. It grows with the tokens that are read, so that
 * it takes about as long as reading them.
 */
#define WORK_PER_TOKEN 32
#define LEAST_WORK 64000000

/* From so many pairs on, enough is known of the less similar ones. */
#define MOST_SAMPLED 50000.0

/* So many pairs that are pruned by their bitmaps are as much work as one that is not. */
#define BITMAPS_PER_CANDIDATE 64

/* The part of the memory that a part of the sets takes, where memory does not hold all. */
#define PART_OF_MEMORY 0.8

/* All pairs from this bin on are counted, or from a higher one if there are more of them. */
#define WHOLE_BIN 24
#define MOST_PAIRS 400000

struct PairCounter
{
	JoinRequest request;
	SimilarityJoin join;
	JoinPasses passes;
	CallRows rows;	/* groups of equal sets, without keys */
	double part;	/* the part of the different sets that are read, by their hashes */
	double all;		/* pairs of all different sets */
	uint32 *hashes; /* of the sets, by number of the group */
	uint8 *roles;	/* by number of the group */
	uint32 seekers;
	PairCounts counts;
};

static uint32
hash_of_set(const void *tokens, Size size)
{
	return (uint32) XXH3_64bits(tokens, size);
}

/* Whether a set with this hash is in a part of all sets. */
static inline bool
is_in_part(uint32 hash, double part)
{
	return hash < part * ((double) PG_UINT32_MAX + 1);
}

/* Whether a set is not empty, and in the part that is read. */
static bool
see_set(void *context, const JoinRow *set)
{
	const PairCounter *counter = context;

	return set->count > 0 &&
		   (counter->part == 1 ||
			is_in_part(hash_of_set(set->data, set->count * sizeof(int64)), counter->part));
}

static void
note_set(void *context, uint32 group, const void *tokens, Size size)
{
	PairCounter *counter = context;

	counter->hashes[group] = hash_of_set(tokens, size);
}

/* Counts a pair in the last bin whose start it reaches. */
static uint64
count_pair(void *context, const FoundPair *pair)
{
	PairCountsAdd(context, pair->value);
	return 1;
}

static double
work_of(const JoinCounters *counters)
{
	return (double) (counters->candidates + counters->pruned_by_position +
					 counters->pruned_by_suffix) +
		   (double) counters->pruned_by_bitmap / BITMAPS_PER_CANDIDATE;
}

static double
pairs_of(double rows)
{
	return rows * (rows - 1) / 2;
}

/* Has about this share of the rows that are read seek. */
static void
choose_seekers(PairCounter *counter, double share)
{
	counter->seekers = 0;
	for (uint32 row = 0; row < counter->rows.group_count; row++)
	{
		bool seeks = is_in_part(counter->hashes[row], share * counter->part);

		CHECK_FOR_INTERRUPTS();
		counter->roles[row] = seeks ? JOIN_SEEKS : JOIN_IS_MET;
		counter->seekers += seeks;
	}
}

/* Counts the pairs of this share of the rows; returns how much work each of these rows made. */
static double
count_share(PairCounter *counter, Predicate predicate, double share)
{
	double before = work_of(&counter->join.counters);
	double read = pairs_of(counter->rows.group_count);
	PairCounts *counts = &counter->counts;

	choose_seekers(counter, share);
	*counts = (PairCounts){.all = counter->all, .share = 1};
	if (counter->seekers < counter->rows.group_count || counter->part < 1)
		counts->share =
			(read - pairs_of(counter->rows.group_count - counter->seekers)) / counter->all;
	/* Whether further passes follow is not known, so that the time left is that of the pass. */
	JoinPassesRun(&counter->passes, predicate, count_pair, counts, true);
	for (int bin = 0; bin < BINS && counts->share > 0; bin++)
		counts->pairs[bin] /= counts->share;
	return (work_of(&counter->join.counters) - before) / Max(counter->seekers, 1);
}

/* Returns the first bin, from WHOLE_BIN on, from which on there are not too many pairs. */
static int
first_whole_bin(const PairCounts *counts)
{
	double pairs = 0;
	int bin = BINS;

	while (bin > WHOLE_BIN && pairs + counts->pairs[bin - 1] <= MOST_PAIRS)
		pairs += counts->pairs[--bin];
	return bin;
}

/* Returns the share of the rows that may seek, by what the first ones did. */
static double
share_allowed(const PairCounter *counter, double work_of_row)
{
	double tokens = (double) counter->join.token_count;
	double work = work_of_row * tokens;
	double pairs = 0; /* of the rows that are read */

	for (int bin = 0; bin < BINS; bin++)
		pairs += counter->counts.pairs[bin] * pairs_of(counter->rows.group_count) / counter->all;
	/* Where few rows seek, twice their share of the pairs is found. */
	return Min(Max(LEAST_WORK, WORK_PER_TOKEN * tokens) / Max(work, 1),
			   pairs > MOST_SAMPLED ? MOST_SAMPLED / pairs / 2 : 1);
}

/* Reads a part of the different sets. */
static void
read_part(PairCounter *counter, double part)
{
	RowWishes wishes = {.kind = counter->request.task.kind,
						.has_groups = true,
						.context = counter,
						.see = see_set,
						.begin_group = note_set};

	RowArraysAdd(&wishes.by_group, &counter->hashes, sizeof(uint32));
	counter->part = part;
	CallRowsRead(&counter->rows, &wishes, &counter->join, &counter->request);
}

/*
 * Reads all sets if memory holds them, else a part of them: passes over files would take long. A
 * part of the sets has the square of that part of the pairs.
 */
static void
read_what_fits(PairCounter *counter)
{
	JoinInput *input = &counter->join.input;

	read_part(counter, 1);
	counter->all = pairs_of(counter->rows.group_count);
	while (JoinInputIsSpilled(input))
	{
		double fits = PART_OF_MEMORY * JoinInputMemory(JoinMemory()) / input->kind->needed(input);

		SimilarityJoinEnd(&counter->join);
		read_part(counter, counter->part * Min(fits, PART_OF_MEMORY));
	}
}

PairCounter *
PairCounterBegin(const JoinRequest *request, const char *sets, double least)
{
	PairCounter *counter = palloc0(sizeof(PairCounter));

	counter->request = *request;
	counter->request.task.predicate = PredicateOrError(request->task.predicate.measure, least);
	/* Work is counted in this process. */
	counter->request.task.may_share = false;
	counter->request.queries[0] =
		psprintf("SELECT 0::pg_catalog.int8, sets FROM (%s) AS all_sets", sets);
	read_what_fits(counter);
	counter->passes = (JoinPasses){.join = &counter->join, .task = &counter->request.task};
	counter->roles = AllocateArray(counter->rows.group_count, sizeof(uint8));
	PairDemandByRoles(&counter->request.task.demand, counter->roles, counter->rows.group_count);
	return counter;
}

const PairCounts *
PairCounterSample(PairCounter *counter, int first_bin)
{
	Measure measure = counter->request.task.predicate.measure;
	Predicate predicate = PredicateOrError(measure, PairBinStart(first_bin));
	double first = FIRST_SEEKERS / Max(counter->rows.group_count, 1.0);
	double share = share_allowed(counter, count_share(counter, predicate, first));

	if (first < 1 && share > first)
		(void) count_share(counter, predicate, share);
	return &counter->counts;
}

void
PairCounterCompleteSimilar(PairCounter *counter)
{
	PairCounts *counts = &counter->counts;
	Measure measure = counter->request.task.predicate.measure;
	int first = first_whole_bin(counts);

	if (counter->seekers == counter->rows.group_count || first == BINS)
		return;
	for (int bin = first; bin < BINS; bin++)
		counts->pairs[bin] = 0;
	PairDemandByRoles(&counter->request.task.demand, NULL, counter->rows.group_count);
	JoinPassesRun(&counter->passes, PredicateOrError(measure, PairBinStart(first)), count_pair,
				  counts, true);
	for (int bin = first; bin < BINS; bin++)
		counts->pairs[bin] *= counter->all / pairs_of(counter->rows.group_count);
	PairDemandByRoles(&counter->request.task.demand, counter->roles, counter->rows.group_count);
}

void
PairCounterEnd(PairCounter *counter)
{
	SimilarityJoinEnd(&counter->join);
	pfree(counter->roles);
	pfree(counter->hashes);
	pfree(counter);
}
