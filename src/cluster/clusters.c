/*
 * clusters.c
 *		The set-returning functions cluster_pairs.
 *
 * Connected clusters unite the two keys of each pair as it is read. The other modes, and a limit of
 * size, need the pairs in the order of their keys: they are stored until all keys are known, and then
 * sorted (key_pairs.h). Both spill beyond JoinSortMemory(), so memory grows only with the keys.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "join/call/key_pairs.h"
#include "cluster/partition.h"
#include "cluster/union_find.h"
#include "join/call/arguments.h"
#include "join/call/result_set.h"

PG_FUNCTION_INFO_V1(cluster_pairs);

typedef struct ClusterRequest
{
	const char *query;
	ClusterMode mode;
	uint32 max_size; /* PG_UINT32_MAX where there is no limit */
	KeyPolicy key_policy;
	Oid key_type; /* type of the keys, set for KEYS_OF_TYPE */
} ClusterRequest;

typedef struct Clusters
{
	const ClusterRequest *request;
	KeyPairs pairs;
	UnionFind sets; /* where pairs are united at once */
} Clusters;

static bool
unites_at_once(const ClusterRequest *request)
{
	return request->mode == CLUSTER_CONNECTED && request->max_size == PG_UINT32_MAX;
}

/* Arguments: [key type,] query, mode, max_size. */
static ClusterRequest
cluster_request(FunctionCallInfo fcinfo)
{
	ClusterRequest request = {.max_size = PG_UINT32_MAX};
	int first = JoinKeyArgument(fcinfo, &request.key_policy, &request.key_type);

	request.query = JoinTextArgumentOrError(fcinfo, first, "query");
	request.mode = ClusterModeOrError(JoinTextArgumentOrError(fcinfo, first + 1, "mode"));
	if (!PG_ARGISNULL(first + 2))
	{
		int32 max_size = PG_GETARG_INT32(first + 2);

		if (max_size < 1)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("max_size of %s must be at least 1", JoinFunctionName(fcinfo)),
							errdetail("It is %d.", max_size),
							errhint("Without a limit it is NULL, the default.")));
		request.max_size = max_size;
	}
	return request;
}

/* Gives each key that was read a set of its own, unless it has one. */
static void
add_sets(Clusters *clusters)
{
	while (clusters->sets.count < KeyPairsSide(&clusters->pairs, 0)->keys.count)
		UnionFindAdd(&clusters->sets);
}

static void
unite_pair(void *context, uint32 a, uint32 b)
{
	Clusters *clusters = context;

	add_sets(clusters);
	a = UnionFindRoot(&clusters->sets, a);
	b = UnionFindRoot(&clusters->sets, b);
	if (a != b)
		UnionFindUnite(&clusters->sets, a, b);
}

static PairSort *
sort_edges(Clusters *clusters)
{
	PairSort *sort = PairSortBegin(PAIRS_BY_ENDS, NULL, NULL);
	RankedPair pair;

	while (KeyPairsTake(&clusters->pairs, &pair))
	{
		pair = ClusterModePair(clusters->request->mode, pair.a, pair.b, 0);
		PairSortPut(sort, &pair);
	}
	PairSortPerform(sort);
	return sort;
}

static void
warn_of_bridge(const Clusters *clusters, const ClusterBridge *bridge)
{
	static const char *const smaller[] = {
		[CLUSTER_CONNECTED] = "A greater threshold, or the mode star or complete,",
		[CLUSTER_STAR] = "A greater threshold, or the mode complete,",
		[CLUSTER_COMPLETE] = "A greater threshold"};
	const PairedKeys *side = KeyPairsSide(&clusters->pairs, 0);

	ereport(
		WARNING,
		(errmsg("clusters were kept from having more than %u members", clusters->request->max_size),
		 errdetail("The pair (%s, %s) would have joined clusters of %u and %u members. "
				   "Pairs that were left out: " UINT64_FORMAT ".",
				   JoinKeyText(&side->keys, side->order.by_rank[bridge->first]),
				   JoinKeyText(&side->keys, side->order.by_rank[bridge->second]),
				   bridge->first_size, bridge->second_size, bridge->count),
		 errhint("%s makes smaller clusters.", smaller[clusters->request->mode])));
}

static void
partition_stored(Clusters *clusters, uint32 count, uint32 *cluster)
{
	const ClusterRequest *request = clusters->request;
	ClusterBridge bridge = {0};
	PairSort *sort = sort_edges(clusters);

	ClusterPartition(request->mode, request->max_size, sort, count, cluster, &bridge);
	PairSortEnd(sort);
	if (bridge.count > 0)
		warn_of_bridge(clusters, &bridge);
}

/* Returns a row for each key; cluster[rank] is the rank of the cluster's least key. */
static void
return_members(ReturnSetInfo *result, const Clusters *clusters, uint32 count, const uint32 *cluster)
{
	bool nulls[2] = {false, false};

	for (uint32 rank = 0; rank < count; rank++)
	{
		Datum values[2] = {KeyPairsKey(&clusters->pairs, 0, rank),
						   KeyPairsKey(&clusters->pairs, 0, cluster[rank])};

		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

Datum
cluster_pairs(PG_FUNCTION_ARGS)
{
	ClusterRequest request = cluster_request(fcinfo);
	Clusters clusters = {.request = &request,
						 .pairs = {.name = "query of pairs",
								   .key_policy = request.key_policy,
								   .key_type = request.key_type}};
	ReturnSetInfo *result = JoinMaterialize(fcinfo);
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup clusters", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	const KeyOrder *order;
	uint32 *cluster;

	if (unites_at_once(&request))
	{
		UnionFindInit(&clusters.sets, 0);
		clusters.pairs.take = unite_pair;
		clusters.pairs.take_context = &clusters;
	}
	KeyPairsRead(&clusters.pairs, request.query);
	order = &KeyPairsSide(&clusters.pairs, 0)->order;
	cluster = AllocateArray(order->count, sizeof(uint32));
	if (unites_at_once(&request))
	{
		add_sets(&clusters);
		UnionFindFirsts(&clusters.sets, order->by_rank, cluster);
	}
	else
		partition_stored(&clusters, order->count, cluster);
	return_members(result, &clusters, order->count, cluster);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return (Datum) 0;
}
