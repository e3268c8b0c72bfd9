/*
 * near_duplicates.c
 *		The set-returning functions near_duplicates: the rows of a table that may be deleted.
 *
 * One query gives the rows, with their texts, which are not kept: only hashes tell exact copies.
 * The first row of each content, which is the tokens alone where that can be, enters the set join.
 * A row's place is its rank in the order of preference, that of the query or else that of the keys.
 * Pairs, of the least places of equal contents, make clusters. The least place of a cluster is its
 * survivor, the row that is kept. A row is in the cluster of the least row of its content.
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
 * With `within`, rows that may be duplicates of each other have the same scope. The scope is part of
 * the content, and the tokens are combined with it, so that the join does not even meet rows of
 * different scopes, but for accidents; such pairs are not accepted. Within a scope, sets have the
 * overlaps that they had. The scopes are mixed with a secret, so that nobody can make tokens that
 * meet those of another scope.
 *
 * A row that occurs in `except_pairs` is a row of the join by itself, whatever its content. Rows
 * without tokens then have the hash of their text for a token, so that the join finds their copies.
 *
 * Containment is the one measure that is not symmetric: of two rows, that of the greater place is to
 * be contained in the other. The join finds both directions, and the other one is not accepted.
 */
#include "postgres.h"

#include "storage/shmem.h"

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

#include "compat.h"
#include "allocate.h"
#include "cluster/above_chance.h"
#include "cluster/connected_join.h"
#include "cluster/except_pairs.h"
#include "cluster/default_tokens.h"
#include "cluster/fragment.h"
#include "join/rows/copies.h"
#include "join/rows/key_order.h"
#include "cluster/partition.h"
#include "cluster/star_join.h"
#include "join/results/arguments.h"
#include "join/query_join.h"
#include "join/rows/kinds/weighted_set_rows.h"
#include "join/results/result_set.h"
#include "measure/threshold.h"
#include "text/interrupts.h"

PG_FUNCTION_INFO_V1(near_duplicates);
PG_FUNCTION_INFO_V1(near_duplicates_keyed);

/* The query that this file makes has these columns, in this order. */
enum
{
	COLUMN_PLACE,  /* if there is an order of preference, else 0 */
	COLUMN_TOKENS, /* NULL if the text is */
	COLUMN_TEXT,
	COLUMN_KEY,
	COLUMN_SCOPE, /* if rows are compared within scopes, else 0 */
	COLUMNS
};

#define MOST_ROWS PG_INT32_MAX

typedef struct Request
{
	JoinRequest join;
	ClusterMode mode;
	const char *key_name;
	bool is_ordered; /* by an order of preference */
	bool is_by_size; /* ordered by the number of tokens, the largest first */
	bool has_scopes;
	const char *except_pairs; /* a query, or NULL */
	bool has_tokens;		  /* an expression of them */
	KeyPolicy key_policy;
	Oid key_type; /* for KEYS_OF_TYPE */
} Request;

/* While rows are read first rows are those that came first, afterwards those of the least place. */
typedef struct Row
{
	uint32 number; /* among the rows that were read, and their keys */
	uint32 first;  /* row with the same content */
	uint32 place;  /* by the order of preference or of sizes, else 0 */
	bool has_text;
	CopyHash text; /* equal for equal texts only */
} Row;

typedef struct NearDuplicates
{
	const Request *request;
	MemoryContext context;	   /* of all below */
	MemoryContext row_context; /* of one row */
	JoinKeys keys;
	Copies *contents; /* ContentHead and tokens */
	Row *rows;		  /* by number, then by place */
	Size row_capacity;
	Size row_count;
	uint32 *sizes; /* by number, of the tokens; NULL unless rows are ordered by them */
	Size size_capacity;
	uint32 *scopes; /* by number; NULL if all rows have the same */
	Size scope_capacity;
	uint64 secret; /* of the groups */
	uint64 group;  /* of the scope of the row that was noted last */
	ExceptPairs *except;
	uint32 *excepted; /* by number, the number in `except`; NULL without them */
	Size excepted_capacity;
	uint32 *places; /* by number, of the least row with the same content */
	KeyOrder order;
	PairSort *pairs;	  /* of places; only in complete */
	SimilarityJoin *join; /* of the numbers of first rows */
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
	return NameStr(*DatumGetName(JoinArgumentOrError(fcinfo, number, name)));
}

static const char *
relation_name(Relation relation)
{
	return quote_qualified_identifier(get_namespace_name(RelationGetNamespace(relation)),
									  RelationGetRelationName(relation));
}

/*
 * Returns the name of a column as SQL. SQL by itself would accept the relation's name, too, as a
 * column of whole rows.
 */
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

/*
 * Returns the query of the rows. A line break ends each of the user's fragments, which may end in a
 * comment.
 */
static char *
compose_query(const char *relation, const char *key, const char *body, const char *tokens,
			  const char *keep, const char *within)
{
	StringInfoData query;

	initStringInfo(&query);
	if (keep != NULL)
		appendStringInfo(&query,
						 "SELECT pg_catalog.row_number() OVER (ORDER BY %s\n, %s) "
						 "OPERATOR(pg_catalog.-) 1",
						 keep, key);
	else
		appendStringInfoString(&query, "SELECT 0::pg_catalog.int8");
	appendStringInfo(&query, ", CASE WHEN %s IS NOT NULL THEN (%s\n)", body, tokens);
	appendStringInfo(&query, " END, %s::pg_catalog.text, %s, ", body, key);
	if (within != NULL)
		appendStringInfo(&query,
						 "pg_catalog.dense_rank() OVER (ORDER BY %s\n) "
						 "OPERATOR(pg_catalog.-) 1",
						 within);
	else
		appendStringInfoString(&query, "0::pg_catalog.int8");
	appendStringInfo(&query, " FROM %s", relation);
	return query.data;
}

/* Accepts the measures that are 1 for copies; star alone has an order in which rows are compared. */
static Measure
measure_or_error(const char *name, ClusterMode mode)
{
	Measure measure = MeasureOrError(name);

	if (measure == MEASURE_OVERLAP || measure == MEASURE_HAMMING)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("near-duplicates cannot be told by measure %s", name),
						errhint("The measures are jaccard, cosine, dice, containment, idf_jaccard "
								"and idf_cosine.")));
	if (MeasureIsAsymmetric(measure) && mode != CLUSTER_STAR)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("measure %s needs mode star", name),
				 errdetail("A row is contained in one that stays.")));
	return measure;
}

/*
 * Refuses, with an argument that leaves out pairs, a threshold that is chosen by counts of all pairs
 * and weights that are counted in rows of the join.
 */
static void
refuse_chosen_or_weighted(const char *argument, Measure measure, bool is_chosen)
{
	if (is_chosen)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("threshold must not be null where \"%s\" is given", argument),
						errhint("Give a threshold, such as the one that a call without \"%s\" "
								"chooses.",
								argument)));
	if (MeasureIsWeighted(measure))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("measure %s must not be given with \"%s\"", MeasureName(measure), argument),
				 errhint("The measures are jaccard, cosine and dice.")));
}

/* Sets the measure and the threshold of the join, and returns the tokens, an SQL expression. */
static const char *
choose_similarity(JoinRequest *join, const char *relation, const char *body, const char *tokens)
{
	AboveChance chosen = AboveChanceChoose(join, relation, body, tokens);

	join->task.predicate = PredicateOrError(chosen.measure, chosen.threshold);
	ereport(NOTICE, (errmsg("%s compares %s by %s, from %g on", join->task.name, chosen.tokens,
							MeasureName(chosen.measure), chosen.threshold),
					 errdetail("Of %.0f such pairs of different sets, %.0f are above chance.",
							   chosen.pairs, chosen.above)));
	return chosen.tokens;
}

/*
 * Arguments: rel, key, text, threshold or NULL, tokens, keep, mode, measure, within, except_pairs.
 */
static Request
request_of_arguments(FunctionCallInfo fcinfo, int first, KeyPolicy key_policy)
{
	Request request = {.key_policy = key_policy};
	JoinRequest *join = &request.join;
	Oid oid = DatumGetObjectId(JoinArgumentOrError(fcinfo, first, "rel"));
	const char *body = identifier_argument(fcinfo, first + 2, "text");
	Relation relation;
	const char *name;
	const char *key;
	const char *tokens;
	const char *keep;
	const char *within;
	const char *measure = JoinTextArgumentOrError(fcinfo, first + 7, "measure");

	request.key_name = identifier_argument(fcinfo, first + 1, "key");
	request.mode = ClusterModeOrError(JoinTextArgumentOrError(fcinfo, first + 6, "mode"));
	if (key_policy == KEYS_OF_TYPE)
		request.key_type = JoinKeyTypeOrError(fcinfo);

	join->task.name = JoinFunctionName(fcinfo);
	join->task.distinct_keys = true;
	join->task.may_share = true;
	join->task.predicate =
		PredicateOrError(measure_or_error(measure, request.mode),
						 PG_ARGISNULL(first + 3) ? 1 : PG_GETARG_FLOAT8(first + 3));
	join->task.algorithm = JOIN_AUTO;
	join->reader.function = join->task.name;
	join->reader.key_policy = KEYS_INTEGER;
	join->reader.keys_are_compared = true;
	join->reader.schema = JoinSchema(fcinfo);
	relation = JoinRelationOrError(oid);
	name = relation_name(relation);
	key = column_or_error(relation, request.key_name);
	body = column_or_error(relation, body);
	tokens = fragment_argument(fcinfo, first + 4, name, "tokens", ExpressionOrError);
	keep = fragment_argument(fcinfo, first + 5, name, "keep", OrderByListOrError);
	within = fragment_argument(fcinfo, first + 8, name, "within", ExpressionListOrError);
	if (MeasureIsAsymmetric(join->task.predicate.measure) && PG_ARGISNULL(first + 3))
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("threshold of measure %s must not be null", measure)));
	if (within != NULL)
		refuse_chosen_or_weighted("within", join->task.predicate.measure, PG_ARGISNULL(first + 3));
	if (!PG_ARGISNULL(first + 9))
		refuse_chosen_or_weighted("except_pairs", join->task.predicate.measure,
								  PG_ARGISNULL(first + 3));
	if (PG_ARGISNULL(first + 3))
		tokens = choose_similarity(join, name, body, tokens);
	join->task.kind = SetRowsOf(join->task.predicate.measure);
	request.has_tokens = tokens != NULL;
	if (tokens == NULL)
		tokens = DefaultTokens(join, name, body);
	request.is_ordered = keep != NULL;
	request.is_by_size = keep == NULL && MeasureIsAsymmetric(join->task.predicate.measure);
	request.has_scopes = within != NULL;
	if (!PG_ARGISNULL(first + 9))
		request.except_pairs = text_to_cstring(PG_GETARG_TEXT_PP(first + 9));
	join->queries[0] = compose_query(name, key, body, tokens, keep, within);
	table_close(relation, NoLock);
	return request;
}

static void
begin_duplicates(void *context, TupleDesc columns)
{
	NearDuplicates *duplicates = context;
	const Request *request = duplicates->request;
	Form_pg_attribute key = TupleDescAttr(columns, COLUMN_KEY);
	MemoryContext key_context = AllocSetContextCreate(duplicates->context, "neardup duplicate keys",
													  ALLOCSET_DEFAULT_SIZES);

	JoinKeysInit(&duplicates->keys, key_context, NULL,
				 JoinKeyColumnType(key, request->key_policy, request->key_type), key->attcollation,
				 true);
	duplicates->contents = CopiesCreate(duplicates->context);
}

static void
append_key(NearDuplicates *duplicates, Datum key, bool isnull)
{
	if (isnull)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("key column \"%s\" contains null values", duplicates->request->key_name),
				 errdetail("Each row must have a key, by which it can be told.")));
	if (duplicates->keys.count == MOST_ROWS)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("too many rows"),
						errdetail("There may be at most %d rows.", MOST_ROWS)));
	JoinKeysAppend(&duplicates->keys, key);
}

static void
order_keys(NearDuplicates *duplicates)
{
	const char *name = duplicates->request->key_name;
	uint32 repeated;

	KeyOrderInit(&duplicates->order, &duplicates->keys);
	if (KeyOrderRepeated(&duplicates->order, &duplicates->keys, &repeated))
		ereport(ERROR,
				(errcode(ERRCODE_UNIQUE_VIOLATION), errmsg("key column \"%s\" is not unique", name),
				 errdetail("Key (%s)=(%s) occurs more than once.", name,
						   JoinKeyText(&duplicates->keys, repeated))));
}

/*
 * What makes two rows one row of the join. Tokens follow it, if there are any. Rows of equal tokens
 * are one row of their scope whatever their texts, except that rows without tokens are similar to
 * nothing, and that the weights of a weighted measure are those of the distinct texts.
 */
typedef struct ContentHead
{
	CopyHash text;	/* 0 for any text */
	uint32 is_null; /* the tokens */
	uint32 scope;
	uint64 excepted; /* 0, or the number in `except_pairs` and 1 */
} ContentHead;

/* Returns the first row of this content among those that were read. */
static uint32
first_of_content(NearDuplicates *duplicates, ContentHead head, const JoinRow *tokens, uint32 number)
{
	Size size = tokens == NULL ? 0 : tokens->count * sizeof(int64);
	char *content = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(head) + size);
	uint32 first;

	memcpy(content, &head, sizeof(head));
	if (size > 0)
		memcpy(content + sizeof(head), tokens->data, size);
	first = CopiesFirst(duplicates->contents, content, sizeof(head) + size, number);
	pfree(content);
	return first;
}

/* Returns 64 well mixed bits, different ones for different numbers: the finalizer of splitmix64. */
static uint64
mix_scope(uint64 h)
{
	h = (h ^ h >> 30) * UINT64CONST(0xbf58476d1ce4e5b9);
	h = (h ^ h >> 27) * UINT64CONST(0x94d049bb133111eb);
	return h ^ h >> 31;
}

/* Notes the scope of a row, by which it is set apart from those of other scopes. */
static void
note_scope(NearDuplicates *duplicates, uint32 number, uint32 scope)
{
	ARRAY_MAKE_ROOM(duplicates->scopes, number, duplicates->scope_capacity);
	duplicates->scopes[number] = scope;
	duplicates->group = mix_scope(duplicates->secret + scope);
}

static uint32
scope_of(const NearDuplicates *duplicates, uint32 number)
{
	return duplicates->scopes == NULL ? 0 : duplicates->scopes[number];
}

static uint32
excepted_of(const NearDuplicates *duplicates, uint32 number)
{
	return duplicates->excepted == NULL ? EXCEPT_PAIRS_NONE : duplicates->excepted[number];
}

static void
note_excepted(NearDuplicates *duplicates, uint32 number, Datum key)
{
	ARRAY_MAKE_ROOM(duplicates->excepted, number, duplicates->excepted_capacity);
	duplicates->excepted[number] =
		ExceptPairsNumber(duplicates->except, duplicates->keys.type, key);
}

/* Returns whether two rows are a pair, the tokens of the first one being similar to the other's. */
static bool
are_pair(const void *context, int64 a, int64 b)
{
	const NearDuplicates *duplicates = context;
	Measure measure = duplicates->request->join.task.predicate.measure;

	if (MeasureIsAsymmetric(measure) && duplicates->places[a] < duplicates->places[b])
		return false;
	if (scope_of(duplicates, (uint32) a) != scope_of(duplicates, (uint32) b))
		return false;
	return duplicates->except == NULL ||
		   !ExceptPairsHas(duplicates->except, duplicates->excepted[a], duplicates->excepted[b]);
}

/* Returns what a row's content begins with; its text is not part of it if it is 0. */
static ContentHead
content_head(const NearDuplicates *duplicates, uint32 number, CopyHash text)
{
	uint32 excepted = excepted_of(duplicates, number);

	return (ContentHead){.text = text,
						 .scope = scope_of(duplicates, number),
						 .excepted = excepted == EXCEPT_PAIRS_NONE ? 0 : (uint64) excepted + 1};
}

/* Appends a row without tokens, so that its copies are found. */
static void
append_copied(NearDuplicates *duplicates, ContentHead head, uint32 number)
{
	int64 token = (int64) (head.text.low ^ head.is_null ^ duplicates->group);

	JoinInputAppend(&duplicates->join->input, Int64GetDatum((int64) number),
					&(JoinRow){.data = &token, .count = 1});
}

/* Notes the content of a row whose tokens are NULL or empty. */
static uint32
note_without_tokens(NearDuplicates *duplicates, uint32 number, CopyHash text, bool is_null)
{
	ContentHead head = content_head(duplicates, number, text);
	uint32 first;

	head.is_null = is_null;
	first = first_of_content(duplicates, head, NULL, number);
	if (first == number && duplicates->except != NULL)
		append_copied(duplicates, head, number);
	return first;
}

/* Notes a row, and tells whether its tokens must be read. */
static bool
note_row(void *context, TupleTableSlot *slot, Datum *key)
{
	NearDuplicates *duplicates = context;
	uint32 number = (uint32) duplicates->row_count++;
	MemoryContext previous = MemoryContextSwitchTo(duplicates->row_context);
	Row row = {.number = number,
			   .first = number,
			   .place = (uint32) DatumGetInt64(slot->tts_values[COLUMN_PLACE]),
			   .has_text = !slot->tts_isnull[COLUMN_TEXT]};
	bool is_read = row.has_text && !slot->tts_isnull[COLUMN_TOKENS];

	append_key(duplicates, slot->tts_values[COLUMN_KEY], slot->tts_isnull[COLUMN_KEY]);
	ARRAY_MAKE_ROOM(duplicates->rows, number, duplicates->row_capacity);
	if (duplicates->request->has_scopes)
		note_scope(duplicates, number, (uint32) DatumGetInt64(slot->tts_values[COLUMN_SCOPE]));
	if (duplicates->request->is_by_size)
	{
		ARRAY_MAKE_ROOM(duplicates->sizes, number, duplicates->size_capacity);
		duplicates->sizes[number] = 0;
	}
	if (duplicates->except != NULL)
		note_excepted(duplicates, number, slot->tts_values[COLUMN_KEY]);
	if (row.has_text)
	{
		text *body = DatumGetTextPP(slot->tts_values[COLUMN_TEXT]);

		row.text = CopiesHash(duplicates->contents, VARDATA_ANY(body), VARSIZE_ANY_EXHDR(body));
		if (!is_read)
			row.first = note_without_tokens(duplicates, number, row.text, true);
	}
	duplicates->rows[number] = row;
	MemoryContextSwitchTo(previous);
	MemoryContextReset(duplicates->row_context);
	*key = Int64GetDatum((int64) number);
	return is_read;
}

/* Tells whether the row that was noted last is the first one of its content. */
static bool
is_first_of_content(void *context, const JoinRow *tokens)
{
	NearDuplicates *duplicates = context;
	uint32 number = (uint32) duplicates->row_count - 1;
	Row *row = &duplicates->rows[number];
	bool is_weighted = MeasureIsWeighted(duplicates->request->join.task.predicate.measure);

	if (duplicates->request->is_by_size)
		duplicates->sizes[number] = (uint32) tokens->count;
	if (tokens->count == 0)
		row->first = note_without_tokens(duplicates, number, row->text, false);
	else
		row->first = first_of_content(
			duplicates, content_head(duplicates, number, is_weighted ? row->text : (CopyHash){0}),
			tokens, number);
	return row->first == number && (tokens->count > 0 || duplicates->except == NULL);
}

static int
compare_orders(const void *a, const void *b)
{
	uint64 x = *(const uint64 *) a;
	uint64 y = *(const uint64 *) b;

	CHECK_FOR_INTERRUPTS();
	return (x > y) - (x < y);
}

/* Has the places of rows follow from the sizes of their tokens, and where these are equal from keys. */
static void
order_by_size(NearDuplicates *duplicates)
{
	uint32 count = (uint32) duplicates->row_count;
	const KeyOrder *order = &duplicates->order;
	uint64 *orders = AllocateArray(count, sizeof(uint64));

	for (uint32 number = 0; number < count; number++)
	{
		CHECK_NOW_AND_THEN(number);
		orders[number] =
			(uint64) (PG_UINT32_MAX - duplicates->sizes[number]) << 32 | order->ranks[number];
	}
	qsort(orders, count, sizeof(uint64), compare_orders);
	for (uint32 place = 0; place < count; place++)
	{
		CHECK_NOW_AND_THEN(place);
		duplicates->rows[order->by_rank[(uint32) orders[place]]].place = place;
	}
	pfree(orders);
}

/* Puts the rows in the order of their places, and makes the least row of each content its first. */
static void
place_rows(NearDuplicates *duplicates)
{
	uint32 count = (uint32) duplicates->row_count;
	const uint32 *ranks = duplicates->order.ranks;
	bool is_placed = duplicates->request->is_ordered || duplicates->request->is_by_size;
	Row *rows = AllocateArray(count, sizeof(Row));
	uint32 *places = AllocateArray(count, sizeof(uint32));

	memset(places, 0xFF, count * sizeof(uint32));
	memset(rows, 0xFF, count * sizeof(Row));
	for (uint32 number = 0; number < count; number++)
	{
		const Row *row = &duplicates->rows[number];
		uint32 place = is_placed ? row->place : ranks[number];

		CHECK_NOW_AND_THEN(number);
		if (place >= count || rows[place].number != PG_UINT32_MAX)
			elog(ERROR, "places of rows are not their ranks");
		rows[place] = *row;
		places[row->first] = Min(places[row->first], place);
	}
	for (uint32 place = 0; place < count; place++)
	{
		CHECK_NOW_AND_THEN(place);
		rows[place].first = places[rows[place].first];
	}
	pfree(duplicates->rows);
	duplicates->rows = rows;
	duplicates->places = places;
}

static uint64
place_pair(void *context, const FoundPair *pair)
{
	NearDuplicates *duplicates = context;
	const JoinKeys *numbers = &duplicates->join->part->keys;
	uint32 x = duplicates->places[JoinKeysInt64(numbers, pair->a)];
	uint32 y = duplicates->places[JoinKeysInt64(numbers, pair->b)];
	RankedPair placed;

	CHECK_FOR_INTERRUPTS();
	placed = ClusterModePair(CLUSTER_COMPLETE, x, y, -pair->value);
	PairSortPut(duplicates->pairs, &placed);
	return 1;
}

/* Sets least[survivor] to the rank of the least key of the survivor's cluster. */
static void
name_clusters(const NearDuplicates *duplicates, const uint32 *cluster, uint32 *least)
{
	const KeyOrder *order = &duplicates->order;

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
		if (row->has_text)
			least[survivor] = Min(least[survivor], order->ranks[row->number]);
	}
}

static void
return_rows(ReturnSetInfo *result, const NearDuplicates *duplicates, const uint32 *cluster,
			const uint32 *least, const double *similarity)
{
	const KeyOrder *order = &duplicates->order;
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
		if (survivor == place || !row->has_text)
			continue;
		values[0] = JoinKeysResult(keys, policy, row->number);
		values[1] = JoinKeysResult(keys, policy, kept->number);
		values[2] = Float8GetDatum(similarity[row->first]);
		nulls[2] = isnan(similarity[row->first]);
		values[3] = CopyHashesEqual(row->text, kept->text) ? exact : near;
		values[4] = JoinKeysResult(keys, policy, order->by_rank[least[survivor]]);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
}

/* Sets similarity[v] to that with the survivor of v's cluster; NaN where they are no pair. */
static void
find_similarities(PairSort *pairs, uint32 count, const uint32 *cluster, double *similarity)
{
	RankedPair pair;

	for (uint32 v = 0; v < count; v++)
	{
		CHECK_NOW_AND_THEN(v);
		similarity[v] = cluster[v] == v ? 1 : NAN;
	}
	PairSortRewind(pairs);
	while (PairSortNext(pairs, &pair))
	{
		if (cluster[pair.a] == pair.b)
			similarity[pair.a] = -pair.distance;
		else if (cluster[pair.b] == pair.a)
			similarity[pair.b] = -pair.distance;
	}
}

/* Finds all pairs, of which complete clusters are made. */
static void
join_to_complete(NearDuplicates *duplicates, JoinTask *task, uint32 *cluster, double *similarity)
{
	uint32 count = duplicates->keys.count;
	ClusterBridge bridge = {0};

	duplicates->pairs = PairSortBegin(PAIRS_BY_ENDS, NULL, NULL);
	QueryJoinPairs(duplicates->join, task->predicate, place_pair, duplicates);
	PairSortPerform(duplicates->pairs);
	ClusterPartition(CLUSTER_COMPLETE, PG_UINT32_MAX, duplicates->pairs, count, cluster, &bridge);
	find_similarities(duplicates->pairs, count, cluster, similarity);
	PairSortEnd(duplicates->pairs);
}

/* Ends the join before the rows are returned. */
static void
return_survived(ReturnSetInfo *result, NearDuplicates *duplicates, JoinTask *task)
{
	uint32 count = duplicates->keys.count;
	uint32 *cluster = AllocateArray(count, sizeof(uint32));
	double *similarity = AllocateArray(count, sizeof(double));
	uint32 *least;

	switch (duplicates->request->mode)
	{
		case CLUSTER_CONNECTED:
			ConnectedJoin(duplicates->join, task, duplicates->places, count, cluster, similarity);
			break;
		case CLUSTER_STAR:
			StarJoin(duplicates->join, task, duplicates->places, count, cluster, similarity);
			break;
		case CLUSTER_COMPLETE:
			join_to_complete(duplicates, task, cluster, similarity);
			break;
	}
	SimilarityJoinEnd(duplicates->join);
	least = AllocateArray(count, sizeof(uint32));
	name_clusters(duplicates, cluster, least);
	return_rows(result, duplicates, cluster, least, similarity);
}

static void
begin_scopes(NearDuplicates *duplicates)
{
	if (!duplicates->request->has_scopes)
		return;
	if (!pg_strong_random(&duplicates->secret, sizeof(duplicates->secret)))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random numbers")));
	duplicates->scope_capacity = duplicates->row_capacity;
	duplicates->scopes = AllocateArray(duplicates->scope_capacity, sizeof(uint32));
}

static void
begin_except_pairs(NearDuplicates *duplicates)
{
	const Request *request = duplicates->request;

	if (request->except_pairs == NULL)
		return;
	duplicates->except =
		ExceptPairsRead(request->except_pairs, request->key_policy, request->key_type);
	duplicates->excepted_capacity = duplicates->row_capacity;
	duplicates->excepted = AllocateArray(duplicates->excepted_capacity, sizeof(uint32));
}

static Datum
return_duplicates(FunctionCallInfo fcinfo, Request request)
{
	NearDuplicates duplicates = {.request = &request, .row_capacity = 1024};
	RowObserver observer = {.further_columns = COLUMNS - 2,
							.context = &duplicates,
							.group = &duplicates.group,
							.begin = begin_duplicates,
							.row = note_row,
							.takes = is_first_of_content};
	SimilarityJoin join;
	MemoryContext previous;

	(void) JoinMaterialize(fcinfo);
	request.join.reader.observer = &observer;
	duplicates.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup duplicates", ALLOCSET_DEFAULT_SIZES);
	duplicates.row_context =
		AllocSetContextCreate(duplicates.context, "neardup row key", ALLOCSET_DEFAULT_SIZES);
	previous = MemoryContextSwitchTo(duplicates.context);
	duplicates.rows = AllocateArray(duplicates.row_capacity, sizeof(Row));
	if (request.is_by_size)
	{
		duplicates.size_capacity = duplicates.row_capacity;
		duplicates.sizes = AllocateArray(duplicates.size_capacity, sizeof(uint32));
	}
	begin_scopes(&duplicates);
	begin_except_pairs(&duplicates);
	if (request.has_scopes || request.except_pairs != NULL ||
		MeasureIsAsymmetric(request.join.task.predicate.measure))
		request.join.task.accepts = are_pair;
	request.join.task.accepts_context = &duplicates;
	request.join.task.rejects_similar = request.except_pairs != NULL;
	duplicates.join = &join;
	QueryJoinBegin(&join, &request.join);
	CopiesFree(duplicates.contents);
	order_keys(&duplicates);
	if (request.is_by_size)
		order_by_size(&duplicates);
	place_rows(&duplicates);
	return_survived((ReturnSetInfo *) fcinfo->resultinfo, &duplicates, &request.join.task);
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
