/*
 * cluster_join.c
 *		The clusters of the rows of a self-join.
 *
 * All rows are joined with each other, and their pairs are stored. Where the pairs are not many more than
 * the rows, as in ordinary text, the clusters are chosen from them as from the pairs of a query
 * (partition.h). But a family of n similar rows has about n²/2 pairs, so a pass that finds too many pairs
 * is stopped. What follows depends on the mode.
 *
 * star: Further passes have a row leave the join once it is claimed. Where families are scattered among the
 * places, the centres of the first rows claim most of the others. So the rows are taken in blocks in the
 * order of their places. First the centres before the block seek its rows: each row that meets one is
 * claimed by the least that it meets. Then the rows of the block that nobody has claimed, which are open,
 * are joined with themselves. No centre before the block is similar to them, so that their star is part of
 * the star of all rows. If they have too many pairs, the block becomes smaller.
 *
 * Where families follow each other, each open row of the block seeks its least neighbour, for which the
 * join may leave out most pairs of a family (best_pairs.h). A row that has no lesser neighbour is a centre,
 * and claims the rows whose least neighbour it is. The rows that are left mostly have few pairs. If this
 * does not pay, as under a measure for which the join leaves out nothing, the block becomes smaller, too.
 *
 * connected: Stars are made, since a row and its centre are connected. Then all rows are joined with each
 * other, except that pairs of two rows that are connected already are not wanted (connecting_pairs.h). At
 * last the least row of each component seeks the other rows of it, for the similarities.
 *
 * complete: see complete_blocks.c.
 *
 * Under containment a row is claimed by a centre that contains it: there the rows of the block look up, and
 * the centres are met.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/cluster_join.h"
#include "cluster/complete_blocks.h"
#include "cluster/found_places.h"
#include "kernel/demand/best_pairs.h"
#include "kernel/demand/connecting_pairs.h"

/*
 * Pairs are too many if they are more than MANY_PAIRS for each row that takes part in the pass. Where
 * families are scattered, or most pairs can be left out, they are if they are more than SOME_PAIRS. They
 * are never too many up to FEW_PAIRS.
 */
#define SOME_PAIRS 4
#define MANY_PAIRS 32
#define FEW_PAIRS 50000

/* So many rows have no more than FEW_PAIRS. */
#define LEAST_OPEN 300

/*
 * A block that has too many pairs shrinks to this part of its open rows; from block to block it grows by
 * no more.
 */
#define BLOCK_PART 16

/*
 * Families are scattered among the places if this part of the pairs, or more, are of a row of the first
 * BLOCK_PART and a later row. Of evenly scattered families nearly twice as many are.
 */
#define SCATTERED_PART 16

/* Least neighbours pay if they have this part of the rows claimed. */
#define CLAIMED_PART 8

typedef struct ClusterPasses
{
	JoinPasses *of_join;
	ClusterMode mode;
	const uint32 *places; /* by number */
	uint32 count;
	uint32 *cluster; /* the cluster of each place */
	double *similarity;
	UnionFind *sets;	/* of the numbers of rows, for connected clusters */
	bool can_leave_out; /* whether the join finds least neighbours without most pairs */
	bool has_many;		/* whether a block had too many pairs even so */

	/* The present block, whose places are first .. end - 1, and its pass: */
	uint32 first;
	uint32 end;
	uint8 *roles;	 /* by number; NULL if all rows take part */
	PairSort *pairs; /* of rows by their places within the block; NULL if none are stored */
	uint32 *least;	 /* by place within the block, the least neighbour so far; else NULL */
	uint64 found;
	uint64 most;		   /* the pass is stopped when it has found more */
	uint64 most_scattered; /* where families are scattered, it is stopped at these */
	bool is_stopped;
	uint32 crossed;	 /* where the first BLOCK_PART ends, by place within the block */
	uint64 crossing; /* pairs of a row before this and a row behind */
} ClusterPasses;

/* Whether the row of a place is in the block, and in no cluster of others yet. */
static inline bool
is_open(const ClusterPasses *passes, uint32 place)
{
	return place >= passes->first && place < passes->end && passes->cluster[place] == place;
}

static inline bool
are_scattered(const ClusterPasses *passes)
{
	return passes->crossing >= passes->found / SCATTERED_PART;
}

/*
 * Takes a pair of rows of the block. Equal records have one role, so that a pass may find pairs of rows
 * that are absent, too.
 */
static uint64
take_pair(void *context, const FoundPair *found)
{
	ClusterPasses *passes = context;
	FoundPlaces pair = PlacesOfPair(passes->of_join->join, passes->places, found);
	uint32 lesser = pair.lesser - passes->first;
	uint32 greater = pair.greater - passes->first;

	CHECK_FOR_INTERRUPTS();
	if (!is_open(passes, pair.lesser) || !is_open(passes, pair.greater))
		return 1;
	passes->crossing += lesser < passes->crossed && greater >= passes->crossed;
	passes->found++;
	if (passes->is_stopped || passes->found > passes->most ||
		(passes->found == passes->most_scattered && are_scattered(passes)))
	{
		passes->is_stopped = true;
		SimilarityJoinStop(passes->of_join->join);
	}
	else if (passes->pairs != NULL)
	{
		RankedPair stored = ClusterModePair(passes->mode, lesser, greater, -found->value);

		PairSortPut(passes->pairs, &stored);
	}
	else if (lesser < passes->least[greater])
	{
		passes->least[greater] = lesser;
		passes->similarity[pair.greater] = found->value;
	}
	return 1;
}

static void
run_cluster_pass(ClusterPasses *passes, TakePair take)
{
	JoinPassesRun(passes->of_join, passes->of_join->task->predicate, take, passes,
				  passes->end == passes->count);
}

/*
 * Joins the rows that take part with each other, of which `open` may pair. Returns false if they have too
 * many pairs: more than `most` for each of them, or `most_scattered` where families are scattered.
 */
static bool
find_pairs(ClusterPasses *passes, uint64 open, uint32 most, uint32 most_scattered)
{
	passes->found = passes->crossing = 0;
	passes->crossed = (passes->end - passes->first) / BLOCK_PART;
	passes->most = Max(open * most, FEW_PAIRS);
	passes->most_scattered = Max(open * most_scattered, FEW_PAIRS);
	passes->is_stopped = false;
	run_cluster_pass(passes, take_pair);
	return !passes->is_stopped;
}

/* Sets the clusters of the rows of the block, and their similarities, by the pairs that are stored. */
static void
choose_clusters(ClusterPasses *passes)
{
	uint32 rows = passes->end - passes->first;
	uint32 *chosen = AllocateArray(rows, sizeof(uint32));
	double *similarity = passes->similarity + passes->first;
	ClusterBridge bridge = {0};
	RankedPair pair;

	PairSortPerform(passes->pairs);
	ClusterPartition(passes->mode, PG_UINT32_MAX, passes->pairs, rows, chosen, &bridge);
	for (uint32 row = 0; row < rows; row++)
	{
		if (chosen[row] == row)
			continue;
		passes->cluster[passes->first + row] = passes->first + chosen[row];
		similarity[row] = NAN;
	}
	PairSortRewind(passes->pairs);
	while (PairSortNext(passes->pairs, &pair))
	{
		uint32 lesser = Min(pair.a, pair.b);
		uint32 greater = Max(pair.a, pair.b);

		if (chosen[greater] == lesser)
			similarity[greater] = -pair.distance;
	}
	pfree(chosen);
}

/*
 * Joins the rows that take part with each other, and sets their clusters. Returns false if they have too
 * many pairs, as find_pairs does.
 */
static bool
cluster_by_pairs(ClusterPasses *passes, uint32 open, uint32 most, uint32 most_scattered)
{
	bool is_whole;

	passes->pairs = PairSortBegin(PAIRS_BY_ENDS, NULL, NULL);
	is_whole = find_pairs(passes, open, most, most_scattered);
	if (is_whole)
		choose_clusters(passes);
	PairSortEnd(passes->pairs);
	passes->pairs = NULL;
	return is_whole;
}

/*
 * Gives the centres before the block one role, the rows of the block that are open another one, and no
 * part in the pass to the rest. Returns how many rows are open.
 */
static uint32
set_roles(ClusterPasses *passes, JoinRole of_centres, JoinRole of_block)
{
	uint32 open = 0;

	for (uint32 number = 0; number < passes->count; number++)
	{
		uint32 place = passes->places[number];
		bool is_before = place < passes->first;

		CHECK_FOR_INTERRUPTS();
		passes->roles[number] = JOIN_ABSENT;
		if (place >= passes->end || passes->cluster[place] != place)
			continue;
		passes->roles[number] = is_before ? of_centres : of_block;
		open += !is_before;
	}
	PairDemandByRoles(&passes->of_join->task->demand, passes->roles, passes->count);
	return open;
}

/* Has each centre claim the rows of the block whose least neighbour it is. Returns how many these are. */
static uint32
claim_least(ClusterPasses *passes, bool is_whole)
{
	uint32 claimed = 0;

	for (uint32 row = 0; row < passes->end - passes->first; row++)
	{
		uint32 least = passes->least[row];

		CHECK_FOR_INTERRUPTS();
		if (least == row)
			continue;
		if (is_whole && passes->least[least] == least)
		{
			passes->cluster[passes->first + row] = passes->first + least;
			claimed++;
		}
		else
			passes->similarity[passes->first + row] = 1;
	}
	return claimed;
}

/*
 * Has the open rows of the block seek their least neighbours, and centres claim rows. Returns whether it
 * has paid.
 */
static bool
claim_by_least(ClusterPasses *passes, uint32 open)
{
	uint32 rows = passes->end - passes->first;
	BestPairs best = {
		.count = 1, .of = LEAST_OF_EACH, .is_self_join = true, .places = passes->places};
	uint32 claimed;

	passes->least = AllocateArray(rows, sizeof(uint32));
	for (uint32 row = 0; row < rows; row++)
		passes->least[row] = row;
	PairDemandBest(&passes->of_join->task->demand, &best);
	claimed = claim_least(passes, find_pairs(passes, open, MANY_PAIRS, MANY_PAIRS));
	pfree(passes->least);
	passes->least = NULL;
	return claimed >= open / CLAIMED_PART;
}

/* Takes a pair of a centre before the block and a row of the block, of which the least one claims it. */
static uint64
take_claim(void *context, const FoundPair *found)
{
	ClusterPasses *passes = context;
	FoundPlaces pair = PlacesOfPair(passes->of_join->join, passes->places, found);

	CHECK_FOR_INTERRUPTS();
	if (pair.lesser < passes->first && passes->cluster[pair.lesser] == pair.lesser &&
		pair.greater >= passes->first && pair.greater < passes->end &&
		pair.lesser < passes->cluster[pair.greater])
	{
		passes->cluster[pair.greater] = pair.lesser;
		passes->similarity[pair.greater] = found->value;
	}
	return 1;
}

/* Has the centres before the block claim rows of it. */
static void
claim_by_centres(ClusterPasses *passes)
{
	if (passes->first == 0)
		return;
	if (MeasureIsDirected(passes->of_join->task->predicate.measure))
		(void) set_roles(passes, JOIN_IS_MET, JOIN_LOOKS_UP);
	else
		(void) set_roles(passes, JOIN_SEEKS, JOIN_IS_MET);
	run_cluster_pass(passes, take_claim);
}

/* Ends the block behind so many open rows. */
static void
cut_block(ClusterPasses *passes, uint32 open)
{
	uint32 end = passes->first;

	for (; open > 0 && end < passes->end; end++)
		open -= is_open(passes, end);
	passes->end = end;
}

/*
 * Makes the star of the open rows of the block; of fewer ones, if they have too many pairs. Returns how
 * many rows the next block should have: half of the most pairs, if it has as many for each row.
 */
static uint32
star_block(ClusterPasses *passes)
{
	double growth = BLOCK_PART;
	uint32 open;

	while ((open = set_roles(passes, JOIN_ABSENT, JOIN_SEEKS)) > 1)
	{
		bool is_first = !passes->has_many;

		if (cluster_by_pairs(passes, open,
							 is_first && !passes->can_leave_out ? MANY_PAIRS : SOME_PAIRS,
							 SOME_PAIRS))
		{
			growth = Min((double) passes->most / 2 / Max(passes->found, 1), BLOCK_PART);
			break;
		}
		if (is_first && !are_scattered(passes))
		{
			if (passes->can_leave_out && claim_by_least(passes, open))
				continue;
			passes->has_many = true;
		}
		cut_block(passes, Max(open / BLOCK_PART, LEAST_OPEN));
	}
	return (uint32) Min((passes->end - passes->first) * growth + 1, passes->count);
}

/* Makes the stars of all rows, block after block; the first block has all of them. */
static void
star_rows(ClusterPasses *passes)
{
	uint32 rows = passes->count;

	passes->mode = CLUSTER_STAR;
	passes->roles = AllocateArray(passes->count, sizeof(uint8));
	for (passes->end = 0; passes->end < passes->count;)
	{
		passes->first = passes->end;
		passes->end = (uint32) Min((uint64) passes->first + rows, passes->count);
		claim_by_centres(passes);
		rows = star_block(passes);
	}
	PairDemandByRoles(&passes->of_join->task->demand, NULL, passes->count);
	pfree(passes->roles);
}

static void
unite_numbers(UnionFind *sets, uint32 a, uint32 b)
{
	a = UnionFindRoot(sets, a);
	b = UnionFindRoot(sets, b);
	if (a != b)
		(void) UnionFindUnite(sets, a, b);
}

static uint64
take_connection(void *context, const FoundPair *found)
{
	ClusterPasses *passes = context;
	const JoinKeys *numbers = &passes->of_join->join->part->keys;

	CHECK_FOR_INTERRUPTS();
	unite_numbers(passes->sets, (uint32) JoinKeysInt64(numbers, found->a),
				  (uint32) JoinKeysInt64(numbers, found->b));
	return 1;
}

/*
 * Joins all rows, and unites the numbers of those that are similar. Pairs of rows that are connected
 * already are left out, unless similar rows may be no pair: the engine connects what it finds.
 */
static void
unite_found(ClusterPasses *passes)
{
	UnionFind *sets = passes->sets;
	PairDemand *demand = &passes->of_join->task->demand;
	uint32 *groups = AllocateArray(sets->count, sizeof(uint32));

	for (uint32 number = 0; number < sets->count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		groups[number] = UnionFindRoot(sets, number);
	}
	if (!demand->rejects_similar)
		PairDemandConnect(demand, groups, sets->count);
	run_cluster_pass(passes, take_connection);
	PairDemandByRoles(demand, NULL, sets->count);
	pfree(groups);
}

/* Returns passes over all rows, each of which is a cluster of its own. */
static ClusterPasses
begin_passes(JoinPasses *join, ClusterMode mode, const uint32 *places, uint32 count,
			 uint32 *cluster, double *similarity)
{
	const PairDemand *demand = &join->task->demand;
	Measure measure = join->task->predicate.measure;
	bool can_leave_out;

	for (uint32 place = 0; place < count; place++)
	{
		cluster[place] = place;
		similarity[place] = 1;
	}
	/* A neighbour that is refused must not hide others. */
	can_leave_out = demand->accepts == NULL && !MeasureIsWeighted(measure);
	return (ClusterPasses){.of_join = join,
						   .can_leave_out = can_leave_out,
						   .mode = mode,
						   .places = places,
						   .count = count,
						   .cluster = cluster,
						   .similarity = similarity,
						   .end = count};
}

/* Unites the number of each row with the number of its cluster, where numbers are places. */
static void
unite_clusters(const ClusterPasses *passes)
{
	for (uint32 number = 0; number < passes->count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		unite_numbers(passes->sets, number, passes->cluster[number]);
	}
}

/* Unites the numbers of similar rows, where numbers are places: by stars, and then by what connects these. */
static void
unite_in_passes(ClusterPasses *passes)
{
	star_rows(passes);
	unite_clusters(passes);
	unite_found(passes);
}

/* Sets the clusters to the components of the rows. */
static void
place_components(ClusterPasses *passes)
{
	UnionFind *sets = passes->sets;
	uint32 *least = AllocateArray(passes->count, sizeof(uint32)); /* the least place of each root */

	memset(least, 0xFF, passes->count * sizeof(uint32));
	for (uint32 number = 0; number < passes->count; number++)
	{
		uint32 root = UnionFindRoot(sets, number);

		CHECK_FOR_INTERRUPTS();
		least[root] = Min(least[root], passes->places[number]);
	}
	for (uint32 number = 0; number < passes->count; number++)
	{
		uint32 place = passes->places[number];

		CHECK_FOR_INTERRUPTS();
		passes->cluster[place] = least[UnionFindRoot(sets, number)];
		passes->similarity[place] = passes->cluster[place] == place ? 1 : NAN;
	}
	pfree(least);
}

/* Takes the similarity of a row with the least one of its component. */
static uint64
take_similarity(void *context, const FoundPair *found)
{
	ClusterPasses *passes = context;
	FoundPlaces pair = PlacesOfPair(passes->of_join->join, passes->places, found);

	CHECK_FOR_INTERRUPTS();
	if (passes->cluster[pair.greater] == pair.lesser)
		passes->similarity[pair.greater] = found->value;
	return 1;
}

/* Has the least row of each component of several rows seek the others. */
static void
find_similarities(ClusterPasses *passes)
{
	PairDemand *demand = &passes->of_join->task->demand;
	uint8 *roles = AllocateArray(passes->count, sizeof(uint8));

	for (uint32 number = 0; number < passes->count; number++)
	{
		uint32 place = passes->places[number];

		CHECK_FOR_INTERRUPTS();
		roles[number] = passes->cluster[place] == place ? JOIN_SEEKS : JOIN_IS_MET;
		if (passes->sets->size[UnionFindRoot(passes->sets, number)] == 1)
			roles[number] = JOIN_ABSENT;
	}
	PairDemandByRoles(demand, roles, passes->count);
	run_cluster_pass(passes, take_similarity);
	PairDemandByRoles(demand, NULL, passes->count);
	pfree(roles);
}

/* Returns the numbers of the rows in their order, to be their places. */
static uint32 *
numbers_as_places(uint32 count)
{
	uint32 *numbers = AllocateArray(count, sizeof(uint32));

	for (uint32 number = 0; number < count; number++)
		numbers[number] = number;
	return numbers;
}

static void
connect_in_passes(ClusterPasses *passes)
{
	const uint32 *places = passes->places;
	uint32 *numbers = numbers_as_places(passes->count);
	UnionFind *sets = passes->sets;

	UnionFindInit(sets, passes->count);
	while (sets->count < passes->count)
		UnionFindAdd(sets);
	passes->places = numbers;
	unite_in_passes(passes);
	passes->places = places;
	place_components(passes);
	find_similarities(passes);
	UnionFindFree(sets);
	pfree(numbers);
}

void
ClusterJoin(JoinPasses *join, ClusterMode mode, const uint32 *places, uint32 count, uint32 *cluster,
			double *similarity)
{
	UnionFind sets;
	ClusterPasses passes = begin_passes(join, mode, places, count, cluster, similarity);

	passes.sets = &sets;
	if (mode == CLUSTER_STAR)
		star_rows(&passes);
	else if (cluster_by_pairs(&passes, count, MANY_PAIRS,
							  mode == CLUSTER_CONNECTED ? SOME_PAIRS : MANY_PAIRS))
		return;
	else if (mode == CLUSTER_CONNECTED)
		connect_in_passes(&passes);
	else
		CompleteBlocksJoin(join, places, count, cluster, similarity);
}

void
ClusterJoinUnite(JoinPasses *join, UnionFind *sets)
{
	uint32 count = sets->count;
	uint32 *numbers = numbers_as_places(count);
	uint32 *cluster = AllocateArray(count, sizeof(uint32));
	double *similarity = AllocateArray(count, sizeof(double));
	ClusterPasses passes =
		begin_passes(join, CLUSTER_CONNECTED, numbers, count, cluster, similarity);

	passes.sets = sets;
	if (cluster_by_pairs(&passes, count, MANY_PAIRS, SOME_PAIRS))
		unite_clusters(&passes);
	else
		unite_in_passes(&passes);
	pfree(numbers);
	pfree(cluster);
	pfree(similarity);
}
