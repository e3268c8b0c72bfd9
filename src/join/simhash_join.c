/*
 * simhash_join.c
 *		The set-returning functions of the join of simhashes.
 *
 * Where not all rows fit into memory, they are joined in parts (parts.h).
 *
 * There are no parallel workers: of the time that a million rows take, reading them
 * is the greater part.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/call.h"
#include "join/kernel/hamming_join.h"
#include "join/pair_store.h"
#include "join/parts.h"
#include "join/progress.h"
#include "join/reader.h"
#include "simhash/simhash.h"

PG_FUNCTION_INFO_V1(simhash_join);
PG_FUNCTION_INFO_V1(simhash_join_rs);
PG_FUNCTION_INFO_V1(simhash_join_keyed);
PG_FUNCTION_INFO_V1(simhash_join_keyed_rs);

/* What the user asked for. */
typedef struct SimhashJoinRequest
{
	const char *function;	/* by whose name progress is reported */
	const char *queries[2]; /* the second is NULL in a self-join */
	int32 distance;
	ReaderSpec reader;
} SimhashJoinRequest;

/* A join under way. */
typedef struct SimhashJoin
{
	const SimhashJoinRequest *request;
	MemoryContext context; /* holds all below; a child of the caller's */
	JoinProcess process;
	JoinInput input;
	const JoinInput *joined; /* what is being joined: the input, or a part of it */
	uint64 pair_count;
	PairStore pairs;
} SimhashJoin;

/* Arguments from the first query on: query [, query], k. */
static SimhashJoinRequest
join_request(FunctionCallInfo fcinfo, int first, bool two_sided, KeyPolicy key_policy)
{
	SimhashJoinRequest request = {.function = JoinFunctionName(fcinfo),
								  .reader = {.simhash_type = JoinSimhashType(fcinfo)}};
	int next;

	next =
		JoinQueryArguments(fcinfo, first, two_sided, key_policy, request.queries, &request.reader);
	request.distance =
		SimhashMaxDistanceOrError(DatumGetInt32(JoinArgumentOrError(fcinfo, next, "k")));
	request.distance = Min(request.distance, SIMHASH_BITS);
	return request;
}

static bool
is_self_join(const SimhashJoin *join)
{
	return join->request->queries[1] == NULL;
}

static Datum
pair_key(const SimhashJoin *join, uint32 row)
{
	return JoinKeysResult(&join->joined->keys, join->request->reader.key_policy, row);
}

/* In a self-join the lesser key comes first; the keys differ. */
static void
put_pair(void *context, uint32 x, uint32 y, int distance)
{
	SimhashJoin *join = context;

	if (is_self_join(join))
	{
		bool in_order = JoinKeysCompare(&join->joined->keys, x, y) < 0;
		uint32 lesser = in_order ? x : y;

		y = in_order ? y : x;
		x = lesser;
	}
	join->pair_count++;
	PairStorePut(&join->pairs, pair_key(join, x), pair_key(join, y), Int32GetDatum(distance));
}

/* Of values each counts as a set of one token, any two of which the size filter lets meet. */
static Predicate
join_predicate(const SimhashJoin *join)
{
	return (Predicate){.measure = MEASURE_HAMMING, .threshold = join->request->distance};
}

static void
read_queries(SimhashJoin *join)
{
	const SimhashJoinRequest *request = join->request;
	JoinInput *input = &join->input;

	JoinInputInit(input, join->context, &join->process.host);
	JoinInputTakeValues(input);
	JoinInputLimit(input, join_predicate(join), JOIN_AUTO, JoinInputMemory());
	JoinReadQuery(input, &request->reader, request->queries[0]);
	if (!is_self_join(join))
	{
		JoinInputBeginRight(input);
		JoinReadQuery(input, &request->reader, request->queries[1]);
	}
	JoinInputFinish(input);
	JoinPagesGiveBack(join->process.pages);
}

/* Joins what is in memory: its rows with each other, or those of the left with those of the right. */
static void
join_in_memory(SimhashJoin *join, JoinInput *input)
{
	uint32 first_right =
		input->records.two_sided ? input->records.first_right_row : HAMMING_ONE_SIDE;

	join->joined = input;
	if (is_self_join(join))
		JoinKeysRank(&input->keys, JoinInputSortMemory(input));
	HammingJoin(&input->values, is_self_join(join) ? input->keys.order : NULL, first_right,
				join->request->distance, put_pair, join);
}

static void
join_parts(SimhashJoin *join)
{
	JoinParts parts;

	JoinPartsBegin(&parts, &join->input, join_predicate(join), JOIN_AUTO, join->context,
				   JoinInputPartMemory(&join->input, 0));
	while (JoinPartsNext(&parts))
		join_in_memory(join, &parts.part);
}

static Datum
return_pairs(FunctionCallInfo fcinfo, SimhashJoinRequest request)
{
	SimhashJoin join = {.request = &request};

	PairStoreBegin(&join.pairs, fcinfo);
	join.context = AllocSetContextCreate(CurrentMemoryContext, "neardup simhash join",
										 ALLOCSET_START_SMALL_SIZES);
	JoinProcessInit(&join.process, join.context);
	JoinProgressBegin(join.context, request.function, &join.process.host, &join.input.row_count,
					  &join.pair_count);
	read_queries(&join);
	if (JoinInputIsSpilled(&join.input))
		join_parts(&join);
	else
	{
		JoinProgressPhase(PROGRESS_PROBING, 0);
		join_in_memory(&join, &join.input);
	}
	JoinInputFree(&join.input);
	PairStoreEnd(&join.pairs);
	MemoryContextDelete(join.context);
	return (Datum) 0;
}

Datum
simhash_join(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, false, KEYS_INTEGER));
}

Datum
simhash_join_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, true, KEYS_INTEGER));
}

Datum
simhash_join_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, false, KEYS_OF_TYPE));
}

Datum
simhash_join_keyed_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, true, KEYS_OF_TYPE));
}
