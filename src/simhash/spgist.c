/*
 * spgist.c
 *		The SP-GiST operator classes of simhashes and of balls: tries over bits.
 *
 * A search descends into the children whose common bits (trie.h) differ from the query in at most
 * the distance, and visits the nearest ones first.
 *
 * Leaves that no longer fit become an inner tuple with their common prefix and two children. Equal
 * keys make one that SP-GiST marks allTheSame: its children say nothing beyond the prefix. A key
 * that lacks the prefix of a tuple splits it.
 *
 * Leaves hold the values, for index-only scans. A prefix of simhashes is an int8 of the known bits,
 * a 1 and zeros; one of balls is a ball with its length in the unused field.
 */
#include "postgres.h"

#include "access/spgist.h"
#include "access/stratnum.h"
#include "catalog/pg_type.h"

#include "simhash/spgist.h"
#include "simhash/trie.h"

PG_FUNCTION_INFO_V1(spgist_simhash_config);
PG_FUNCTION_INFO_V1(spgist_simhash_choose);
PG_FUNCTION_INFO_V1(spgist_simhash_picksplit);
PG_FUNCTION_INFO_V1(spgist_simhash_inner_consistent);
PG_FUNCTION_INFO_V1(spgist_simhash_leaf_consistent);
PG_FUNCTION_INFO_V1(spgist_simhash_ball_config);
PG_FUNCTION_INFO_V1(spgist_simhash_ball_choose);
PG_FUNCTION_INFO_V1(spgist_simhash_ball_picksplit);
PG_FUNCTION_INFO_V1(spgist_simhash_ball_inner_consistent);
PG_FUNCTION_INFO_V1(spgist_simhash_ball_leaf_consistent);

#define CHILDREN 2

/* How an operator class stores keys and prefixes. */
typedef struct TrieClass
{
	TrieKey (*key)(Datum leaf);
	TriePrefix (*prefix)(Datum stored);
	Datum (*stored_prefix)(TriePrefix prefix);
} TrieClass;

static TrieKey
simhash_key(Datum leaf)
{
	return (TrieKey){.center = DatumGetSimhash(leaf)};
}

static TriePrefix
simhash_prefix(Datum stored)
{
	uint64 bits = (uint64) DatumGetInt64(stored);
	int mark = pg_rightmost_one_pos64(bits);
	TriePrefix prefix = {.length = TRIE_KEY_BITS - 1 - mark};

	prefix.key.center = bits ^ UINT64CONST(1) << mark;
	return prefix;
}

static Datum
simhash_stored_prefix(TriePrefix prefix)
{
	uint64 mark = UINT64CONST(1) << (TRIE_KEY_BITS - 1 - prefix.length);

	return Int64GetDatum((int64) (prefix.key.center | mark));
}

static const TrieClass simhash_class = {simhash_key, simhash_prefix, simhash_stored_prefix};

static TrieKey
ball_key(Datum leaf)
{
	const SimhashBall *ball = DatumGetSimhashBall(leaf);

	return (TrieKey){.radius = ball->radius, .center = ball->center};
}

static TriePrefix
ball_prefix(Datum stored)
{
	return (TriePrefix){.key = ball_key(stored), .length = DatumGetSimhashBall(stored)->unused};
}

static Datum
ball_stored_prefix(TriePrefix prefix)
{
	SimhashBall *ball = palloc(sizeof(SimhashBall));

	ball->center = prefix.key.center;
	ball->radius = (int32) prefix.key.radius;
	ball->unused = prefix.length;
	return SimhashBallGetDatum(ball);
}

static const TrieClass ball_class = {ball_key, ball_prefix, ball_stored_prefix};

static void
config(spgConfigOut *out, Oid prefix_type)
{
	out->prefixType = prefix_type;
	out->labelType = VOIDOID;
	out->canReturnData = true;
	out->longValuesOK = false;
}

static void
choose(const TrieClass *class, const spgChooseIn *in, spgChooseOut *out)
{
	TrieKey key = class->key(in->datum);
	TriePrefix prefix = class->prefix(in->prefixDatum);
	int common = Min(TrieCommonLength(key, prefix.key), prefix.length);

	if (common == prefix.length)
	{
		out->resultType = spgMatchNode;
		/* SP-GiST may choose any other node. */
		out->result.matchNode.nodeN = in->allTheSame ? 0 : TrieChild(key, common);
		out->result.matchNode.levelAdd = 0;
		out->result.matchNode.restDatum = in->leafDatum;
		return;
	}
	out->resultType = spgSplitTuple;
	out->result.splitTuple.prefixHasPrefix = true;
	out->result.splitTuple.prefixPrefixDatum = class->stored_prefix(TriePrefixOf(key, common));
	out->result.splitTuple.prefixNNodes = CHILDREN;
	out->result.splitTuple.prefixNodeLabels = NULL;
	out->result.splitTuple.childNodeN = TrieChild(prefix.key, common);
	out->result.splitTuple.postfixHasPrefix = true;
	out->result.splitTuple.postfixPrefixDatum = in->prefixDatum;
}

static void
picksplit(const TrieClass *class, const spgPickSplitIn *in, spgPickSplitOut *out)
{
	TrieKey first = class->key(in->datums[0]);
	int common = TRIE_LONGEST_PREFIX;

	for (int i = 1; i < in->nTuples; i++)
		common = Min(common, TrieCommonLength(first, class->key(in->datums[i])));
	out->hasPrefix = true;
	out->prefixDatum = class->stored_prefix(TriePrefixOf(first, common));
	out->nNodes = CHILDREN;
	out->nodeLabels = NULL;
	out->mapTuplesToNodes = palloc(sizeof(int) * in->nTuples);
	out->leafTupleDatums = palloc(sizeof(Datum) * in->nTuples);
	for (int i = 0; i < in->nTuples; i++)
	{
		out->mapTuplesToNodes[i] = TrieChild(class->key(in->datums[i]), common);
		out->leafTupleDatums[i] = in->datums[i];
	}
}

/* Centers within a distance. */
typedef struct BallQuery
{
	Simhash center;
	int distance;
	bool or_radius; /* or within the key's radius, if greater */
} BallQuery;

static BallQuery
query_of_key(const TrieClass *class, const ScanKeyData *key)
{
	const SimhashBall *ball;

	if (class == &simhash_class && key->sk_strategy == SPGIST_SIMHASH_EQUAL)
		return (BallQuery){.center = DatumGetSimhash(key->sk_argument)};
	ball = DatumGetSimhashBall(key->sk_argument);
	return (BallQuery){
		.center = ball->center, .distance = ball->radius, .or_radius = class == &ball_class};
}

static bool
may_match(const TriePrefix *prefix, const BallQuery *query)
{
	int distance = query->distance;

	if (query->or_radius)
		distance = Max(distance, TrieGreatestRadius(prefix));
	return TrieLeastDistance(prefix, query->center) <= distance;
}

/* SP-GiST has removed orderings by NULL. */
static double *
least_distances(const ScanKeyData *orderbys, int count, const TriePrefix *prefix)
{
	double *least = palloc(sizeof(double) * count);

	for (int i = 0; i < count; i++)
		least[i] = TrieLeastDistance(prefix, DatumGetSimhash(orderbys[i].sk_argument));
	return least;
}

static void
inner_consistent(const TrieClass *class, const spgInnerConsistentIn *in, spgInnerConsistentOut *out)
{
	TriePrefix prefix = class->prefix(in->prefixDatum);
	BallQuery *queries = palloc(sizeof(BallQuery) * Max(in->nkeys, 1));

	for (int i = 0; i < in->nkeys; i++)
		queries[i] = query_of_key(class, &in->scankeys[i]);
	out->nodeNumbers = palloc(sizeof(int) * in->nNodes);
	if (in->norderbys > 0)
		out->distances = palloc(sizeof(double *) * in->nNodes);
	out->nNodes = 0;
	for (int node = 0; node < in->nNodes; node++)
	{
		TriePrefix child = in->allTheSame ? prefix : TrieChildPrefix(prefix, node);
		bool visit = true;

		for (int i = 0; i < in->nkeys && visit; i++)
			visit = may_match(&child, &queries[i]);
		if (!visit)
			continue;
		if (in->norderbys > 0)
			out->distances[out->nNodes] = least_distances(in->orderbys, in->norderbys, &child);
		out->nodeNumbers[out->nNodes++] = node;
	}
}

/* A leaf is a prefix of all bits. */
static bool
leaf_consistent(const TrieClass *class, const spgLeafConsistentIn *in, spgLeafConsistentOut *out)
{
	TriePrefix leaf = {.key = class->key(in->leafDatum), .length = TRIE_KEY_BITS};

	for (int i = 0; i < in->nkeys; i++)
	{
		BallQuery query = query_of_key(class, &in->scankeys[i]);

		if (!may_match(&leaf, &query))
			return false;
	}
	out->leafValue = in->leafDatum;
	out->recheck = false;
	out->recheckDistances = false;
	if (in->norderbys > 0)
		out->distances = least_distances(in->orderbys, in->norderbys, &leaf);
	return true;
}

Datum
spgist_simhash_config(PG_FUNCTION_ARGS)
{
	config((spgConfigOut *) PG_GETARG_POINTER(1), INT8OID);
	PG_RETURN_VOID();
}

Datum
spgist_simhash_choose(PG_FUNCTION_ARGS)
{
	choose(&simhash_class, (spgChooseIn *) PG_GETARG_POINTER(0),
		   (spgChooseOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_picksplit(PG_FUNCTION_ARGS)
{
	picksplit(&simhash_class, (spgPickSplitIn *) PG_GETARG_POINTER(0),
			  (spgPickSplitOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_inner_consistent(PG_FUNCTION_ARGS)
{
	inner_consistent(&simhash_class, (spgInnerConsistentIn *) PG_GETARG_POINTER(0),
					 (spgInnerConsistentOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_leaf_consistent(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(leaf_consistent(&simhash_class, (spgLeafConsistentIn *) PG_GETARG_POINTER(0),
								   (spgLeafConsistentOut *) PG_GETARG_POINTER(1)));
}

Datum
spgist_simhash_ball_config(PG_FUNCTION_ARGS)
{
	config((spgConfigOut *) PG_GETARG_POINTER(1), ((spgConfigIn *) PG_GETARG_POINTER(0))->attType);
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_choose(PG_FUNCTION_ARGS)
{
	choose(&ball_class, (spgChooseIn *) PG_GETARG_POINTER(0),
		   (spgChooseOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_picksplit(PG_FUNCTION_ARGS)
{
	picksplit(&ball_class, (spgPickSplitIn *) PG_GETARG_POINTER(0),
			  (spgPickSplitOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_inner_consistent(PG_FUNCTION_ARGS)
{
	inner_consistent(&ball_class, (spgInnerConsistentIn *) PG_GETARG_POINTER(0),
					 (spgInnerConsistentOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_leaf_consistent(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(leaf_consistent(&ball_class, (spgLeafConsistentIn *) PG_GETARG_POINTER(0),
								   (spgLeafConsistentOut *) PG_GETARG_POINTER(1)));
}
