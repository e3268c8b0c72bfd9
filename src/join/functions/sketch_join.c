/*
 * sketch_join.c
 *		The SQL functions of the joins of sketches.
 *
 * Introduction to Information Retrieval, section 19.6: pairs whose sketches share enough values. A
 * sketch is read as the set of its pairs <component, value>, and such sets go to the exact join, by
 * the overlap, or by Dice's coefficient, since all have one size. All sketches of a call have full
 * width, and the number of components and the seed of the first one.
 *
 * supershingle_join returns those of the pairs that share a super-shingle. The join knows a row's
 * tokens and its key, so each key carries the super-shingles of its row (SketchKey), in memory and in
 * files. In a join of one query the kernel does not order such keys: each two rows are found once, and
 * the keys are compared then.
 */
#include "postgres.h"

#include <math.h>

#include "access/tupmacs.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/tuplestore.h"
#include "utils/typcache.h"

#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "join/call/return_pairs.h"
#include "kinds/sets/set_rows.h"
#include "measure/threshold.h"
#include "minhash/lsh.h"
#include "minhash/minhash.h"
#include "sketch/supershingles.h"
#include "text/token_sort.h"

PG_FUNCTION_INFO_V1(sketch_overlap_join);
PG_FUNCTION_INFO_V1(supershingle_join);

static void
check_sketch_column(const RowReading *reading, Form_pg_attribute column)
{
	if (reading->type != reading->kind_type)
		RowColumnTypeError(reading, column, "Sketches are of type minhash.");
}

/* Returns what all sketches of an input are like, as the first one is; there must be one. */
static MinhashKind
kind_of_sketches(const JoinInput *input)
{
	return *(const MinhashKind *) input->content;
}

static void
note_first_sketch(JoinInput *input, const Minhash *sketch)
{
	MinhashKind *kind = MemoryContextAlloc(input->context, sizeof(MinhashKind));

	MinhashCheckFullWidth(sketch, input->name);
	*kind = MinhashKindOf(sketch);
	input->content = kind;
}

/* A token has the number of a component in its upper half, its value in the lower. */
static bool
read_sketch(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	const Minhash *sketch = DatumGetMinhash(value);
	TokenList *tokens = &reading->tokens;

	if (reading->input->content == NULL)
		note_first_sketch(reading->input, sketch);
	else
		MinhashCheckSameKind(kind_of_sketches(reading->input), MinhashKindOf(sketch));
	tokens->count = 0;
	for (int32 i = 0; !sketch->is_empty && i < sketch->k; i++)
		TokenListAppend(tokens, (Token) i << 32 | sketch->words[i]);
	*row = (JoinRow){.data = tokens->tokens, .count = tokens->count};
	return row->count > 0;
}

static const RowKind sketches = {ROWS_AS_SETS,
								 .name = "sketch",
								 .type = "minhash",
								 .algorithm = JOIN_AUTO,
								 .algorithms = 1 << JOIN_AUTO,
								 .predicate = PredicateOrError,
								 .check_column = check_sketch_column,
								 .read = read_sketch};

/* Arguments: min_shared and min_fraction, one of which is NULL. */
static Predicate
limit_arguments(FunctionCallInfo fcinfo, int first)
{
	int fraction = first + 1;

	if (PG_ARGISNULL(fraction))
		return PredicateOrError(MEASURE_OVERLAP,
								DatumGetInt32(JoinArgumentOrError(fcinfo, first, "min_shared")));
	if (!PG_ARGISNULL(first))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s takes either min_shared or min_fraction", JoinFunctionName(fcinfo)),
				 errdetail("Both are given.")));
	return PredicateOrError(MEASURE_DICE, PG_GETARG_FLOAT8(fraction));
}

static Datum
shared_column(const SimilarityJoin *join, const double *value)
{
	if (join->predicate.measure == MEASURE_DICE)
		return Int32GetDatum((int32) rint(*value * kind_of_sketches(&join->input).k));
	return Int32GetDatum((int32) *value);
}

/* Arguments: [key type,] query, min_shared, min_fraction, against. */
Datum
sketch_overlap_join(PG_FUNCTION_ARGS)
{
	JoinRequest request = {.task = {.kind = &sketches, .algorithm = JOIN_AUTO}};
	int next = JoinQueryArguments(fcinfo, &request);

	request.task.predicate = limit_arguments(fcinfo, next);
	return JoinReturnPairs(fcinfo, &request, shared_column);
}

/* What the join takes for the key of a row. */
typedef struct SketchKey
{
	int32 vl_len_;								/* varlena header (do not touch directly) */
	Token supershingles[FLEXIBLE_ARRAY_MEMBER]; /* ascending; the row's key comes behind them */
} SketchKey;

typedef struct SupershingleJoin
{
	JoinRequest request;
	int32 size; /* of super-shingles */
	SimilarityJoin join;
	ReturnSetInfo *result;

	JoinKeys keys;		/* tells of the rows' keys, and has none */
	TypeCacheEntry *of; /* the type of those that are returned */
} SupershingleJoin;

static uint32
count_supershingles(const SupershingleJoin *call)
{
	return SupershingleCount((uint32) kind_of_sketches(&call->join.input).k, (uint32) call->size);
}

static void
begin_supershingles(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	SupershingleJoin *call = context;
	Oid type = ReaderKeyType(spec, columns);

	JoinKeysInit(&call->keys, CurrentMemoryContext, NULL, type,
				 TupleDescAttr(columns, 0)->attcollation, spec->keys_are_compared);
	call->of = lookup_type_cache(spec->key_policy == KEYS_INTEGER ? INT8OID : type,
								 TYPECACHE_CMP_PROC_FINFO);
	if (call->join.input.keys.context == NULL)
		JoinInputSetKeys(&call->join.input, BYTEAOID, InvalidOid, false);
}

/* Returns a key with room for the super-shingles before it. */
static SketchKey *
make_sketch_key(const SupershingleJoin *call, Datum key)
{
	const TypeCacheEntry *of = call->of;
	Size before = offsetof(SketchKey, supershingles) + count_supershingles(call) * sizeof(Token);
	Size bytes;
	int64 integer;
	SketchKey *carrying;

	if (call->request.reader.key_policy == KEYS_INTEGER)
	{
		integer = JoinKeysInteger(&call->keys, key);
		key = nd_int64_datum(&integer);
	}
	else if (of->typlen == -1)
		key = PointerGetDatum(PG_DETOAST_DATUM(key));
	bytes = datumGetSize(key, of->typbyval, of->typlen);
	carrying = palloc(before + bytes);
	SET_VARSIZE(carrying, before + bytes);
	if (of->typbyval)
		store_att_byval((char *) carrying + before, key, of->typlen);
	else
		memcpy((char *) carrying + before, DatumGetPointer(key), bytes);
	return carrying;
}

static Datum
key_of_row(const SupershingleJoin *call, const SketchKey *carrying)
{
	return fetch_att(carrying->supershingles + count_supershingles(call), call->of->typbyval,
					 call->of->typlen);
}

static bool
take_sketch(void *context, TupleTableSlot *slot, const JoinRow *row)
{
	SupershingleJoin *call = context;
	JoinInput *input = &call->join.input;
	const Token *tokens = row->data;
	SketchKey *carrying;
	uint32 *values;

	SupershingleCheckSize(call->size, kind_of_sketches(input).k);
	carrying = make_sketch_key(call, slot->tts_values[0]);
	if (row->count > 0)
	{
		values = palloc(row->count * sizeof(uint32));
		for (Size i = 0; i < row->count; i++)
			values[i] = (uint32) tokens[i];
		SupershingleKeys(values, (uint32) row->count, (uint32) call->size,
						 (uint64 *) carrying->supershingles);
		TokensSort(carrying->supershingles, count_supershingles(call));
	}
	JoinInputAppend(input, PointerGetDatum(carrying), row);
	return true;
}

static bool
share_supershingle(const SketchKey *a, const SketchKey *b, uint32 count)
{
	uint32 i = 0;
	uint32 j = 0;

	while (i < count && j < count)
	{
		if (a->supershingles[i] == b->supershingles[j])
			return true;
		if (a->supershingles[i] < b->supershingles[j])
			i++;
		else
			j++;
	}
	return false;
}

/* Returns the pair if its rows share a super-shingle, in one query the lesser key first. */
static uint64
take_similar(void *context, const FoundPair *pair)
{
	SupershingleJoin *call = context;
	const Datum *keys = call->join.part->keys.values;
	const SketchKey *a = (SketchKey *) DatumGetPointer(keys[pair->a]);
	const SketchKey *b = (SketchKey *) DatumGetPointer(keys[pair->b]);
	Datum values[3] = {key_of_row(call, a), key_of_row(call, b),
					   shared_column(&call->join, &pair->value)};
	bool nulls[3] = {false};

	CHECK_FOR_INTERRUPTS();
	if (!share_supershingle(a, b, count_supershingles(call)))
		return 0;
	if (call->request.queries[1] == NULL)
	{
		int order = DatumGetInt32(FunctionCall2Coll(&call->of->cmp_proc_finfo, call->keys.collation,
													values[0], values[1]));

		if (order == 0)
			return 0;
		if (order > 0)
		{
			Datum greater = values[0];

			values[0] = values[1];
			values[1] = greater;
		}
	}
	tuplestore_putvalues(call->result->setResult, call->result->setDesc, values, nulls);
	return 1;
}

/* Arguments: [key type,] query, size, min_shared, min_fraction, against. */
Datum
supershingle_join(PG_FUNCTION_ARGS)
{
	SupershingleJoin call = {.request = {.task = {.kind = &sketches, .algorithm = JOIN_AUTO}}};
	JoinTask *task = &call.request.task;
	RowSink sink = {.context = &call, .begin = begin_supershingles, .take = take_sketch};
	int next = JoinQueryArguments(fcinfo, &call.request);

	call.size = DatumGetInt32(JoinArgumentOrError(fcinfo, next, "size"));
	SupershingleCheckSize(call.size, MINHASH_MAX_K);
	task->predicate = limit_arguments(fcinfo, next + 1);
	task->distinct_keys = false;
	call.result = JoinMaterialize(fcinfo);
	QueryJoinBeginBy(&call.join, &call.request, &sink);
	QueryJoinPairs(&call.join, task->predicate, take_similar, &call);
	SimilarityJoinEnd(&call.join);
	return (Datum) 0;
}
