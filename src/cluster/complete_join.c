/*
 * complete_join.c
 *		Complete clusters in passes of a join.
 *
 * Each row, from the least place on, joins the first cluster whose members are all similar to it, or
 * begins one. So its lesser neighbours are counted by cluster. If the rows have few pairs, all of them
 * are stored and sorted in one pass. But a family of n similar rows has about n²/2 pairs.
 *
 * So if a sample tells that there are many pairs, the rows are taken in blocks in the order of their
 * places. Each block is joined with itself and with the rows before it. These have their clusters,
 * so pairs with them are only counted, for each row of the block and each cluster. Stored are only
 * the pairs within a block, and the pairs with the least row of a cluster, which have the
 * similarity that is asked for.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/complete_join.h"
#include "cluster/partition.h"

/* A sample is this part of the rows, but not smaller than LEAST_SAMPLE. */
#define SAMPLE_PART 256
#define LEAST_SAMPLE 500

/* If rows have more than MANY_PAIRS pairs on average, each block is this part of the rows. */
#define MANY_PAIRS 32
#define BLOCK_PART 32
#define LEAST_BLOCK 1000

/* How many members of a cluster are known to be similar to a row. */
typedef struct ClusterCount
{
	uint32 cluster;
	uint32 members;
} ClusterCount;

typedef struct CompletePasses
{
	JoinPasses *of_join;
	const uint32 *places;
	uint32 count;
	uint32 *cluster;
	double *similarity;
	double *with_least; /* of the present row, the similarity with the least row of each cluster */
	CompletePartition partition;

	/*
	 * The present block, whose places are first .. end - 1. A pair of a row `a` of it has a row `b`
	 * and the negative similarity for its distance; or a cluster `b` and a count, which is
	 * positive.
	 */
	uint32 first;
	uint32 end;
	PairSort *pairs;
	ClusterCount *held; /* by place, the last count, which is not among the pairs yet */
} CompletePasses;

/* Counts a neighbour of a row. The row's neighbours in its own family mostly have one cluster. */
static void
count_member(CompletePasses *passes, uint32 row, uint32 cluster)
{
	ClusterCount *held = &passes->held[row];

	if (held->members > 0 && held->cluster != cluster)
	{
		PairSortPut(passes->pairs,
					&(RankedPair){.distance = held->members, .a = row, .b = held->cluster});
		held->members = 0;
	}
	held->cluster = cluster;
	held->members++;
}

static uint64
take_lesser(void *context, const FoundPair *found)
{
	CompletePasses *passes = context;
	FoundPlaces pair = PlacesOfPair(passes->of_join->join, passes->places, found);

	CHECK_FOR_INTERRUPTS();
	/*
	 * The pass may find pairs of rows outside of the block too, since equal records share one role.
	 */
	if (pair.greater < passes->first || pair.greater >= passes->end)
		return 1;
	if (pair.lesser < passes->first && passes->cluster[pair.lesser] != pair.lesser)
		count_member(passes, pair.greater, passes->cluster[pair.lesser]);
	else
		PairSortPut(passes->pairs,
					&(RankedPair){.distance = -found->value, .a = pair.greater, .b = pair.lesser});
	return 1;
}

/* Puts the counts that are still held. */
static void
put_counts(CompletePasses *passes)
{
	for (uint32 place = passes->first; place < passes->end; place++)
	{
		ClusterCount *held = &passes->held[place];

		CHECK_FOR_INTERRUPTS();
		if (held->members > 0)
			PairSortPut(passes->pairs,
						&(RankedPair){.distance = held->members, .a = place, .b = held->cluster});
		held->members = 0;
	}
}

/* Gives the rows of the block their clusters, each after all rows before it. */
static void
decide_block(CompletePasses *passes)
{
	RankedPair pair;
	bool more;

	PairSortPerform(passes->pairs);
	more = PairSortNext(passes->pairs, &pair);
	for (uint32 place = passes->first; place < passes->end; place++)
	{
		CHECK_FOR_INTERRUPTS();
		for (; more && pair.a == place; more = PairSortNext(passes->pairs, &pair))
		{
			CHECK_FOR_INTERRUPTS();
			if (pair.distance > 0)
				CompletePartitionCount(&passes->partition, pair.b, (uint32) pair.distance);
			else
			{
				CompletePartitionCount(&passes->partition, passes->cluster[pair.b], 1);
				passes->with_least[pair.b] = -pair.distance;
			}
		}
		CompletePartitionJoin(&passes->partition, place);
		if (passes->cluster[place] != place)
			passes->similarity[place] = passes->with_least[passes->cluster[place]];
	}
	PairSortEnd(passes->pairs);
}

static void
complete_block(CompletePasses *passes)
{
	passes->pairs = PairSortBegin(PAIRS_BY_ROW, NULL, NULL);
	JoinPassesRun(passes->of_join, passes->of_join->task->predicate, take_lesser, passes,
				  passes->end == passes->count);
	put_counts(passes);
	decide_block(passes);
}

/* Returns about how many pairs there are for each row, by a join of a sample of the rows. */
static double
pairs_of_row(CompletePasses *passes, uint8 *roles)
{
	uint32 step = passes->count / Max(passes->count / SAMPLE_PART, LEAST_SAMPLE);
	uint32 sample = 0;

	if (step < 2)
		return 0;
	for (uint32 number = 0; number < passes->count; number++)
	{
		bool is_taken = passes->places[number] % step == 0;

		roles[number] = is_taken ? JOIN_SEEKS : JOIN_ABSENT;
		sample += is_taken;
	}
	if (sample == 0)
		return 0;
	JoinPassesRun(passes->of_join, passes->of_join->task->predicate, NULL, NULL, false);
	return (double) passes->of_join->join->pair_count * step / sample;
}

/* Has the rows of the block seek, and meet each other and the rows before it. */
static void
set_block_roles(const CompletePasses *passes, uint8 *roles)
{
	for (uint32 number = 0; number < passes->count; number++)
	{
		uint32 place = passes->places[number];

		if (place < passes->first)
			roles[number] = JOIN_IS_MET;
		else
			roles[number] = place < passes->end ? JOIN_SEEKS : JOIN_ABSENT;
	}
}

static void
complete_blocks(CompletePasses *passes, uint8 *roles)
{
	uint32 rows = Max(passes->count / BLOCK_PART, LEAST_BLOCK);

	while (passes->end < passes->count)
	{
		passes->first = passes->end;
		passes->end = (uint32) Min((uint64) passes->first + rows, passes->count);
		set_block_roles(passes, roles);
		complete_block(passes);
	}
}

void
CompleteJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
			 double *similarity)
{
	CompletePasses passes = {.of_join = join,
							 .places = places,
							 .count = count,
							 .cluster = cluster,
							 .similarity = similarity,
							 .with_least = AllocateArray(count, sizeof(double)),
							 .held = AllocateArray(count, sizeof(ClusterCount))};
	PairDemand *demand = &join->task->demand;
	uint8 *roles = AllocateArray(count, sizeof(uint8));

	memset(passes.held, 0, count * sizeof(ClusterCount));
	for (uint32 place = 0; place < count; place++)
		similarity[place] = 1;
	CompletePartitionBegin(&passes.partition, PG_UINT32_MAX, count, cluster);
	PairDemandByRoles(demand, roles, count);
	if (pairs_of_row(&passes, roles) > MANY_PAIRS)
		complete_blocks(&passes, roles);
	else
	{
		PairDemandByRoles(demand, NULL, count);
		passes.end = count;
		complete_block(&passes);
	}
	PairDemandByRoles(demand, NULL, count);
	CompletePartitionEnd(&passes.partition);
	pfree(passes.with_least);
	pfree(passes.held);
	pfree(roles);
}
