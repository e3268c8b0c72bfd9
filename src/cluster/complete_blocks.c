/*
 * complete_blocks.c
 *		Complete clusters block by block.
 *
 * A family of n similar rows has about n²/2 pairs, all of which its complete cluster needs; but they are
 * not all stored. The rows are taken in blocks in the order of their places. Each block is joined with
 * itself and with the rows before it. These have their clusters, so pairs with them are only counted, for
 * each row of the block and each cluster. Stored are only the pairs within a block, and the pairs with the
 * least row of a cluster, which have the similarity that is asked for.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/complete_blocks.h"
#include "cluster/found_places.h"
#include "cluster/partition.h"

/* Each block is this part of the rows, but not smaller than LEAST_BLOCK. */
#define BLOCK_PART 32
#define LEAST_BLOCK 1000

/* How many members of a cluster are known to be similar to a row. */
typedef struct ClusterCount
{
	uint32 cluster;
	uint32 members;
} ClusterCount;

typedef struct CompleteBlocks
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
} CompleteBlocks;

/* Counts a neighbour of a row. The row's neighbours in its own family mostly have one cluster. */
static void
count_member(CompleteBlocks *blocks, uint32 row, uint32 cluster)
{
	ClusterCount *held = &blocks->held[row];

	if (held->members > 0 && held->cluster != cluster)
	{
		PairSortPut(blocks->pairs,
					&(RankedPair){.distance = held->members, .a = row, .b = held->cluster});
		held->members = 0;
	}
	held->cluster = cluster;
	held->members++;
}

static uint64
take_lesser(void *context, const FoundPair *found)
{
	CompleteBlocks *blocks = context;
	FoundPlaces pair = PlacesOfPair(blocks->of_join->join, blocks->places, found);

	CHECK_FOR_INTERRUPTS();
	/*
	 * The pass may find pairs of rows outside of the block too, since equal records share one role.
	 */
	if (pair.greater < blocks->first || pair.greater >= blocks->end)
		return 1;
	if (pair.lesser < blocks->first && blocks->cluster[pair.lesser] != pair.lesser)
		count_member(blocks, pair.greater, blocks->cluster[pair.lesser]);
	else
		PairSortPut(blocks->pairs,
					&(RankedPair){.distance = -found->value, .a = pair.greater, .b = pair.lesser});
	return 1;
}

/* Puts the counts that are still held. */
static void
put_counts(CompleteBlocks *blocks)
{
	for (uint32 place = blocks->first; place < blocks->end; place++)
	{
		ClusterCount *held = &blocks->held[place];

		CHECK_FOR_INTERRUPTS();
		if (held->members > 0)
			PairSortPut(blocks->pairs,
						&(RankedPair){.distance = held->members, .a = place, .b = held->cluster});
		held->members = 0;
	}
}

/* Gives the rows of the block their clusters, each after all rows before it. */
static void
decide_block(CompleteBlocks *blocks)
{
	RankedPair pair;
	bool more;

	PairSortPerform(blocks->pairs);
	more = PairSortNext(blocks->pairs, &pair);
	for (uint32 place = blocks->first; place < blocks->end; place++)
	{
		CHECK_FOR_INTERRUPTS();
		for (; more && pair.a == place; more = PairSortNext(blocks->pairs, &pair))
		{
			CHECK_FOR_INTERRUPTS();
			if (pair.distance > 0)
				CompletePartitionCount(&blocks->partition, pair.b, (uint32) pair.distance);
			else
			{
				CompletePartitionCount(&blocks->partition, blocks->cluster[pair.b], 1);
				blocks->with_least[pair.b] = -pair.distance;
			}
		}
		CompletePartitionJoin(&blocks->partition, place);
		if (blocks->cluster[place] != place)
			blocks->similarity[place] = blocks->with_least[blocks->cluster[place]];
	}
	PairSortEnd(blocks->pairs);
}

static void
complete_block(CompleteBlocks *blocks)
{
	blocks->pairs = PairSortBegin(PAIRS_BY_ROW, NULL, NULL);
	JoinPassesRun(blocks->of_join, blocks->of_join->task->predicate, take_lesser, blocks,
				  blocks->end == blocks->count);
	put_counts(blocks);
	decide_block(blocks);
}

/* Has the rows of the block seek, and meet each other and the rows before it. */
static void
set_block_roles(const CompleteBlocks *blocks, uint8 *roles)
{
	for (uint32 number = 0; number < blocks->count; number++)
	{
		uint32 place = blocks->places[number];

		if (place < blocks->first)
			roles[number] = JOIN_IS_MET;
		else
			roles[number] = place < blocks->end ? JOIN_SEEKS : JOIN_ABSENT;
	}
}

void
CompleteBlocksJoin(JoinPasses *join, const uint32 *places, uint32 count, uint32 *cluster,
				   double *similarity)
{
	CompleteBlocks blocks = {.of_join = join,
							 .places = places,
							 .count = count,
							 .cluster = cluster,
							 .similarity = similarity,
							 .with_least = AllocateArray(count, sizeof(double)),
							 .held = AllocateArray(count, sizeof(ClusterCount))};
	PairDemand *demand = &join->task->demand;
	uint8 *roles = AllocateArray(count, sizeof(uint8));
	uint32 rows = Max(count / BLOCK_PART, LEAST_BLOCK);

	memset(blocks.held, 0, count * sizeof(ClusterCount));
	for (uint32 place = 0; place < count; place++)
		similarity[place] = 1;
	CompletePartitionBegin(&blocks.partition, PG_UINT32_MAX, count, cluster);
	PairDemandByRoles(demand, roles, count);
	while (blocks.end < count)
	{
		blocks.first = blocks.end;
		blocks.end = (uint32) Min((uint64) blocks.first + rows, count);
		set_block_roles(&blocks, roles);
		complete_block(&blocks);
	}
	PairDemandByRoles(demand, NULL, count);
	CompletePartitionEnd(&blocks.partition);
	pfree(blocks.with_least);
	pfree(blocks.held);
	pfree(roles);
}
