/*
 * near_duplicates.c
 *		The set-returning functions near_duplicates: the rows of a table that may be deleted.
 *
 * Rows of equal content are one group, whose first row enters the set join, and groups are in the order
 * of preference of their first rows (duplicate_rows.h). Pairs of groups make clusters. The least group of
 * a cluster is its survivor, and the first row of this group is the row that is kept.
 *
 * Rows of equal tokens are similar to each other and to the same other rows. So all of them are in
 * the cluster of their least row, as if each had been joined by itself:
 * connected: they are in one component, and each reaches what the least one reaches.
 * star: if a centre has claimed the least one, no lesser centre is similar to it, nor to the others,
 * and this centre claims the others too. Otherwise the least one is a centre, and claims them.
 * complete: the least one joined the first cluster whose members were all similar to it. Members
 * that came later are similar to it, being members, and so are all of them to the others. A cluster
 * with a member that is not similar to it has that member for the others too.
 * For all other rows it makes no difference whether a cluster has one row of these or several.
 *
 * Containment is the one measure that is not symmetric: of two rows, the row of the greater place
 * is to be contained in the other. The join finds both directions, and the other one is not
 * accepted.
 */
#include "postgres.h"

#include <math.h>

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "cluster/cluster_join.h"
#include "cluster/duplicate_rows.h"
#include "cluster/variants.h"
#include "cluster/templates.h"
#include "compat.h"
#include "join/call/result_set.h"

/* A cluster of so many rows, and of such a share of all, is worth a NOTICE if it is a chain. */
#define LEAST_CHAIN 10
#define LEAST_CHAIN_SHARE 0.01

PG_FUNCTION_INFO_V1(near_duplicates);

/* Sets least[survivor] to the rank of the least key of the survivor's cluster. */
static void
name_clusters(const DuplicateRows *duplicates, const uint32 *cluster, uint32 *least)
{
	const CallRows *rows = &duplicates->rows;

	memset(least, 0xFF, rows->group_count * sizeof(uint32));
	for (uint32 place = 0; place < rows->count; place++)
	{
		uint32 survivor = cluster[rows->groups[place]];

		CHECK_FOR_INTERRUPTS();
		if (duplicates->has_text[place])
			least[survivor] = Min(least[survivor], rows->order.ranks[rows->by_place[place]]);
	}
}

static void
return_rows(ReturnSetInfo *result, const DuplicateRows *duplicates, const uint32 *cluster,
			const uint32 *least, const double *similarity)
{
	const CallRows *rows = &duplicates->rows;
	Datum exact = CStringGetTextDatum("exact");
	Datum near = CStringGetTextDatum("near");

	for (uint32 place = 0; place < rows->count; place++)
	{
		uint32 group = rows->groups[place];
		uint32 survivor = cluster[group];
		uint32 kept = DuplicateRowsFirst(duplicates, survivor);
		bool nulls[5] = {false};
		Datum values[5];

		CHECK_FOR_INTERRUPTS();
		if (kept == place || !duplicates->has_text[place])
			continue;
		values[0] = CallRowsKey(rows, place);
		values[1] = CallRowsKey(rows, kept);
		values[2] = nd_float8_datum(&similarity[group]);
		nulls[2] = isnan(similarity[group]);
		values[3] = DuplicateRowsDiffer(duplicates, place, kept) ? near : exact;
		values[4] =
			JoinKeysResult(&rows->keys, rows->key_policy, rows->order.by_rank[least[survivor]]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/*
 * Says so if most rows of a large cluster are not similar to the row that is kept: they are connected
 * by others. Names the largest such cluster.
 */
static void
notice_chain(const DuplicateRows *duplicates, const uint32 *cluster, const double *similarity)
{
	const CallRows *rows = &duplicates->rows;
	uint32 count = rows->group_count;
	uint32 *members = AllocateArray(count, sizeof(uint32));	  /* by survivor */
	uint32 *strangers = AllocateArray(count, sizeof(uint32)); /* rows unlike the survivor */
	uint32 most = Max(LEAST_CHAIN, (uint32) (LEAST_CHAIN_SHARE * rows->count)) - 1;
	uint32 chain = NO_ROW;

	memset(members, 0, count * sizeof(uint32));
	memset(strangers, 0, count * sizeof(uint32));
	for (uint32 group = 0; group < count; group++)
	{
		uint32 size = CallRowsGroupSize(rows, group);

		CHECK_FOR_INTERRUPTS();
		members[cluster[group]] += size;
		strangers[cluster[group]] += isnan(similarity[group]) ? size : 0;
	}
	for (uint32 group = 0; group < count; group++)
	{
		if (members[group] <= most || strangers[group] <= members[group] / 2)
			continue;
		most = members[group];
		chain = group;
	}
	if (chain != NO_ROW)
		ereport(NOTICE,
				(errmsg("%s: of %u rows that are one cluster, %u are not similar to the row that "
						"is kept",
						duplicates->request->join.task.name, members[chain], strangers[chain]),
				 errdetail("Mode connected joins rows by chains of similar rows."),
				 errhint("With mode => 'star', each row is similar to the row that is kept.")));
	pfree(members);
	pfree(strangers);
}

/* Ends the join before the rows are returned. */
static void
return_survived(ReturnSetInfo *result, const DuplicateRows *duplicates)
{
	const CallRows *rows = &duplicates->rows;
	JoinPasses passes = {.join = rows->join, .task = &duplicates->request->join.task};
	ClusterMode mode = duplicates->request->mode;
	uint32 count = rows->group_count;
	uint32 *cluster = AllocateArray(count, sizeof(uint32));
	double *similarity = AllocateArray(count, sizeof(double));
	uint32 *least;

	ClusterJoin(&passes, mode, rows->ranks, count, cluster, similarity);
	if (mode == CLUSTER_CONNECTED)
		notice_chain(duplicates, cluster, similarity);
	SimilarityJoinEnd(rows->join);
	if (duplicates->request->is_chosen)
		TemplatesRefuse(duplicates, cluster);
	VariantsReport(duplicates, cluster);
	least = AllocateArray(count, sizeof(uint32));
	name_clusters(duplicates, cluster, least);
	return_rows(result, duplicates, cluster, least, similarity);
}

/* Finds the rows of the request that could go, and puts them into the result. */
static void
return_near_duplicates(ReturnSetInfo *result, DuplicatesRequest *request)
{
	DuplicateRows duplicates;
	SimilarityJoin join;
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup duplicates", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);

	DuplicateRowsRead(&duplicates, &join, request);
	return_survived(result, &duplicates);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
}

Datum
near_duplicates(PG_FUNCTION_ARGS)
{
	DuplicatesRequest request = DuplicatesRequestRead(fcinfo);

	return_near_duplicates(JoinMaterialize(fcinfo), &request);
	return (Datum) 0;
}
