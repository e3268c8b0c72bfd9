/*
 * clusters.c
 *		The set-returning functions cluster_pairs.
 *
 * Keys get numbers as they occur, and connected clusters unite the numbers of each pair at once. The
 * other modes, and a limit of size, need the pairs in the order of their keys: pairs wait in a
 * tuplestore until all keys are known, and are then sorted. Both spill beyond work_mem, so memory
 * grows only with the keys.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"

#include "allocate.h"
#include "join/rows/key_numbers.h"
#include "join/rows/key_order.h"
#include "cluster/pair.h"
#include "cluster/partition.h"
#include "cluster/union_find.h"
#include "compat.h"
#include "join/results/arguments.h"
#include "join/results/result_set.h"
#include "join/rows/query.h"
#include "text/interrupts.h"

PG_FUNCTION_INFO_V1(cluster_pairs);
PG_FUNCTION_INFO_V1(cluster_pairs_keyed);

#define QUERY "query of pairs"

typedef struct ClusterRequest
{
	const char *query;
	ClusterMode mode;
	uint32 max_size; /* PG_UINT32_MAX where there is no limit */
	KeyPolicy key_policy;
	Oid key_type; /* for KEYS_OF_TYPE */
} ClusterRequest;

typedef struct Clusters
{
	DestReceiver dest; /* must be first */
	const ClusterRequest *request;
	MemoryContext context;	   /* of all below */
	MemoryContext row_context; /* of comparisons of keys */
	MemoryContext key_context;
	Oid column_types[2];
	JoinKeys keys;
	KeyNumbers *numbers;
	UnionFind sets; /* where pairs are united at once, else: */
	Tuplestorestate *pairs;
	TupleTableSlot *pair_slot;
} Clusters;

static bool
unites_at_once(const ClusterRequest *request)
{
	return request->mode == CLUSTER_CONNECTED && request->max_size == PG_UINT32_MAX;
}

/* Arguments: query, mode, max_size. */
static ClusterRequest
cluster_request(FunctionCallInfo fcinfo, int first, KeyPolicy key_policy)
{
	ClusterRequest request = {.max_size = PG_UINT32_MAX, .key_policy = key_policy};

	request.query = JoinTextArgumentOrError(fcinfo, first, "query");
	request.mode = ClusterModeOrError(JoinTextArgumentOrError(fcinfo, first + 1, "mode"));
	if (!PG_ARGISNULL(first + 2))
	{
		int32 max_size = PG_GETARG_INT32(first + 2);

		if (max_size < 1)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("maximum size of a cluster must be at least 1"),
							errdetail("The size is %d.", max_size), errhint("NULL is no limit.")));
		request.max_size = max_size;
	}
	if (key_policy == KEYS_OF_TYPE)
		request.key_type = JoinKeyTypeOrError(fcinfo);
	return request;
}

static void
receiver_startup(DestReceiver *self, int operation, TupleDesc columns)
{
	Clusters *clusters = (Clusters *) self;
	const ClusterRequest *request = clusters->request;

	if (columns->natts < 2)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg(QUERY " must return two columns, the keys of a pair"),
				 errdetail_plural("The query returns %d column.", "The query returns %d columns.",
								  columns->natts, columns->natts)));
	for (int i = 0; i < 2; i++)
		clusters->column_types[i] =
			JoinKeyColumnType(TupleDescAttr(columns, i), request->key_policy, request->key_type);
	JoinKeysInit(&clusters->keys, clusters->key_context, NULL, clusters->column_types[0],
				 TupleDescAttr(columns, 0)->attcollation, true);
	clusters->numbers = KeyNumbersCreate(&clusters->keys);
}

static uint32
number_of_key(Clusters *clusters, int column, Datum key)
{
	bool is_new;
	uint32 number;

	/* Integer types may differ between the columns. */
	clusters->keys.type = clusters->column_types[column];
	number = KeyNumbersOf(clusters->numbers, key, &is_new);
	if (is_new && unites_at_once(clusters->request))
		UnionFindAdd(&clusters->sets);
	return number;
}

static void
store_pair(Clusters *clusters, uint32 a, uint32 b)
{
	ExecClearTuple(clusters->pair_slot);
	clusters->pair_slot->tts_values[0] = Int64GetDatum(PairPack(a, b));
	clusters->pair_slot->tts_isnull[0] = false;
	ExecStoreVirtualTuple(clusters->pair_slot);
	tuplestore_puttupleslot(clusters->pairs, clusters->pair_slot);
}

static bool
receiver_receive(TupleTableSlot *slot, DestReceiver *self)
{
	Clusters *clusters = (Clusters *) self;
	MemoryContext previous;
	uint32 a;
	uint32 b;

	slot_getsomeattrs(slot, 2);
	if (slot->tts_isnull[0] || slot->tts_isnull[1])
		return true;
	previous = MemoryContextSwitchTo(clusters->row_context);
	a = number_of_key(clusters, 0, slot->tts_values[0]);
	b = number_of_key(clusters, 1, slot->tts_values[1]);
	MemoryContextSwitchTo(previous);
	MemoryContextReset(clusters->row_context);
	if (a == b)
		return true;
	if (!unites_at_once(clusters->request))
		store_pair(clusters, a, b);
	else
	{
		a = UnionFindRoot(&clusters->sets, a);
		b = UnionFindRoot(&clusters->sets, b);
		if (a != b)
			UnionFindUnite(&clusters->sets, a, b);
	}
	return true;
}

static void
receiver_nothing(DestReceiver *self)
{
}

static void
begin_pairs(Clusters *clusters)
{
	TupleDesc descriptor = CreateTemplateTupleDesc(1);

	TupleDescInitEntry(descriptor, 1, "pair", INT8OID, -1, 0);
	nd_finish_tuple_desc(descriptor);
	clusters->pair_slot = MakeSingleTupleTableSlot(descriptor, &TTSOpsVirtual);
	clusters->pairs = tuplestore_begin_heap(false, false, JoinStoreMemory());
}

static Edges *
sort_pairs(Clusters *clusters, const uint32 *ranks)
{
	bool by_greater = ClusterModeSortsByGreater(clusters->request->mode);
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(clusters->pair_slot->tts_tupleDescriptor, &TTSOpsMinimalTuple);
	Edges *edges = EdgesBegin();

	while (tuplestore_gettupleslot(clusters->pairs, true, false, slot))
	{
		bool isnull;
		int64 pair = DatumGetInt64(slot_getattr(slot, 1, &isnull));
		uint32 a = ranks[PairFirst(pair)];
		uint32 b = ranks[PairSecond(pair)];

		CHECK_FOR_INTERRUPTS();
		EdgesPut(edges, by_greater ? Max(a, b) : Min(a, b), by_greater ? Min(a, b) : Max(a, b), 0);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_end(clusters->pairs);
	EdgesSort(edges);
	return edges;
}

static void
warn_of_bridge(const Clusters *clusters, const ClusterBridge *bridge, const KeyOrder *order)
{
	ereport(
		WARNING,
		(errmsg("clusters were kept from having more than %u members", clusters->request->max_size),
		 errdetail("The pair (%s, %s) would have joined clusters of %u and %u members. "
				   "Pairs that were left out: " UINT64_FORMAT ".",
				   JoinKeyText(&clusters->keys, order->by_rank[bridge->first]),
				   JoinKeyText(&clusters->keys, order->by_rank[bridge->second]), bridge->first_size,
				   bridge->second_size, bridge->count),
		 errhint("A greater threshold, or the mode star or complete, makes smaller clusters.")));
}

static void
partition_stored(Clusters *clusters, const KeyOrder *order, uint32 *cluster)
{
	const ClusterRequest *request = clusters->request;
	ClusterBridge bridge = {0};
	Edges *edges = sort_pairs(clusters, order->ranks);

	ClusterPartition(request->mode, request->max_size, edges, order->count, cluster, &bridge);
	EdgesEnd(edges);
	if (bridge.count > 0)
		warn_of_bridge(clusters, &bridge, order);
}

/* cluster[rank] is the rank of the cluster's least key. */
static void
return_members(ReturnSetInfo *result, const Clusters *clusters, const KeyOrder *order,
			   const uint32 *cluster)
{
	KeyPolicy policy = clusters->request->key_policy;
	bool nulls[2] = {false, false};

	for (uint32 rank = 0; rank < order->count; rank++)
	{
		Datum values[2] = {JoinKeysResult(&clusters->keys, policy, order->by_rank[rank]),
						   JoinKeysResult(&clusters->keys, policy, order->by_rank[cluster[rank]])};

		CHECK_FOR_INTERRUPTS();
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

static Datum
return_clusters(FunctionCallInfo fcinfo, ClusterRequest request)
{
	Clusters clusters = {.request = &request};
	KeyOrder order;
	MemoryContext previous;
	uint32 *cluster;

	(void) JoinMaterialize(fcinfo);
	clusters.dest.receiveSlot = receiver_receive;
	clusters.dest.rStartup = receiver_startup;
	clusters.dest.rShutdown = receiver_nothing;
	clusters.dest.rDestroy = receiver_nothing;
	clusters.dest.mydest = DestTuplestore;
	clusters.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup clusters", ALLOCSET_DEFAULT_SIZES);
	clusters.key_context =
		AllocSetContextCreate(clusters.context, "neardup cluster keys", ALLOCSET_DEFAULT_SIZES);
	clusters.row_context =
		AllocSetContextCreate(clusters.context, "neardup pair", ALLOCSET_DEFAULT_SIZES);

	previous = MemoryContextSwitchTo(clusters.context);
	if (unites_at_once(&request))
		UnionFindInit(&clusters.sets, 0);
	else
		begin_pairs(&clusters);
	JoinRunQuery(QUERY, request.query, &clusters.dest);
	KeyNumbersFree(clusters.numbers);
	/* The wider of the two columns' types. */
	if (request.key_policy == KEYS_INTEGER)
		clusters.keys.type = INT8OID;
	KeyOrderInit(&order, &clusters.keys);
	cluster = AllocateArray(order.count, sizeof(uint32));
	if (unites_at_once(&request))
		UnionFindFirsts(&clusters.sets, order.by_rank, cluster);
	else
		partition_stored(&clusters, &order, cluster);
	return_members((ReturnSetInfo *) fcinfo->resultinfo, &clusters, &order, cluster);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(clusters.context);
	return (Datum) 0;
}

Datum
cluster_pairs(PG_FUNCTION_ARGS)
{
	return return_clusters(fcinfo, cluster_request(fcinfo, 0, KEYS_INTEGER));
}

Datum
cluster_pairs_keyed(PG_FUNCTION_ARGS)
{
	return return_clusters(fcinfo, cluster_request(fcinfo, 1, KEYS_OF_TYPE));
}
