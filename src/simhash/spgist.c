/*
 * spgist.c
 *		The SP-GiST operator classes of simhashes and of balls: tries over bits.
 *
 * The index is a binary trie in which paths without branches are compressed (trie.h). An inner
 * tuple has a prefix, the bits that all keys below it begin with, from the root on, and two
 * children: keys whose next bit is 0, and keys whose next bit is 1.
 *
 * A search for values within distance k of a query prunes the trie. At an inner tuple, the first n
 * bits of all keys below are known. Each known bit that differs from the query's costs 1, and the
 * bits below can only add to that. So a child is visited only if its known bits differ from the
 * query's bits in at most k places. With the prefix 0110, the query 0011... and k = 1, two known
 * bits differ, and the whole subtree is skipped. A search for the nearest values visits tuples in
 * the order of the same bound.
 *
 * When leaves no longer fit on a page, picksplit makes an inner tuple of their longest common
 * prefix. If all keys are equal, SP-GiST marks it allTheSame and distributes them at will, so that
 * its children say nothing beyond the prefix. A new key that lacks the prefix of a tuple splits
 * that: a tuple with the shorter, common prefix comes above it.
 *
 * The balls' class indexes balls by radius and center, for exclusion constraints. There, a key
 * matches within the query's radius or its own, if that is greater. The greatest radius that a
 * subtree can have is known from the first bits of its prefix.
 *
 * Leaves hold whole values, for index-only scans. In an inner tuple, the prefix of simhashes is
 * stored as an int8, which must tell its length as well: the known bits, a 1, and zeros. That of
 * balls is a ball with the length in its unused field.
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

/* How an operator class stores keys and prefixes. The functions below convert between both. */
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

/* The lowest bit that is set ends the known bits. */
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
trie_config(spgConfigOut *out, Oid prefix_type)
{
	out->prefixType = prefix_type;
	out->labelType = VOIDOID;
	out->canReturnData = true;
	out->longValuesOK = false;
}

/*
 * Descends to the child for a key that has the tuple's prefix. For any other key, splits the tuple
 * at the first bit in which its prefix differs.
 */
static void
trie_choose(const TrieClass *class, const spgChooseIn *in, spgChooseOut *out)
{
	TrieKey key = class->key(in->datum);
	TriePrefix prefix = class->prefix(in->prefixDatum);
	int common = Min(TrieCommonLength(key, prefix.key), prefix.length);

	if (common == prefix.length)
	{
		out->resultType = spgMatchNode;
		/* Where all keys are the same, SP-GiST may put the leaf below any other node. */
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

/*
 * Divides leaves by the bit behind their longest common prefix. If all are equal, the prefix is all
 * bits but the last, and all leaves go to one child.
 */
static void
trie_picksplit(const TrieClass *class, const spgPickSplitIn *in, spgPickSplitOut *out)
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

/* The keys whose centers are within a distance of the query's. */
typedef struct BallQuery
{
	Simhash center;
	int distance;
	bool or_radius; /* the key's own radius counts instead if it is greater */
} BallQuery;

/* Returns the query of a scan key: equality is a ball of radius 0. */
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

/* Returns whether any key with the prefix can match. For a prefix of all bits: whether it does. */
static bool
may_match(const TriePrefix *prefix, const BallQuery *query)
{
	int distance = query->distance;

	if (query->or_radius)
		distance = Max(distance, TrieGreatestRadius(prefix));
	return TrieLeastDistance(prefix, query->center) <= distance;
}

/*
 * Returns the least distance from each ordering's value. SP-GiST has removed orderings by NULL.
 */
static double *
least_distances(const ScanKeyData *orderbys, int count, const TriePrefix *prefix)
{
	double *least = palloc(sizeof(double) * count);

	for (int i = 0; i < count; i++)
		least[i] = TrieLeastDistance(prefix, DatumGetSimhash(orderbys[i].sk_argument));
	return least;
}

/* Selects the children that can have matches. */
static void
trie_inner_consistent(const TrieClass *class, const spgInnerConsistentIn *in,
					  spgInnerConsistentOut *out)
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

/* Treats a leaf as a prefix of all bits, by which the answer is exact. */
static bool
trie_leaf_consistent(const TrieClass *class, const spgLeafConsistentIn *in,
					 spgLeafConsistentOut *out)
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
	trie_config((spgConfigOut *) PG_GETARG_POINTER(1), INT8OID);
	PG_RETURN_VOID();
}

Datum
spgist_simhash_choose(PG_FUNCTION_ARGS)
{
	trie_choose(&simhash_class, (spgChooseIn *) PG_GETARG_POINTER(0),
				(spgChooseOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_picksplit(PG_FUNCTION_ARGS)
{
	trie_picksplit(&simhash_class, (spgPickSplitIn *) PG_GETARG_POINTER(0),
				   (spgPickSplitOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_inner_consistent(PG_FUNCTION_ARGS)
{
	trie_inner_consistent(&simhash_class, (spgInnerConsistentIn *) PG_GETARG_POINTER(0),
						  (spgInnerConsistentOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_leaf_consistent(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(trie_leaf_consistent(&simhash_class,
										(spgLeafConsistentIn *) PG_GETARG_POINTER(0),
										(spgLeafConsistentOut *) PG_GETARG_POINTER(1)));
}

Datum
spgist_simhash_ball_config(PG_FUNCTION_ARGS)
{
	trie_config((spgConfigOut *) PG_GETARG_POINTER(1),
				((spgConfigIn *) PG_GETARG_POINTER(0))->attType);
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_choose(PG_FUNCTION_ARGS)
{
	trie_choose(&ball_class, (spgChooseIn *) PG_GETARG_POINTER(0),
				(spgChooseOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_picksplit(PG_FUNCTION_ARGS)
{
	trie_picksplit(&ball_class, (spgPickSplitIn *) PG_GETARG_POINTER(0),
				   (spgPickSplitOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_inner_consistent(PG_FUNCTION_ARGS)
{
	trie_inner_consistent(&ball_class, (spgInnerConsistentIn *) PG_GETARG_POINTER(0),
						  (spgInnerConsistentOut *) PG_GETARG_POINTER(1));
	PG_RETURN_VOID();
}

Datum
spgist_simhash_ball_leaf_consistent(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(trie_leaf_consistent(&ball_class, (spgLeafConsistentIn *) PG_GETARG_POINTER(0),
										(spgLeafConsistentOut *) PG_GETARG_POINTER(1)));
}
