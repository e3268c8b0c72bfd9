/*
 * sketch_join.c
 *		The SQL functions of the joins of sketches.
 *
 * Introduction to Information Retrieval, section 19.6: pairs whose sketches share enough values. A
 * sketch is read as the set of its pairs <component, value>, and such sets go to the exact join, by
 * the overlap, or by Dice's coefficient, since all have one size. All sketches of a call have full
 * width, and the number of components and the seed of the first one.
 *
 * supershingle_join returns those of the pairs that share a super-shingle. It joins the sketches, or the
 * sets of super-shingles by an overlap of 1, and looks at the others of the pairs that it finds. Its rows
 * are numbered, and their keys are kept apart from the join.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "join/call/arguments.h"
#include "join/call/result_set.h"
#include "join/call/return_pairs.h"
#include "memory/join_memory.h"
#include "kinds/sets/set_rows.h"
#include "measure/threshold.h"
#include "minhash/lsh.h"
#include "minhash/minhash.h"
#include "sketch/supershingles.h"
#include "tokenset/tokenset.h"

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

/*
 * A row has two sets: the components of its sketch, of which a pair shares some number, and its
 * super-shingles, of which it shares one. One of them is joined, the other is part of what the join takes
 * for the key of the row: it follows the number.
 */
typedef struct NumberedSketch
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint32 number; /* of the row */
} NumberedSketch;

StaticAssertDecl(sizeof(NumberedSketch) % sizeof(Token) == 0, "a set has the alignment of tokens");

typedef struct SupershingleJoin
{
	JoinRequest request;
	Predicate of_sketches;
	int32 size; /* of super-shingles */
	bool is_begun;
	bool by_supershingles; /* the set that is joined; else by the sketches */
	SimilarityJoin join;
	MemoryContext key_context;
	JoinKeys keys; /* keys[number] is the key of a row */
	ReturnSetInfo *result;
} SupershingleJoin;

static void
begin_numbered(void *context, const ReaderSpec *spec, TupleDesc columns)
{
	SupershingleJoin *call = context;
	Oid type = ReaderKeyType(spec, columns);

	/* The columns of two queries are both integers, or of one type. */
	if (call->keys.context != NULL)
	{
		call->keys.type = type;
		return;
	}
	JoinKeysInit(&call->keys, call->key_context, NULL, type,
				 TupleDescAttr(columns, 0)->attcollation, spec->keys_are_compared);
	JoinInputSetKeys(&call->join.input, BYTEAOID, InvalidOid, false);
}

/* Returns how many of the components of two sketches must be equal. */
static int64
least_shared(const SupershingleJoin *call)
{
	int32 k = kind_of_sketches(&call->join.input).k;

	return PredicateLeastOverlap(call->of_sketches, k, k);
}

/*
 * Chooses the set that is joined. The prefix of a sketch is what it need not share, and its components are
 * more frequent than super-shingles: it is worth while if it is at most half of them.
 */
static void
choose_joined(SupershingleJoin *call)
{
	JoinInput *input = &call->join.input;
	int32 k = kind_of_sketches(input).k;

	SupershingleCheckSize(call->size, k);
	call->by_supershingles = least_shared(call) < (k + 1) / 2;
	if (call->by_supershingles)
		call->request.task.predicate = (Predicate){.measure = MEASURE_OVERLAP, .threshold = 1};
	JoinInputLimit(input, call->request.task.predicate, JOIN_AUTO, call->join.limit);
	call->is_begun = true;
}

/* Returns the super-shingles of a sketch as a new set. */
static Tokenset *
make_supershingles(const SupershingleJoin *call, const JoinRow *sketch)
{
	uint32 k = (uint32) sketch->count;
	uint32 count = SupershingleCount(k, (uint32) call->size);
	uint32 *values = palloc(k * sizeof(uint32));
	Token *supershingles = palloc(count * sizeof(Token));

	for (uint32 i = 0; i < k; i++)
		values[i] = (uint32) ((const Token *) sketch->data)[i];
	SupershingleKeys(values, k, (uint32) call->size, (uint64 *) supershingles);
	return TokensetFromTokens(supershingles, count);
}

/* Returns the components of a sketch as a new set. */
static Tokenset *
make_components(const JoinRow *sketch)
{
	Tokenset *set = TokensetAllocate(sketch->count);

	memcpy(set->tokens, sketch->data, sketch->count * sizeof(Token));
	return set;
}

/* Takes a row that is not the sketch of the empty set. */
static void
take_numbered(SupershingleJoin *call, Datum key, const JoinRow *sketch)
{
	Tokenset *supershingles = make_supershingles(call, sketch);
	JoinRow joined = *sketch;
	Tokenset *other = supershingles;
	NumberedSketch *numbered;
	Size bytes;

	if (call->by_supershingles)
	{
		joined =
			(JoinRow){.data = supershingles->tokens, .count = (Size) TokensetCount(supershingles)};
		other = make_components(sketch);
	}
	bytes = sizeof(NumberedSketch) + VARSIZE(other);
	numbered = palloc(bytes);
	SET_VARSIZE(numbered, bytes);
	numbered->number = call->keys.count;
	memcpy(numbered + 1, other, VARSIZE(other));
	JoinInputAppend(&call->join.input, PointerGetDatum(numbered), &joined);
	JoinKeysAppend(&call->keys, key);
}

static bool
take_sketch(void *context, TupleTableSlot *slot, const JoinRow *row)
{
	SupershingleJoin *call = context;

	if (!call->is_begun)
		choose_joined(call);
	if (row->count > 0)
		take_numbered(call, slot->tts_values[0], row);
	else
		JoinInputCountCopy(&call->join.input, row);
	return true;
}

/* Returns how many tokens the sets that are not joined have in common. */
static int32
shared_others(const NumberedSketch *a, const NumberedSketch *b)
{
	return TokensetOverlap((const Tokenset *) (a + 1), (const Tokenset *) (b + 1));
}

/* Returns the pair if its other sets share enough, in one query the lesser key first. */
static uint64
take_if_shared(void *context, const FoundPair *pair)
{
	SupershingleJoin *call = context;
	KeyPolicy policy = call->request.reader.key_policy;
	const Datum *numbered = call->join.part->keys.values;
	const NumberedSketch *a = (NumberedSketch *) DatumGetPointer(numbered[pair->a]);
	const NumberedSketch *b = (NumberedSketch *) DatumGetPointer(numbered[pair->b]);
	int32 shared = shared_others(a, b);
	int order = -1;
	Datum values[3];

	CHECK_FOR_INTERRUPTS();
	if (shared < (call->by_supershingles ? least_shared(call) : 1))
		return 0;
	if (call->request.queries[1] == NULL)
		order = JoinKeysCompare(&call->keys, a->number, b->number);
	if (order == 0)
		return 0;
	values[0] = JoinKeysResult(&call->keys, policy, order < 0 ? a->number : b->number);
	values[1] = JoinKeysResult(&call->keys, policy, order < 0 ? b->number : a->number);
	values[2] =
		call->by_supershingles ? Int32GetDatum(shared) : shared_column(&call->join, &pair->value);
	ResultPut(call->result, values);
	return 1;
}

/* Arguments: [key type,] query, size, min_shared, min_fraction, against. */
Datum
supershingle_join(PG_FUNCTION_ARGS)
{
	SupershingleJoin call = {.request = {.task = {.kind = &sketches, .algorithm = JOIN_AUTO}}};
	JoinTask *task = &call.request.task;
	RowSink sink = {.context = &call, .begin = begin_numbered, .take = take_sketch};
	int next = JoinQueryArguments(fcinfo, &call.request);

	call.size = DatumGetInt32(JoinArgumentOrError(fcinfo, next, "size"));
	SupershingleCheckSize(call.size, MINHASH_MAX_K);
	task->predicate = call.of_sketches = limit_arguments(fcinfo, next + 1);
	task->distinct_keys = false;
	call.result = JoinMaterialize(fcinfo);
	call.key_context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup row keys", ALLOCSET_DEFAULT_SIZES);
	QueryJoinBeginBy(&call.join, &call.request, &sink);
	if (call.request.queries[1] == NULL)
		JoinKeysRank(&call.keys, JoinSortMemory());
	QueryJoinPairs(&call.join, task->predicate, take_if_shared, &call);
	SimilarityJoinEnd(&call.join);
	MemoryContextDelete(call.key_context);
	return (Datum) 0;
}
