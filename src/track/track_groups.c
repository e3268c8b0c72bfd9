/*
 * track_groups.c
 *		Groups of rows and clusters.
 */
#include "postgres.h"

#include "storage/shmem.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "track/track_groups.h"

/* An element of the hash table from clusters to nodes. */
typedef struct ClusterNode
{
	int64 cluster;
	uint32 node;
	char status;
} ClusterNode;

#define SH_PREFIX cluster_nodes
#define SH_ELEMENT_TYPE ClusterNode
#define SH_KEY cluster
#include "sketch/token_table.h"

TrackGroups *
TrackGroupsCreate(uint32 rows)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "neardup tracked clusters",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	TrackGroups *groups = palloc0(sizeof(TrackGroups));

	groups->context = context;
	groups->rows = rows;
	UnionFindInit(&groups->nodes, rows);
	for (uint32 i = 0; i < rows; i++)
		UnionFindAdd(&groups->nodes);
	groups->clusters = cluster_nodes_create(context, 16, NULL);
	groups->capacity = 16;
	groups->numbers = AllocateArray(groups->capacity, sizeof(int64));
	MemoryContextSwitchTo(previous);
	return groups;
}

void
TrackGroupsFree(TrackGroups *groups)
{
	MemoryContextDelete(groups->context);
}

uint32
TrackGroupsOfCluster(TrackGroups *groups, int64 cluster)
{
	bool found;
	ClusterNode *node = cluster_nodes_insert(groups->clusters, cluster, &found);
	uint32 number;

	if (found)
		return node->node;
	node->node = groups->nodes.count;
	number = node->node - groups->rows;
	ARRAY_MAKE_ROOM(groups->numbers, number, groups->capacity);
	groups->numbers[number] = cluster;
	UnionFindAdd(&groups->nodes);
	return groups->nodes.count - 1;
}

void
TrackGroupsUnite(TrackGroups *groups, uint32 a, uint32 b)
{
	a = UnionFindRoot(&groups->nodes, a);
	b = UnionFindRoot(&groups->nodes, b);
	if (a != b)
		UnionFindUnite(&groups->nodes, a, b);
}

int64 *
TrackGroupsClusters(TrackGroups *groups)
{
	int64 *kept = AllocateArray(groups->nodes.count, sizeof(int64));

	memset(kept, 0, groups->nodes.count * sizeof(int64));
	for (uint32 node = groups->rows; node < groups->nodes.count; node++)
	{
		uint32 root = UnionFindRoot(&groups->nodes, node);
		int64 cluster = groups->numbers[node - groups->rows];

		if (kept[root] == TRACK_NO_CLUSTER || cluster < kept[root])
			kept[root] = cluster;
	}
	return kept;
}
