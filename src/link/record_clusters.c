/*
 * record_clusters.c
 *		Merging clusters of groups in the order of scores.
 *
 * Between two clusters, a hash table has the sum of the scores of their pairs, each as it differs from
 * what a missing pair counts, so that missing pairs need no place. When two clusters become one, the sums
 * of the one that has fewer candidates are added to the sums of the other one.
 * Scores are multiples of a small power of two, so that sums are exact, and in any case they are
 * added in an order that depends on nothing but the scores.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "allocate.h"
#include "cluster/union_find.h"
#include "join/call/pair_sort.h"
#include "memory/join_memory.h"
#include "progress/progress.h"
#include "rows/record_file.h"
#include "link/record_clusters.h"

/* The mean above which large clusters become one; candidates below it are not tried. */
#define LEAST_MERGED (-2.0)

/* What a pair counts that is no candidate, or has no greater score. */
#define MISSING (-5.0)

/* The part of the memory of a join that the scores of a round take before they go to a file. */
#define PART_OF_NOTED 8

/* The scores of all pairs between two clusters. */
typedef struct ClusterLink
{
	int64 pair; /* the lesser root, and the greater one */
	double sum; /* above MISSING; -infinity if two of their rows are a pair of `except_pairs` */
	char status;
} ClusterLink;

#define SH_PREFIX link
#define SH_ELEMENT_TYPE ClusterLink
#define SH_KEY pair
#include "sketch/token_table.h"

/* A candidate, or a pair of `except_pairs`. */
typedef struct ScoredPair
{
	double score;
	uint32 a;
	uint32 b;
} ScoredPair;

typedef struct ClusterMerge
{
	RecordFile noted;	  /* scored pairs */
	UnionFind components; /* groups that scores above LEAST_MERGED connect */
	PairSort *tried;	  /* candidates whose turn comes, by score */

	Veto veto; /* by root */
	link_hash *links;
	double *row_counts;	 /* by root */
	uint64 *candidates;	 /* by root: candidates of its groups */
	uint32 *next_groups; /* by group: a ring of the groups of a cluster */
	uint64 *starts;		 /* by group: of its neighbours */
	uint32 *neighbors;
} ClusterMerge;

static void
connect_groups(ClusterMerge *merge, uint32 a, uint32 b)
{
	uint32 x = UnionFindRoot(&merge->components, a);
	uint32 y = UnionFindRoot(&merge->components, b);

	if (x != y)
		(void) UnionFindUnite(&merge->components, x, y);
}

/* Begins with the entities that are known, each of which is connected. */
static void
begin_entities(RecordClusters *clusters, const uint32 *entities)
{
	uint32 count = clusters->rows->group_count;

	clusters->entities = AllocateArray(count, sizeof(uint32));
	clusters->others = AllocateArray(count, sizeof(uint32));
	clusters->parts = AllocateArray(count, sizeof(uint32));
	memcpy(clusters->entities, entities, count * sizeof(uint32));
	memset(clusters->others, 0xFF, count * sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
	{
		clusters->parts[group] = group;
		if (entities[group] == NO_ROW)
			continue;
		clusters->whole[group] = true;
		connect_groups(clusters->merge, group, entities[group]);
	}
}

RecordClusters *
RecordClustersBegin(const CallRows *rows, const Veto *veto, const uint32 *entities)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "neardup record clusters",
												  ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	RecordClusters *clusters = palloc0(sizeof(RecordClusters));
	ClusterMerge *merge = palloc0(sizeof(ClusterMerge));
	uint32 count = rows->group_count;

	clusters->rows = rows;
	clusters->context = context;
	clusters->merge = merge;
	clusters->parents = AllocateArray(count, sizeof(uint32));
	clusters->whole = AllocateArray(count, sizeof(bool));
	clusters->group_counts = AllocateArray(count, sizeof(uint32));
	merge->veto = VetoCopy(veto);
	UnionFindInit(&merge->components, count);
	merge->tried = PairSortBegin(PAIRS_BY_DISTANCE, NULL, NULL);
	RecordFileInit(&merge->noted, context, sizeof(ScoredPair), JoinMemory() / PART_OF_NOTED);
	for (uint32 group = 0; group < count; group++)
	{
		UnionFindAdd(&merge->components);
		clusters->parents[group] = group;
		clusters->whole[group] = CallRowsGroupSize(rows, group) == 1;
		clusters->group_counts[group] = 1;
	}
	if (entities != NULL)
		begin_entities(clusters, entities);
	MemoryContextSwitchTo(previous);
	return clusters;
}

static void
note_scored(ClusterMerge *merge, uint32 a, uint32 b, double score)
{
	ScoredPair *pair = RecordFilePut(&merge->noted);

	*pair = (ScoredPair){.score = score, .a = a, .b = b};
}

/* Whether the groups of a pair may come into one cluster. */
static bool
can_meet(ClusterMerge *merge, const ScoredPair *pair)
{
	return UnionFindRoot(&merge->components, pair->a) == UnionFindRoot(&merge->components, pair->b);
}

void
RecordClustersNote(RecordClusters *clusters, uint32 a, uint32 b, double score)
{
	ClusterMerge *merge = clusters->merge;

	if (score > MISSING && a != b)
		note_scored(merge, a, b, score);
	if (score > LEAST_MERGED)
	{
		connect_groups(merge, a, b);
		PairSortPut(merge->tried, &(RankedPair){.distance = -score, .a = a, .b = b});
	}
}

/* The groups of the rows that `except_pairs` names. */
typedef struct ExceptedGroups
{
	ClusterMerge *merge;
	uint32 *groups; /* by number of the key, or NO_ROW */
} ExceptedGroups;

static void
note_excepted_groups(void *context, uint32 a, uint32 b)
{
	ExceptedGroups *excepted = context;
	uint32 x = excepted->groups[a];
	uint32 y = excepted->groups[b];

	if (x != NO_ROW && y != NO_ROW)
		note_scored(excepted->merge, Min(x, y), Max(x, y), -INFINITY);
}

/* Notes the pairs of `except_pairs`. */
static void
note_all_excepted(RecordClusters *clusters)
{
	const CallRows *rows = clusters->rows;
	uint32 keys = ExceptPairsKeys(rows->wishes.except);
	ExceptedGroups excepted = {.merge = clusters->merge,
							   .groups = AllocateArray(keys, sizeof(uint32))};

	memset(excepted.groups, 0xFF, keys * sizeof(uint32));
	for (uint32 group = 0; group < rows->group_count; group++)
	{
		if (rows->excepted[group] != NO_ROW)
			excepted.groups[rows->excepted[group]] = group;
	}
	ExceptPairsEach(rows->wishes.except, note_excepted_groups, &excepted);
	pfree(excepted.groups);
}

static inline int64
link_of(uint32 a, uint32 b)
{
	return (int64) ((uint64) Min(a, b) << 32 | Max(a, b));
}

static void
add_link(ClusterMerge *merge, uint32 a, uint32 b, double sum)
{
	bool found;
	ClusterLink *link = link_insert(merge->links, link_of(a, b), &found);

	link->sum = found ? link->sum + sum : sum;
}

/* Counts the pairs of each group that can meet. */
static void
count_candidates(ClusterMerge *merge, uint32 group_count)
{
	merge->candidates = AllocateArray(group_count, sizeof(uint64));
	memset(merge->candidates, 0, group_count * sizeof(uint64));
	for (uint64 i = 0; i < merge->noted.count; i++)
	{
		const ScoredPair *pair = RecordFileAt(&merge->noted, i);

		CHECK_FOR_INTERRUPTS();
		if (!can_meet(merge, pair))
			continue;
		merge->candidates[pair->a]++;
		merge->candidates[pair->b]++;
	}
}

/* Makes room for the neighbours of each group; returns how many there are. Each list is filled from its end. */
static uint64
begin_group_neighbors(ClusterMerge *merge, uint32 group_count)
{
	uint64 end = 0;

	merge->starts = AllocateArray((Size) group_count + 1, sizeof(uint64));
	for (uint32 group = 0; group < group_count; group++)
		merge->starts[group] = end += merge->candidates[group];
	merge->starts[group_count] = end;
	merge->neighbors = AllocateArray(end, sizeof(uint32));
	return end;
}

/* Links the groups that can meet. */
static void
add_links(const RecordClusters *clusters)
{
	ClusterMerge *merge = clusters->merge;
	const CallRows *rows = clusters->rows;

	for (uint64 i = 0; i < merge->noted.count; i++)
	{
		const ScoredPair *pair = RecordFileAt(&merge->noted, i);

		CHECK_FOR_INTERRUPTS();
		if (!can_meet(merge, pair))
			continue;
		add_link(merge, RootOf(clusters->parents, pair->a), RootOf(clusters->parents, pair->b),
				 (pair->score - MISSING) * ((double) CallRowsGroupSize(rows, pair->a) *
											CallRowsGroupSize(rows, pair->b)));
		merge->neighbors[--merge->starts[pair->a]] = pair->b;
		merge->neighbors[--merge->starts[pair->b]] = pair->a;
	}
}

/* Makes cluster b a part of a; links are not touched. */
static void
unite_record_clusters(RecordClusters *clusters, uint32 a, uint32 b)
{
	ClusterMerge *merge = clusters->merge;
	uint32 next = merge->next_groups[a];

	clusters->parents[b] = a;
	VetoUnite(&merge->veto, a, b);
	merge->next_groups[a] = merge->next_groups[b];
	merge->next_groups[b] = next;
	merge->row_counts[a] += merge->row_counts[b];
	merge->candidates[a] += merge->candidates[b];
	clusters->group_counts[a] += clusters->group_counts[b];
	if (clusters->entities != NULL && clusters->entities[a] == NO_ROW)
		clusters->entities[a] = clusters->entities[b];
}

/* Makes clusters of the groups of each entity that is known. There are no links yet. */
static void
unite_entities(RecordClusters *clusters)
{
	for (uint32 group = 0; group < clusters->rows->group_count; group++)
	{
		uint32 entity = clusters->entities[group];

		CHECK_FOR_INTERRUPTS();
		if (entity != NO_ROW && entity != group)
			unite_record_clusters(clusters, entity, group);
	}
}

static void
begin_links(RecordClusters *clusters)
{
	ClusterMerge *merge = clusters->merge;
	const CallRows *rows = clusters->rows;
	uint32 count = rows->group_count;
	uint64 neighbors;

	count_candidates(merge, count);
	neighbors = begin_group_neighbors(merge, count);
	merge->row_counts = AllocateArray(count, sizeof(double));
	merge->next_groups = AllocateArray(count, sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
	{
		merge->row_counts[group] = CallRowsGroupSize(rows, group);
		merge->next_groups[group] = group;
	}
	if (clusters->entities != NULL)
		unite_entities(clusters);
	merge->links =
		link_create(CurrentMemoryContext, (uint32) Min(neighbors / 2 + 1, PG_UINT32_MAX), NULL);
	add_links(clusters);
	RecordFileEnd(&merge->noted);
}

/* Whether a cluster has one row, or equal rows that are not taken for one thing by themselves. */
static bool
is_single(const RecordClusters *clusters, uint32 root)
{
	return clusters->group_counts[root] == 1 &&
		   (CallRowsGroupSize(clusters->rows, root) == 1 || !clusters->whole[root]);
}

/* Whether two clusters that have a link become one. */
static bool
may_merge(const RecordClusters *clusters, uint32 a, uint32 b)
{
	const ClusterMerge *merge = clusters->merge;
	double pairs = merge->row_counts[a] * merge->row_counts[b];
	const ClusterLink *link = link_lookup(merge->links, link_of(a, b));

	if (link->sum == -INFINITY || VetoParts(&merge->veto, a, b))
		return false;
	if (clusters->entities != NULL && clusters->entities[a] != NO_ROW &&
		clusters->entities[b] != NO_ROW)
		return false;
	if (is_single(clusters, a) && is_single(clusters, b))
		return link->sum + MISSING * pairs > 0;
	return link->sum + MISSING * pairs > LEAST_MERGED * (pairs - 1);
}

/* Makes the links of cluster b links of a. */
static void
take_links(RecordClusters *clusters, uint32 a, uint32 b)
{
	ClusterMerge *merge = clusters->merge;
	uint32 group = b;

	do
	{
		for (uint64 i = merge->starts[group]; i < merge->starts[group + 1]; i++)
		{
			uint32 other = RootOf(clusters->parents, merge->neighbors[i]);
			ClusterLink *link = other == b ? NULL : link_lookup(merge->links, link_of(b, other));
			double sum;

			CHECK_FOR_INTERRUPTS();
			if (link == NULL)
				continue;
			sum = link->sum;
			link_delete_item(merge->links, link);
			if (other != a)
				add_link(merge, a, other, sum);
		}
		group = merge->next_groups[group];
	} while (group != b);
}

/* Returns the mean score of all pairs between two clusters that have a link. */
static double
mean_score(const ClusterMerge *merge, uint32 a, uint32 b, const ClusterLink *link)
{
	return link->sum / (merge->row_counts[a] * merge->row_counts[b]) + MISSING;
}

/*
 * Returns the entity besides `joined` that a cluster could join, of several ones the one of the greatest mean;
 * NO_ROW if there is none.
 */
static uint32
find_other_entity(const RecordClusters *clusters, uint32 cluster, uint32 joined)
{
	const ClusterMerge *merge = clusters->merge;
	uint32 found = NO_ROW;
	double most = -INFINITY;
	uint32 group = cluster;

	do
	{
		for (uint64 i = merge->starts[group]; i < merge->starts[group + 1]; i++)
		{
			uint32 other = RootOf(clusters->parents, merge->neighbors[i]);
			uint32 entity = clusters->entities[other];
			double mean;

			CHECK_FOR_INTERRUPTS();
			if (entity == NO_ROW || other == joined || !may_merge(clusters, cluster, other))
				continue;
			mean = mean_score(merge, cluster, other,
							  link_lookup(merge->links, link_of(cluster, other)));
			if (mean > most || (mean == most && entity < found))
			{
				most = mean;
				found = entity;
			}
		}
		group = merge->next_groups[group];
	} while (group != cluster);
	return found;
}

/* Notes with which groups those of a cluster join an entity, and which other one they could join. */
static void
note_joining(RecordClusters *clusters, uint32 cluster, uint32 joined)
{
	const ClusterMerge *merge = clusters->merge;
	uint32 other = find_other_entity(clusters, cluster, joined);
	uint32 least = cluster;
	uint32 group = cluster;

	while ((group = merge->next_groups[group]) != cluster)
		least = Min(least, group);
	do
	{
		clusters->others[group] = other;
		clusters->parts[group] = least;
		group = merge->next_groups[group];
	} while (group != cluster);
}

static void
merge_clusters(RecordClusters *clusters, uint32 a, uint32 b)
{
	if (clusters->entities != NULL && clusters->entities[a] != clusters->entities[b])
	{
		bool joins_a = clusters->entities[b] == NO_ROW;

		note_joining(clusters, joins_a ? b : a, joins_a ? a : b);
	}
	take_links(clusters, a, b);
	unite_record_clusters(clusters, a, b);
}

/* Takes the candidate whose turn it is. */
static void
try_candidate(RecordClusters *clusters, uint32 a, uint32 b, double score)
{
	const uint64 *candidates = clusters->merge->candidates;
	uint32 x = RootOf(clusters->parents, a);
	uint32 y = RootOf(clusters->parents, b);

	if (a == b)
		clusters->whole[a] |= score > 0;
	else if (x != y && may_merge(clusters, x, y))
	{
		if (candidates[x] < candidates[y])
			merge_clusters(clusters, y, x);
		else
			merge_clusters(clusters, x, y);
	}
}

void
RecordClustersFind(RecordClusters *clusters)
{
	ClusterMerge *merge = clusters->merge;
	MemoryContext previous = MemoryContextSwitchTo(clusters->context);
	MemoryContext context =
		AllocSetContextCreate(clusters->context, "neardup record links", ALLOCSET_DEFAULT_SIZES);
	RankedPair pair;

	if (clusters->rows->wishes.except != NULL)
		note_all_excepted(clusters);
	MemoryContextSwitchTo(context);
	begin_links(clusters);
	PairSortPerform(merge->tried);
	while (PairSortNext(merge->tried, &pair))
	{
		JoinProgressCheck();
		try_candidate(clusters, pair.a, pair.b, -pair.distance);
	}
	PairSortEnd(merge->tried);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	UnionFindFree(&merge->components);
	pfree(merge);
	clusters->merge = NULL;
}

void
RecordClustersFree(RecordClusters *clusters)
{
	MemoryContextDelete(clusters->context);
}
