/*
 * near_duplicates.c
 *		The set-returning functions near_duplicates: the rows of a table that may be deleted.
 *
 * One query numbers the rows in the order of preference, their places, and groups exact copies by
 * fingerprint, text and tokens. The first row of each group enters the set join with its place as
 * the key; memory holds the key and three numbers of each row. The pairs make clusters of places. The
 * least place of a cluster is its survivor, the row that is kept; a copy is in the cluster of the
 * first row of its group.
 */
#include "postgres.h"

#include <math.h>

#include "access/table.h"
#include "executor/tuptable.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/tuplestore.h"

#include "cluster/allocate.h"
#include "cluster/arguments.h"
#include "cluster/fragment.h"
#include "cluster/key_numbers.h"
#include "cluster/key_order.h"
#include "cluster/partition.h"
#include "join/functions/arguments.h"
#include "join/functions/query_join.h"
#include "join/functions/result_set.h"
#include "measure/threshold.h"
#include "text/interrupts.h"

PG_FUNCTION_INFO_V1(near_duplicates);
PG_FUNCTION_INFO_V1(near_duplicates_keyed);

/* Mean length below which q-grams are compared, not words: doc/quality.md. */
#define SHORT_TEXT_BYTES 100

/* Columns of the query. */
enum
{
	COLUMN_PLACE,
	COLUMN_TOKENS,
	COLUMN_FIRST,	   /* place of the first row with the same text and tokens */
	COLUMN_TEXT_FIRST, /* place of the first row with the same text; NULL for a NULL text */
	COLUMN_KEY,
	COLUMNS
};

/* No place: the text is NULL. */
#define NOWHERE PG_UINT32_MAX

typedef struct Request
{
	JoinRequest join;
	ClusterMode mode;
	const char *key_name;
	KeyPolicy key_policy;
	Oid key_type; /* for KEYS_OF_TYPE */
} Request;

typedef struct Row
{
	uint32 number; /* of the key */
	uint32 first;
	uint32 text_first;
} Row;

typedef struct NearDuplicates
{
	const Request *request;
	MemoryContext context;	   /* of all below */
	MemoryContext row_context; /* of comparisons of keys */
	JoinKeys keys;
	KeyNumbers *numbers;
	Row *rows; /* by place */
	Size row_capacity;
	Size place_count; /* greatest place + 1 */
	Edges *edges;
	SimilarityJoin *join; /* of the places of distinct texts */
} NearDuplicates;

static char *
fragment_argument(FunctionCallInfo fcinfo, int number, const char *relation, const char *name,
				  void (*check)(const char *fragment, const char *relation, const char *name))
{
	char *fragment;

	if (PG_ARGISNULL(number))
		return NULL;
	fragment = text_to_cstring(PG_GETARG_TEXT_PP(number));
	check(fragment, relation, name);
	return fragment;
}

static char *
identifier_argument(FunctionCallInfo fcinfo, int number, const char *name)
{
	return NameStr(*DatumGetName(ClusterArgumentOrError(fcinfo, number, name)));
}

static const char *
relation_name(Relation relation)
{
	return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
									  RelationGetRelationName(relation));
}

/* The name as SQL, which by itself would accept the relation's name as a column of rows. */
static const char *
column_or_error(Relation relation, const char *name)
{
	if (get_attnum(RelationGetRelid(relation), name) == InvalidAttrNumber)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_COLUMN),
						errmsg("column \"%s\" of relation \"%s\" does not exist", name,
							   RelationGetRelationName(relation)),
						errhint("Key and text are names of columns. "
								"What is computed can be a column of a view.")));
	return quote_identifier(name);
}

/* A line break ends each of the user's fragments, which may end in a comment. */
static char *
compose_query(const char *schema, const char *relation, const char *key, const char *body,
			  const char *tokens, const char *keep)
{
	StringInfoData query;
	const char *extension = quote_identifier(schema);

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT n.place, CASE WHEN n.body IS NOT NULL AND "
								   "n.first OPERATOR(pg_catalog.=) n.place THEN ");
	if (tokens != NULL)
		appendStringInfoString(&query, "n.tokens");
	else
		appendStringInfo(&query,
						 "CASE WHEN (SELECT pg_catalog.avg(pg_catalog.octet_length("
						 "%s::pg_catalog.text)) OPERATOR(pg_catalog.<) %d FROM %s) "
						 "THEN %s.qgram_tokens(n.body, 3) ELSE %s.word_tokens(n.body) END",
						 body, SHORT_TEXT_BYTES, relation, extension, extension);
	appendStringInfo(&query,
					 " END, n.first, CASE WHEN n.body IS NOT NULL THEN n.text_first END, n.key\n"
					 "FROM (SELECT r.place, r.key, r.body, %s, "
					 "pg_catalog.min(r.place) OVER (PARTITION BY r.mark, r.body, r.tokens) "
					 "AS first, "
					 "pg_catalog.min(r.place) OVER (PARTITION BY r.mark, r.body) AS text_first\n"
					 "FROM (SELECT pg_catalog.row_number() OVER (ORDER BY ",
					 tokens != NULL ? "r.tokens" : "NULL AS tokens");
	if (keep != NULL)
		appendStringInfo(&query, "%s\n, ", keep);
	appendStringInfo(&query,
					 "%s) OPERATOR(pg_catalog.-) 1 AS place, %s AS key, "
					 "%s::pg_catalog.text COLLATE pg_catalog.\"C\" AS body, "
					 "%s.fingerprint(%s::pg_catalog.text) AS mark, (%s\n) AS tokens\n"
					 "FROM %s) AS r) AS n",
					 key, key, body, extension, body,
					 tokens != NULL ? tokens : "NULL::pg_catalog.int8", relation);
	return query.data;
}

/* Arguments: rel, key, text, threshold, tokens, keep, mode. */
static Request
request_of_arguments(FunctionCallInfo fcinfo, int first, KeyPolicy key_policy)
{
	Request request = {.key_policy = key_policy};
	JoinRequest *join = &request.join;
	Oid oid = DatumGetObjectId(ClusterArgumentOrError(fcinfo, first, "rel"));
	const char *body = identifier_argument(fcinfo, first + 2, "text");
	const char *schema = get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid));
	Relation relation;
	const char *name;

	request.key_name = identifier_argument(fcinfo, first + 1, "key");
	request.mode = ClusterModeOrError(ClusterTextArgumentOrError(fcinfo, first + 6, "mode"));
	if (key_policy == KEYS_OF_TYPE)
		request.key_type = JoinKeyTypeOrError(fcinfo);

	join->task.name = JoinFunctionName(fcinfo);
	join->task.distinct_keys = true;
	join->task.may_share = true;
	join->task.predicate = PredicateOrError(
		MEASURE_JACCARD, DatumGetFloat8(ClusterArgumentOrError(fcinfo, first + 3, "threshold")));
	join->task.algorithm = JOIN_AUTO;
	join->reader.key_policy = KEYS_INTEGER;
	join->reader.keys_are_compared = true;
	join->reader.tokenset_type = JoinTypeOfExtension(fcinfo, "tokenset");
	relation = ClusterRelationOrError(oid);
	name = relation_name(relation);
	join->queries[0] = compose_query(
		schema, name, column_or_error(relation, request.key_name), column_or_error(relation, body),
		fragment_argument(fcinfo, first + 4, name, "tokens", ExpressionOrError),
		fragment_argument(fcinfo, first + 5, name, "keep", OrderByListOrError));
	table_close(relation, NoLock);
	return request;
}

static void
begin_rows(void *context, TupleDesc columns)
{
	NearDuplicates *duplicates = context;
	const Request *request = duplicates->request;
	Form_pg_attribute key = TupleDescAttr(columns, COLUMN_KEY);
	MemoryContext key_context = AllocSetContextCreate(duplicates->context, "neardup duplicate keys",
													  ALLOCSET_DEFAULT_SIZES);

	JoinKeysInit(&duplicates->keys, key_context, NULL,
				 JoinKeyColumnType(key, request->key_policy, request->key_type), key->attcollation,
				 true);
	duplicates->numbers = KeyNumbersCreate(&duplicates->keys);
}

/* unique_violation where another row has the key. */
static uint32
number_of_key(NearDuplicates *duplicates, Datum key, bool isnull)
{
	const char *name = duplicates->request->key_name;
	MemoryContext previous;
	uint32 number;
	bool is_new;

	if (isnull)
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("key column \"%s\" contains null values", name),
						errdetail("Each row must have a key, by which it can be told.")));
	previous = MemoryContextSwitchTo(duplicates->row_context);
	number = KeyNumbersOf(duplicates->numbers, key, &is_new);
	if (!is_new)
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION), errmsg("key column \"%s\" is not unique", name),
				 errdetail("Key (%s)=(%s) occurs more than once.", name,
						   JoinKeyText(&duplicates->keys, number))));
	MemoryContextSwitchTo(previous);
	MemoryContextReset(duplicates->row_context);
	return number;
}

static void
note_row(void *context, TupleTableSlot *row)
{
	NearDuplicates *duplicates = context;
	Size place = DatumGetInt64(row->tts_values[COLUMN_PLACE]);

	if (place >= duplicates->row_capacity)
	{
		duplicates->row_capacity = Max(duplicates->row_capacity * 2, place + 1);
		duplicates->rows =
			repalloc_huge(duplicates->rows, mul_size(duplicates->row_capacity, sizeof(Row)));
	}
	duplicates->place_count = Max(duplicates->place_count, place + 1);
	duplicates->rows[place].number =
		number_of_key(duplicates, row->tts_values[COLUMN_KEY], row->tts_isnull[COLUMN_KEY]);
	duplicates->rows[place].first = (uint32) DatumGetInt64(row->tts_values[COLUMN_FIRST]);
	duplicates->rows[place].text_first =
		row->tts_isnull[COLUMN_TEXT_FIRST]
			? NOWHERE
			: (uint32) DatumGetInt64(row->tts_values[COLUMN_TEXT_FIRST]);
}

/* pair->a is the lesser place. */
static uint64
take_pair(void *context, const FoundPair *pair)
{
	NearDuplicates *duplicates = context;
	const JoinKeys *places = &duplicates->join->part->keys;
	uint32 lesser = (uint32) JoinKeysInt64(places, pair->a);
	uint32 greater = (uint32) JoinKeysInt64(places, pair->b);

	CHECK_FOR_INTERRUPTS();
	if (ClusterModeSortsByGreater(duplicates->request->mode))
		EdgesPut(duplicates->edges, greater, lesser, pair->value);
	else
		EdgesPut(duplicates->edges, lesser, greater, pair->value);
	return 1;
}

/* similarity[v]: with the survivor of its cluster; NaN where they are no pair. */
static void
find_similarities(Edges *edges, uint32 count, const uint32 *cluster, double *similarity)
{
	uint32 a;
	uint32 b;
	double value;

	for (uint32 v = 0; v < count; v++)
	{
		CHECK_NOW_AND_THEN(v);
		similarity[v] = cluster[v] == v ? 1 : NAN;
	}
	EdgesRewind(edges);
	while (EdgesNext(edges, &a, &b, &value))
	{
		if (cluster[a] == b)
			similarity[a] = value;
		else if (cluster[b] == a)
			similarity[b] = value;
	}
}

/* least[survivor]: the rank of the least key of the cluster. */
static void
name_clusters(const NearDuplicates *duplicates, const KeyOrder *order, const uint32 *cluster,
			  uint32 *least)
{
	for (uint32 place = 0; place < order->count; place++)
	{
		CHECK_NOW_AND_THEN(place);
		least[place] = PG_UINT32_MAX;
	}
	for (uint32 place = 0; place < order->count; place++)
	{
		const Row *row = &duplicates->rows[place];
		uint32 survivor = cluster[row->first];

		CHECK_NOW_AND_THEN(place);
		if (row->text_first != NOWHERE)
			least[survivor] = Min(least[survivor], order->ranks[row->number]);
	}
}

static void
return_rows(ReturnSetInfo *result, const NearDuplicates *duplicates, const KeyOrder *order,
			const uint32 *cluster, const uint32 *least, const double *similarity)
{
	const JoinKeys *keys = &duplicates->keys;
	KeyPolicy policy = duplicates->request->key_policy;
	Datum exact = CStringGetTextDatum("exact");
	Datum near = CStringGetTextDatum("near");

	for (uint32 place = 0; place < order->count; place++)
	{
		const Row *row = &duplicates->rows[place];
		uint32 survivor = cluster[row->first];
		const Row *kept = &duplicates->rows[survivor];
		bool nulls[5] = {false};
		Datum values[5];

		CHECK_FOR_INTERRUPTS();
		if (survivor == place || row->text_first == NOWHERE)
			continue;
		values[0] = JoinKeysResult(keys, policy, row->number);
		values[1] = JoinKeysResult(keys, policy, kept->number);
		values[2] = Float8GetDatum(similarity[row->first]);
		nulls[2] = isnan(similarity[row->first]);
		values[3] = row->text_first == kept->text_first ? exact : near;
		values[4] = JoinKeysResult(keys, policy, order->by_rank[least[survivor]]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

static void
return_clusters(ReturnSetInfo *result, NearDuplicates *duplicates)
{
	uint32 count = duplicates->keys.count;
	uint32 *cluster = ClusterAllocate(count, sizeof(uint32));
	uint32 *least = ClusterAllocate(count, sizeof(uint32));
	double *similarity = ClusterAllocate(count, sizeof(double));
	ClusterBridge bridge = {0};
	KeyOrder order;

	EdgesSort(duplicates->edges);
	ClusterPartition(duplicates->request->mode, PG_UINT32_MAX, duplicates->edges, count, cluster,
					 &bridge);
	find_similarities(duplicates->edges, count, cluster, similarity);
	EdgesEnd(duplicates->edges);
	KeyOrderInit(&order, &duplicates->keys);
	name_clusters(duplicates, &order, cluster, least);
	return_rows(result, duplicates, &order, cluster, least, similarity);
}

static Datum
return_duplicates(FunctionCallInfo fcinfo, Request request)
{
	NearDuplicates duplicates = {.request = &request, .row_capacity = 1024};
	RowObserver observer = {.further_columns = COLUMNS - 2,
							.context = &duplicates,
							.begin = begin_rows,
							.row = note_row};
	SimilarityJoin join;
	MemoryContext previous;

	(void) JoinMaterialize(fcinfo);
	request.join.reader.observer = &observer;
	duplicates.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup duplicates", ALLOCSET_DEFAULT_SIZES);
	duplicates.row_context =
		AllocSetContextCreate(duplicates.context, "neardup row key", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(duplicates.context);
	duplicates.rows = palloc(duplicates.row_capacity * sizeof(Row));
	duplicates.join = &join;
	QueryJoinBegin(&join, &request.join);
	KeyNumbersFree(duplicates.numbers);
	if (duplicates.place_count != duplicates.keys.count)
		elog(ERROR, "near_duplicates lost rows of its query");
	duplicates.edges = EdgesBegin();
	QueryJoinPairs(&join, request.join.task.predicate, take_pair, &duplicates);
	SimilarityJoinEnd(&join);
	return_clusters((ReturnSetInfo *) fcinfo->resultinfo, &duplicates);
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(duplicates.context);
	return (Datum) 0;
}

Datum
near_duplicates(PG_FUNCTION_ARGS)
{
	return return_duplicates(fcinfo, request_of_arguments(fcinfo, 0, KEYS_INTEGER));
}

Datum
near_duplicates_keyed(PG_FUNCTION_ARGS)
{
	return return_duplicates(fcinfo, request_of_arguments(fcinfo, 1, KEYS_OF_TYPE));
}
