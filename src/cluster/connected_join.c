/*
 * connected_join.c
 *		Connected clusters in passes of a join.
 *
 * A family of n similar rows has about n²/2 pairs, of which n - 1 connect it. So the rows are joined
 * in these passes:
 *
 * 1. Stars, block by block as long as that pays (star_join.h). A row and its centre are connected.
 * 2. All rows are joined with each other, except that the pairs of two rows that are connected
 *    already are not wanted (connecting_pairs.h). What is found connects the stars.
 * 3. For the similarities, the least row of each component seeks the other rows of it: at most one
 *    pair for each row.
 *
 * Pass 2 leaves no pairs out where similar rows may be no pair: the engine connects what it finds.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/connected_join.h"
#include "cluster/star_join.h"
#include "kernel/demand/connecting_pairs.h"

typedef struct ConnectedPasses
{
	JoinPasses *of_join;
	UnionFind *sets;	  /* unites the numbers of rows */
	const uint32 *places; /* the place of each number */
	uint32 *cluster;	  /* the cluster of each place */
	double *similarity;
} ConnectedPasses;

static void
unite_numbers(UnionFind *sets, uint32 a, uint32 b)
{
	a = UnionFindRoot(sets, a);
	b = UnionFindRoot(sets, b);
	if (a != b)
		(void) UnionFindUnite(sets, a, b);
}

static uint64
unite_found(void *context, const FoundPair *found)
{
	ConnectedPasses *passes = context;
	const JoinKeys *numbers = &passes->of_join->join->part->keys;

	CHECK_FOR_INTERRUPTS();
	unite_numbers(passes->sets, (uint32) JoinKeysInt64(numbers, found->a),
				  (uint32) JoinKeysInt64(numbers, found->b));
	return 1;
}

/* Takes the similarity of a row with the least one of its component. */
static uint64
take_similarity(void *context, const FoundPair *found)
{
	ConnectedPasses *passes = context;
	FoundPlaces pair = PlacesOfPair(passes->of_join->join, passes->places, found);

	CHECK_FOR_INTERRUPTS();
	if (passes->cluster[pair.greater] == pair.lesser)
		passes->similarity[pair.greater] = found->value;
	return 1;
}

/* Unites what stars connect. */
static void
unite_stars(ConnectedPasses *passes)
{
	uint32 count = passes->sets->count;
	uint32 *places = AllocateArray(count, sizeof(uint32));
	uint32 *cluster = AllocateArray(count, sizeof(uint32));
	double *similarity = AllocateArray(count, sizeof(double));

	for (uint32 number = 0; number < count; number++)
		places[number] = number;
	StarJoinBlocks(passes->of_join, places, count, cluster, similarity);
	for (uint32 number = 0; number < count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		unite_numbers(passes->sets, number, cluster[number]);
	}
	pfree(places);
	pfree(cluster);
	pfree(similarity);
}

void
ConnectRows(JoinPasses *join, UnionFind *sets)
{
	ConnectedPasses passes = {.of_join = join, .sets = sets};
	JoinTask *task = join->task;
	uint32 *groups;

	unite_stars(&passes);
	if (task->demand.rejects_similar)
	{
		JoinPassesRun(join, task->predicate, unite_found, &passes, false);
		return;
	}
	groups = AllocateArray(sets->count, sizeof(uint32));
	for (uint32 number = 0; number < sets->count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		groups[number] = UnionFindRoot(sets, number);
	}
	PairDemandConnect(&task->demand, groups, sets->count);
	JoinPassesRun(join, task->predicate, unite_found, &passes, false);
	PairDemandByRoles(&task->demand, NULL, sets->count);
	pfree(groups);
}

/* Sets the clusters to the components of the rows. */
static void
place_components(ConnectedPasses *passes)
{
	UnionFind *sets = passes->sets;
	uint32 *least = AllocateArray(sets->count, sizeof(uint32)); /* the least place of each root */

	memset(least, 0xFF, sets->count * sizeof(uint32));
	for (uint32 number = 0; number < sets->count; number++)
	{
		uint32 root = UnionFindRoot(sets, number);

		CHECK_FOR_INTERRUPTS();
		least[root] = Min(least[root], passes->places[number]);
	}
	for (uint32 number = 0; number < sets->count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		passes->cluster[passes->places[number]] = least[UnionFindRoot(sets, number)];
	}
	pfree(least);
}

/* Has the least row of each component seek the others. Returns whether any component has several. */
static bool
set_component_roles(const ConnectedPasses *passes, uint8 *roles)
{
	uint32 count = passes->sets->count;
	bool is_any = false;

	for (uint32 number = 0; number < count; number++)
	{
		uint32 place = passes->places[number];
		UnionFind *sets = passes->sets;

		CHECK_FOR_INTERRUPTS();
		roles[number] = JOIN_ABSENT;
		if (sets->size[UnionFindRoot(sets, number)] == 1)
			continue;
		roles[number] = passes->cluster[place] == place ? JOIN_SEEKS : JOIN_IS_MET;
		is_any = true;
	}
	return is_any;
}

void
ConnectedJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
			  double *similarity)
{
	UnionFind sets;
	ConnectedPasses passes = {.of_join = join,
							  .sets = &sets,
							  .places = places,
							  .cluster = cluster,
							  .similarity = similarity};
	PairDemand *demand = &join->task->demand;
	uint8 *roles = AllocateArray(count, sizeof(uint8));

	UnionFindInit(&sets, count);
	for (uint32 number = 0; number < count; number++)
	{
		CHECK_FOR_INTERRUPTS();
		UnionFindAdd(&sets);
	}
	ConnectRows(join, &sets);
	place_components(&passes);
	for (uint32 place = 0; place < count; place++)
		similarity[place] = cluster[place] == place ? 1 : NAN;
	if (set_component_roles(&passes, roles))
	{
		PairDemandByRoles(demand, roles, count);
		JoinPassesRun(join, join->task->predicate, take_similarity, &passes, true);
		PairDemandByRoles(demand, NULL, count);
	}
	UnionFindFree(&sets);
	pfree(roles);
}
