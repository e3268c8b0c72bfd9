/*
 * spgist.c
 *		The SP-GiST operator classes of simhashes and of balls: tries over bits.
 *
 * A search descends into the children whose path, the bits that all keys below
 * have in common, differs from the sought value in no more bits than the distance
 * allows; the number of bits in which it differs is also the bound by which a
 * search for the nearest values is ordered. (See trie.h for keys and prefixes.)
 *
 * When a chain of leaf tuples is divided, the new inner tuple's prefix is all that
 * the keys have in common, so at least two children are not empty, unless all
 * keys are equal. Then SP-GiST makes an inner tuple that is marked allTheSame: its
 * children say nothing about the keys below, beyond the prefix. Such a tuple may
 * later receive other keys with its prefix; their children are divided in turn.
 *
 * A key that does not begin with the prefix on its way divides the prefix: the old tuple
 * becomes a child of a new one with what is common. (Tuples of 4 to 64 children
 * were tried: lookups took as long, and searches for the nearest twice as long.)
 *
 * Leaf tuples have the values as they are, for index-only scans. The prefix of an
 * inner tuple is, for simhashes, an int8: the bits of the center that are known, a
 * 1 behind them, and zeros. For balls it is a ball that has the prefix's length in a field
 * of its own.
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

/* The children of an inner tuple, unless it is marked allTheSame. */
#define CHILDREN 2

/* What the operator classes differ in: how keys and prefixes are stored. */
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

/* The radius is known, since it is 0. */
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
		/* Where all nodes are the same, SP-GiST takes any of them. */
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

/* What a scan key asks for: the centers within a distance. */
typedef struct Sought
{
	Simhash center;
	int distance;
	bool or_radius; /* or within the key's own radius, where that is greater */
} Sought;

static Sought
sought(const TrieClass *class, const ScanKeyData *key)
{
	const SimhashBall *ball;

	if (class == &simhash_class && key->sk_strategy == SPGIST_SIMHASH_EQUAL)
		return (Sought){.center = DatumGetSimhash(key->sk_argument)};
	ball = DatumGetSimhashBall(key->sk_argument);
	return (Sought){
		.center = ball->center, .distance = ball->radius, .or_radius = class == &ball_class};
}

static bool
may_be_below(const TriePrefix *prefix, const Sought *wanted)
{
	int distance = wanted->distance;

	if (wanted->or_radius)
		distance = Max(distance, TrieGreatestRadius(prefix));
	return TrieLeastDistance(prefix, wanted->center) <= distance;
}

/* One for each ordering; SP-GiST leaves out those by NULL. */
static double *
distances(const ScanKeyData *orderbys, int count, const TriePrefix *prefix)
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
	Sought *wanted = palloc(sizeof(Sought) * Max(in->nkeys, 1));

	for (int i = 0; i < in->nkeys; i++)
		wanted[i] = sought(class, &in->scankeys[i]);
	out->nodeNumbers = palloc(sizeof(int) * in->nNodes);
	if (in->norderbys > 0)
		out->distances = palloc(sizeof(double *) * in->nNodes);
	out->nNodes = 0;
	for (int node = 0; node < in->nNodes; node++)
	{
		TriePrefix child = in->allTheSame ? prefix : TrieChildPrefix(prefix, node);
		bool visit = true;

		for (int i = 0; i < in->nkeys && visit; i++)
			visit = may_be_below(&child, &wanted[i]);
		if (!visit)
			continue;
		if (in->norderbys > 0)
			out->distances[out->nNodes] = distances(in->orderbys, in->norderbys, &child);
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
		Sought wanted = sought(class, &in->scankeys[i]);

		if (!may_be_below(&leaf, &wanted))
			return false;
	}
	out->leafValue = in->leafDatum;
	out->recheck = false;
	out->recheckDistances = false;
	if (in->norderbys > 0)
		out->distances = distances(in->orderbys, in->norderbys, &leaf);
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

/* A ball has room for the length of a prefix. */
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
