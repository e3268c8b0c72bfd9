/*
 * track_split.c
 *		Splitting clusters that have lost rows.
 *
 * Before a row went, the cluster was connected. Each path that went through the row led from one of
 * its neighbours, the rows that it was similar to, to another. So the rest is still connected if
 * all neighbours are still connected with each other. If sets have changed, these rows must be
 * connected with them too. Neighbours and changed rows are called seeds.
 *
 * If a copy of the row stays, it has the same neighbours and connects them. Otherwise a search
 * begins with one seed, nearest rows first, and ends when it has reached all seeds. Neighbours of a
 * row tend to be neighbours of each other, so that a few steps suffice in most cases. If they do
 * not, or if the cluster is large, its rows are joined again, which finds its connected components;
 * this is correct in any case.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/memutils.h"

#include "allocate.h"
#include "track/track_split.h"
#include "track/track_statements.h"
#include "tokenset/similarity.h"

/* A cluster with more rows or bytes of sets is joined; so is one that needs more steps. */
#define MOST_ROWS 10000
#define MOST_BYTES (64 * 1024 * 1024)
#define MOST_STEPS 64

typedef struct ClusterRow
{
	Tokenset *set;
	bool is_seed;	 /* must be reached */
	bool is_reached; /* by the search */
} ClusterRow;

typedef struct ClusterRows
{
	int64 newest; /* rows with greater numbers have changed in the statement */
	ClusterRow *rows;
	int count;
	int capacity;
	Size bytes;	   /* of the sets */
	bool is_large; /* then it is not read to the end */
} ClusterRows;

/* Called for each row of the cluster. Returns false, which ends reading, if it is large. */
static bool
split_take_member(void *context, TupleTableSlot *slot)
{
	ClusterRows *cluster = context;
	int64 member = DatumGetInt64(slot->tts_values[0]);
	Tokenset *set = (Tokenset *) PG_DETOAST_DATUM_COPY(slot->tts_values[1]);

	ARRAY_MAKE_ROOM(cluster->rows, cluster->count, cluster->capacity);
	cluster->rows[cluster->count++] =
		(ClusterRow){.set = TokensetCheck(set), .is_seed = member > cluster->newest};
	cluster->bytes += VARSIZE(set);
	cluster->is_large = cluster->count > MOST_ROWS || cluster->bytes > MOST_BYTES;
	return !cluster->is_large;
}

static void
read_cluster(TrackTable *table, int64 number, ClusterRows *cluster)
{
	Datum value = Int64GetDatum(number);

	cluster->capacity = 16;
	cluster->rows = palloc(cluster->capacity * sizeof(ClusterRow));
	TrackSelect(table, TRACK_CLUSTER, &value, split_take_member, cluster);
}

/* Marks the rows that a set which has gone was similar to. */
static void
mark_seeds(TrackTable *table, ClusterRows *cluster, const Tokenset *former)
{
	for (int i = 0; i < cluster->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (!cluster->rows[i].is_seed &&
			TokensetDatumsSimilar(table->predicate, PointerGetDatum(former),
								  PointerGetDatum(cluster->rows[i].set)))
			cluster->rows[i].is_seed = true;
	}
}

/* Whether a search of a limited number of steps, from one of the seeds, reaches all others. */
static bool
reach_seeds(TrackTable *table, ClusterRows *cluster)
{
	int *queue = palloc(Max(cluster->count, 1) * sizeof(int));
	int ends = 0;
	int seeds = 0;

	for (int i = 0; i < cluster->count; i++)
		seeds += cluster->rows[i].is_seed;
	for (int i = 0; ends == 0 && i < cluster->count; i++)
	{
		if (cluster->rows[i].is_seed)
			queue[ends++] = i;
	}
	if (ends > 0)
		cluster->rows[queue[0]].is_reached = true;
	seeds -= ends;
	for (int step = 0; seeds > 0 && step < Min(ends, MOST_STEPS); step++)
	{
		const Tokenset *set = cluster->rows[queue[step]].set;

		for (int i = 0; i < cluster->count; i++)
		{
			ClusterRow *row = &cluster->rows[i];

			CHECK_FOR_INTERRUPTS();
			if (row->is_reached || !TokensetDatumsSimilar(table->predicate, PointerGetDatum(set),
														  PointerGetDatum(row->set)))
				continue;
			row->is_reached = true;
			seeds -= row->is_seed;
			queue[ends++] = i;
		}
	}
	pfree(queue);
	return seeds == 0;
}

static bool
take_copy(void *context, TupleTableSlot *slot)
{
	*(bool *) context = true;
	return false;
}

/* Whether a row that is not new in the statement has this set; it is in the same cluster. */
static bool
has_copy(TrackTable *table, const Tokenset *set, int64 newest)
{
	Datum values[2] = {PointerGetDatum(set), Int64GetDatum(newest)};
	bool found = false;

	TrackSelect(table, TRACK_COPY, values, take_copy, &found);
	return found;
}

/* Whether no row of the cluster has changed, and of each that has gone a copy stays. */
static bool
copies_stay(TrackTable *table, const TrackedRow *rows, int count, int64 cluster, int64 newest)
{
	for (int i = 0; i < count; i++)
	{
		if (rows[i].former != NULL && rows[i].cluster == cluster &&
			(rows[i].current != NULL || !has_copy(table, rows[i].former, newest)))
			return false;
	}
	return true;
}

/* Whether a cluster is certainly still connected. If not, that is left to a join. */
static bool
is_connected(TrackTable *table, const TrackedRow *rows, int count, int64 number, int64 newest)
{
	ClusterRows cluster = {.newest = newest};
	MemoryContext context;
	MemoryContext previous;
	bool result;

	if (copies_stay(table, rows, count, number, newest))
		return true;
	context = AllocSetContextCreate(CurrentMemoryContext, "neardup tracked cluster",
									ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(context);
	read_cluster(table, number, &cluster);
	for (int i = 0; !cluster.is_large && i < count; i++)
	{
		if (rows[i].former != NULL && rows[i].cluster == number &&
			TokensetCount(rows[i].former) > 0)
			mark_seeds(table, &cluster, rows[i].former);
	}
	result = !cluster.is_large && (cluster.count < 2 || reach_seeds(table, &cluster));
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return result;
}

/* Whether no row before this one was in the same cluster. */
static bool
is_first_of_cluster(const TrackedRow *rows, int row)
{
	for (int i = 0; i < row; i++)
	{
		if (rows[i].former != NULL && rows[i].cluster == rows[row].cluster)
			return false;
	}
	return true;
}

void
TrackSplitRows(TrackTable *table, const TrackedRow *rows, int count, int64 newest)
{
	Datum *clusters = palloc(Max(count, 1) * sizeof(Datum));
	int split = 0;

	for (int i = 0; i < count; i++)
	{
		if (rows[i].former != NULL && is_first_of_cluster(rows, i) &&
			!is_connected(table, rows, count, rows[i].cluster, newest))
			clusters[split++] = Int64GetDatum(rows[i].cluster);
	}
	if (split > 0)
		TrackSplitClusters(table,
						   PointerGetDatum(construct_array(clusters, split, INT8OID, sizeof(int64),
														   FLOAT8PASSBYVAL, TYPALIGN_DOUBLE)),
						   newest);
	pfree(clusters);
}

void
TrackSplitClusters(TrackTable *table, Datum clusters, int64 newest)
{
	char *literal = OidOutputFunctionCall(F_ARRAY_OUT, clusters);
	Datum values[4];

	values[0] = CStringGetTextDatum(
		TrackSetsQuery(table, psprintf("cluster = ANY ('%s'::bigint[])", literal)));
	values[1] = Int64GetDatum(newest);
	values[2] = Float8GetDatum(table->predicate.threshold);
	values[3] = clusters;
	TrackWrite(table, TRACK_SPLIT, values);
	SPI_freetuptable(SPI_tuptable);
	pfree(literal);
}
