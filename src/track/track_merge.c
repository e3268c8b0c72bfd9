/*
 * track_merge.c
 *		Merging the clusters of groups, and adding rows to them.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"

#include "allocate.h"
#include "track/track_merge.h"

/* The clusters of the groups that have several clusters, each with the root of its group. */
typedef struct Parts
{
	Datum *roots; /* bigint */
	Datum *clusters;
	int count;
} Parts;

/* Returns the clusters that have to merge with others. */
static Parts
parts_to_merge(TrackGroups *groups, const int64 *kept)
{
	uint32 cluster_count = groups->nodes.count - groups->rows;
	bool *has_several = AllocateArray(groups->nodes.count, sizeof(bool));
	Parts parts = {.roots = AllocateArray(cluster_count, sizeof(Datum)),
				   .clusters = AllocateArray(cluster_count, sizeof(Datum))};

	memset(has_several, false, groups->nodes.count);
	for (uint32 i = 0; i < cluster_count; i++)
	{
		uint32 root = UnionFindRoot(&groups->nodes, groups->rows + i);

		CHECK_FOR_INTERRUPTS();
		has_several[root] = has_several[root] || groups->numbers[i] != kept[root];
	}
	for (uint32 i = 0; i < cluster_count; i++)
	{
		uint32 root = UnionFindRoot(&groups->nodes, groups->rows + i);

		CHECK_FOR_INTERRUPTS();
		if (!has_several[root])
			continue;
		parts.roots[parts.count] = Int64GetDatum(root);
		parts.clusters[parts.count++] = Int64GetDatum(groups->numbers[i]);
	}
	pfree(has_several);
	return parts;
}

static Datum
merge_bigint_array(Datum *values, int count)
{
	return PointerGetDatum(
		construct_array(values, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* Merges the parts, and puts the cluster that is kept into kept[root]. */
static void
merge_parts(TrackTable *table, const Parts *parts, int64 newest, int64 *kept)
{
	Datum values[3] = {merge_bigint_array(parts->roots, parts->count),
					   merge_bigint_array(parts->clusters, parts->count), Int64GetDatum(newest)};

	TrackWrite(table, TRACK_MERGE, values);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple tuple = SPI_tuptable->vals[i];
		bool isnull;
		int64 root = DatumGetInt64(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 1, &isnull));

		kept[root] = DatumGetInt64(SPI_getbinval(tuple, SPI_tuptable->tupdesc, 2, &isnull));
	}
	SPI_freetuptable(SPI_tuptable);
}

int64 *
TrackMerge(TrackTable *table, TrackGroups *groups, int64 newest)
{
	int64 *kept = TrackGroupsClusters(groups);
	Parts parts = parts_to_merge(groups, kept);

	if (parts.count > 0)
		merge_parts(table, &parts, newest, kept);
	pfree(parts.roots);
	pfree(parts.clusters);
	return kept;
}

void
TrackInsert(TrackTable *table, TrackGroups *groups, int64 *clusters, uint32 row, Datum key,
			const Tokenset *set)
{
	uint32 root = UnionFindRoot(&groups->nodes, row);
	int64 number = TrackNumber(table);
	Datum values[4] = {key, Int64GetDatum(number), 0, PointerGetDatum(set)};

	if (clusters[root] == TRACK_NO_CLUSTER)
		clusters[root] = number;
	values[2] = Int64GetDatum(clusters[root]);
	TrackWrite(table, TRACK_INSERT, values);
}
