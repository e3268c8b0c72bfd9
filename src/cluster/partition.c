/*
 * partition.c
 *		Clusters of numbers from sorted pairs: connected, star, complete.
 *
 * Each mode is one pass over the sorted pairs. Star sorts by the lesser number: the centres that a
 * number could join come before its own pairs. Complete sorts by the greater number: a number's
 * lesser neighbours come together, and are counted by cluster.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/partition.h"
#include "cluster/union_find.h"

ClusterMode
ClusterModeOrError(const char *name)
{
	if (strcmp(name, "connected") == 0)
		return CLUSTER_CONNECTED;
	if (strcmp(name, "star") == 0)
		return CLUSTER_STAR;
	if (strcmp(name, "complete") == 0)
		return CLUSTER_COMPLETE;
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("unrecognized cluster mode \"%s\"", name),
					errhint("The modes are connected, star and complete.")));
}

static void
note_bridge(ClusterBridge *bridge, uint32 a, uint32 b, uint32 a_size, uint32 b_size)
{
	if (bridge->count++ > 0)
		return;
	bridge->first = Min(a, b);
	bridge->second = Max(a, b);
	bridge->first_size = a < b ? a_size : b_size;
	bridge->second_size = a < b ? b_size : a_size;
}

static void
partition_connected(uint32 max_size, PairSort *pairs, uint32 count, uint32 *cluster,
					ClusterBridge *bridge)
{
	UnionFind sets;
	RankedPair pair;

	UnionFindInit(&sets, count);
	for (uint32 v = 0; v < count; v++)
	{
		CHECK_FOR_INTERRUPTS();
		UnionFindAdd(&sets);
	}
	while (PairSortNext(pairs, &pair))
	{
		uint32 root_a = UnionFindRoot(&sets, pair.a);
		uint32 root_b = UnionFindRoot(&sets, pair.b);

		if (root_a == root_b)
			continue;
		if ((uint64) sets.size[root_a] + sets.size[root_b] > max_size)
			note_bridge(bridge, pair.a, pair.b, sets.size[root_a], sets.size[root_b]);
		else
			UnionFindUnite(&sets, root_a, root_b);
	}
	UnionFindFirsts(&sets, NULL, cluster);
	UnionFindFree(&sets);
}

static void
partition_star(uint32 max_size, PairSort *pairs, uint32 count, uint32 *cluster,
			   ClusterBridge *bridge)
{
	uint32 *size = AllocateArray(count, sizeof(uint32));
	RankedPair pair;

	for (uint32 v = 0; v < count; v++)
	{
		cluster[v] = v;
		size[v] = 1;
	}
	while (PairSortNext(pairs, &pair))
	{
		uint32 centre = pair.a;
		uint32 v = pair.b;

		if (cluster[centre] != centre || cluster[v] != v)
			continue;
		if (size[centre] == max_size)
		{
			note_bridge(bridge, centre, v, size[centre], 1);
			continue;
		}
		cluster[v] = centre;
		size[centre]++;
	}
	pfree(size);
}

void
CompletePartitionBegin(CompletePartition *partition, uint32 max_size, uint32 count, uint32 *cluster)
{
	*partition = (CompletePartition){.max_size = max_size,
									 .cluster = cluster,
									 .size = AllocateArray(count, sizeof(uint32)),
									 .count = AllocateArray(count, sizeof(uint32))};
	for (uint32 v = 0; v < count; v++)
	{
		cluster[v] = v;
		partition->size[v] = 1;
		partition->count[v] = 0;
	}
}

void
CompletePartitionEnd(CompletePartition *partition)
{
	if (partition->touched != NULL)
		pfree(partition->touched);
	pfree(partition->count);
	pfree(partition->size);
}

void
CompletePartitionCount(CompletePartition *partition, uint32 cluster, uint32 neighbours)
{
	if (partition->count[cluster] == 0)
	{
		ARRAY_MAKE_ROOM(partition->touched, partition->touched_count, partition->touched_capacity);
		partition->touched[partition->touched_count++] = cluster;
	}
	partition->count[cluster] += neighbours;
}

void
CompletePartitionJoin(CompletePartition *partition, uint32 v)
{
	uint32 chosen = v;
	uint32 refused = v;

	for (uint32 i = 0; i < partition->touched_count; i++)
	{
		uint32 candidate = partition->touched[i];
		bool is_whole = partition->count[candidate] == partition->size[candidate];

		partition->count[candidate] = 0;
		if (!is_whole)
			continue;
		if (partition->size[candidate] == partition->max_size)
			refused = Min(refused, candidate);
		else
			chosen = Min(chosen, candidate);
	}
	partition->touched_count = 0;
	if (refused < chosen)
		note_bridge(&partition->bridge, refused, v, partition->size[refused], 1);
	partition->cluster[v] = chosen;
	if (chosen != v)
		partition->size[chosen]++;
}

static void
partition_complete(uint32 max_size, PairSort *pairs, uint32 count, uint32 *cluster,
				   ClusterBridge *bridge)
{
	CompletePartition partition;
	RankedPair pair;
	bool more = PairSortNext(pairs, &pair);

	CompletePartitionBegin(&partition, max_size, count, cluster);
	for (uint32 v = 0; v < count; v++)
	{
		CHECK_FOR_INTERRUPTS();
		for (; more && pair.a == v; more = PairSortNext(pairs, &pair))
			CompletePartitionCount(&partition, cluster[pair.b], 1);
		CompletePartitionJoin(&partition, v);
	}
	*bridge = partition.bridge;
	CompletePartitionEnd(&partition);
}

void
ClusterPartition(ClusterMode mode, uint32 max_size, PairSort *pairs, uint32 count, uint32 *cluster,
				 ClusterBridge *bridge)
{
	if (count == 0)
		return;
	switch (mode)
	{
		case CLUSTER_CONNECTED:
			partition_connected(max_size, pairs, count, cluster, bridge);
			break;
		case CLUSTER_STAR:
			partition_star(max_size, pairs, count, cluster, bridge);
			break;
		case CLUSTER_COMPLETE:
			partition_complete(max_size, pairs, count, cluster, bridge);
			break;
	}
}
