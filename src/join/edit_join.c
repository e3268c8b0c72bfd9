/*
 * edit_join.c
 *		The set-returning functions of the join by edit distance.
 *
 * The characters of all texts are read first, since their lengths decide on
 * the length of the q-grams. Then the join of sets, over the q-grams, finds the
 * pairs that may be within the distance, and each is verified.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/call.h"
#include "join/kernel/edit_join.h"
#include "join/kernel/engine.h"
#include "join/pair_store.h"
#include "join/progress.h"
#include "join/reader.h"

PG_FUNCTION_INFO_V1(edit_join);
PG_FUNCTION_INFO_V1(edit_join_rs);
PG_FUNCTION_INFO_V1(edit_join_keyed);
PG_FUNCTION_INFO_V1(edit_join_keyed_rs);

/* What the user asked for. */
typedef struct EditJoinRequest
{
	const char *function;	/* by whose name progress is reported */
	const char *queries[2]; /* the second is NULL in a self-join */
	uint32 max_distance;
	ReaderSpec reader;
} EditJoinRequest;

/* A join under way. */
typedef struct EditJoin
{
	const EditJoinRequest *request;
	MemoryContext context; /* holds all below; a child of the caller's */
	JoinProcess process;
	JoinInput input;
	EditVerifier verifier;
	uint64 pair_count;
	PairStore pairs;
} EditJoin;

static uint32
distance_argument(FunctionCallInfo fcinfo, int number)
{
	int32 distance = DatumGetInt32(JoinArgumentOrError(fcinfo, number, "max_distance"));

	if (distance < 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("maximum edit distance must not be negative"),
						errdetail("The distance is %d.", distance),
						errhint("A distance of 0 finds equal texts.")));
	return distance;
}

/* Arguments from the first query on: query [, query], max_distance. */
static EditJoinRequest
join_request(FunctionCallInfo fcinfo, int first, bool two_sided, KeyPolicy key_policy)
{
	EditJoinRequest request = {.function = JoinFunctionName(fcinfo),
							   .reader = {.reads_texts = true}};
	int next;

	next =
		JoinQueryArguments(fcinfo, first, two_sided, key_policy, request.queries, &request.reader);
	request.max_distance = distance_argument(fcinfo, next);
	return request;
}

static void
read_texts(EditJoin *join)
{
	const EditJoinRequest *request = join->request;

	JoinInputInit(&join->input, join->context, &join->process.host);
	EditTextsInit(&join->input.texts, &join->process.host);
	JoinReadQuery(&join->input, &request->reader, request->queries[0]);
	if (request->queries[1] != NULL)
	{
		JoinInputBeginRight(&join->input);
		JoinReadQuery(&join->input, &request->reader, request->queries[1]);
	}
	else
		JoinKeysRank(&join->input.keys, work_mem);
}

static Datum
pair_key(const EditJoin *join, uint32 row)
{
	return JoinKeysResult(&join->input.keys, join->request->reader.key_policy, row);
}

/* A self-join pairs rows of different keys only, the lesser key first. */
static void
verify_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	EditJoin *join = context;
	int order = 0;
	uint32 distance;

	if (join->request->queries[1] == NULL)
	{
		order = JoinKeysCompare(&join->input.keys, x->row, y->row);
		if (order == 0)
			return;
	}
	distance = EditVerifierDistance(&join->verifier, x, y);
	if (distance > join->request->max_distance)
		return;
	join->pair_count++;
	CHECK_FOR_INTERRUPTS();
	PairStorePut(&join->pairs, pair_key(join, order > 0 ? y->row : x->row),
				 pair_key(join, order > 0 ? x->row : y->row), Int32GetDatum((int32) distance));
}

static void
join_texts(EditJoin *join)
{
	uint32 max_distance = join->request->max_distance;
	uint32 gram_length = EditGramLength(&join->input.texts, max_distance);
	JoinRecords *records = &join->input.records;
	JoinEngine engine;
	JoinCounters counters = {0};

	JoinProgressPhase(PROGRESS_CANONICALIZING, 0);
	if (!EditJoinRecords(records, &join->input.texts, gram_length))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large"),
				 errdetail("A join holds at most %u distinct grams of %u characters.",
						   DICTIONARY_MAX_TOKENS, gram_length)));
	JoinRecordsCanonicalize(records);
	JoinProgressPhase(PROGRESS_INDEXING, 0);
	JoinEngineIndex(&engine, records, EditJoinPredicate(max_distance, gram_length), JOIN_AUTO);
	JoinProgressPhase(PROGRESS_PROBING, 0);
	EditVerifierInit(&join->verifier, &join->input.texts, max_distance);
	JoinEngineProbe(&engine, verify_pair, join, &counters);
}

static Datum
return_pairs(FunctionCallInfo fcinfo, EditJoinRequest request)
{
	EditJoin join = {.request = &request};

	PairStoreBegin(&join.pairs, fcinfo);
	join.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup edit join", ALLOCSET_DEFAULT_SIZES);
	JoinProcessInit(&join.process, join.context);
	JoinProgressBegin(join.context, request.function, &join.process.host, &join.input.row_count,
					  &join.pair_count);
	read_texts(&join);
	join_texts(&join);
	PairStoreEnd(&join.pairs);
	MemoryContextDelete(join.context);
	return (Datum) 0;
}

Datum
edit_join(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, false, KEYS_INTEGER));
}

Datum
edit_join_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 0, true, KEYS_INTEGER));
}

Datum
edit_join_keyed(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, false, KEYS_OF_TYPE));
}

Datum
edit_join_keyed_rs(PG_FUNCTION_ARGS)
{
	return return_pairs(fcinfo, join_request(fcinfo, 1, true, KEYS_OF_TYPE));
}
