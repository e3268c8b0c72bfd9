/*
 * partition.c
 *		Clusters of numbers from sorted pairs: connected, star, complete.
 *
 * Each mode is one pass over the sorted pairs. Star sorts by the lesser number: the centres that a
 * number could join come before its own pairs. Complete sorts by the greater number: a number's
 * lesser neighbours come together, and are counted by cluster.
 */
#include "postgres.h"

#include "allocate.h"
#include "cluster/partition.h"
#include "cluster/union_find.h"
#include "text/interrupts.h"

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
		CHECK_NOW_AND_THEN(v);
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
		CHECK_NOW_AND_THEN(v);
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

/* The lesser neighbours of one number, counted by cluster. */
typedef struct Neighbours
{
	uint32 *count;	 /* count of each cluster; zero between two numbers */
	uint32 *touched; /* clusters with a count */
	uint32 touched_count;
	uint32 touched_capacity;
} Neighbours;

static void
count_neighbour(Neighbours *neighbours, uint32 cluster)
{
	if (neighbours->count[cluster]++ > 0)
		return;
	ARRAY_MAKE_ROOM(neighbours->touched, neighbours->touched_count, neighbours->touched_capacity);
	neighbours->touched[neighbours->touched_count++] = cluster;
}

/* Gives v its cluster, after all its lesser neighbours were counted. */
static void
join_complete(Neighbours *neighbours, uint32 v, uint32 max_size, uint32 *size, uint32 *cluster,
			  ClusterBridge *bridge)
{
	uint32 chosen = v;
	uint32 refused = v;

	for (uint32 i = 0; i < neighbours->touched_count; i++)
	{
		uint32 candidate = neighbours->touched[i];
		bool is_whole = neighbours->count[candidate] == size[candidate];

		CHECK_NOW_AND_THEN(i);
		neighbours->count[candidate] = 0;
		if (!is_whole)
			continue;
		if (size[candidate] == max_size)
			refused = Min(refused, candidate);
		else
			chosen = Min(chosen, candidate);
	}
	neighbours->touched_count = 0;
	if (refused < chosen)
		note_bridge(bridge, refused, v, size[refused], 1);
	cluster[v] = chosen;
	if (chosen != v)
		size[chosen]++;
}

static void
partition_complete(uint32 max_size, PairSort *pairs, uint32 count, uint32 *cluster,
				   ClusterBridge *bridge)
{
	uint32 *size = AllocateArray(count, sizeof(uint32));
	Neighbours neighbours = {.count = AllocateArray(count, sizeof(uint32))};
	uint32 v = 0;
	RankedPair pair = {0};
	bool more;

	for (uint32 i = 0; i < count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		cluster[i] = i;
		size[i] = 1;
		neighbours.count[i] = 0;
	}
	do
	{
		more = PairSortNext(pairs, &pair);
		if (!more || pair.a != v)
		{
			join_complete(&neighbours, v, max_size, size, cluster, bridge);
			v = pair.a;
		}
		if (more)
			count_neighbour(&neighbours, cluster[pair.b]);
	} while (more);
	if (neighbours.touched != NULL)
		pfree(neighbours.touched);
	pfree(neighbours.count);
	pfree(size);
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
