/*
 * key_pairs.h
 *		Reads the pairs of keys that a user's query returns, with or without a score.
 *
 * Keys get numbers as they occur. The pairs of numbers wait until all keys are known, in JoinSortMemory() and
 * then in a file, so that memory grows only with the keys. They come back as ranks of keys.
 */
#ifndef NEARDUP_JOIN_KEY_PAIRS_H
#define NEARDUP_JOIN_KEY_PAIRS_H

#include "join/call/pair_sort.h"
#include "rows/key_numbers.h"
#include "rows/key_order.h"
#include "rows/query.h"
#include "rows/record_file.h"

/* The different keys of one column, or of both. */
typedef struct PairedKeys
{
	JoinKeys keys;
	KeyNumbers *numbers; /* while pairs are read, and later if keeps_numbers */
	KeyOrder order;		 /* afterwards */
} PairedKeys;

typedef struct KeyPairs
{
	/* The caller sets these before it reads the query. */
	const char *name; /* the query's, in messages */
	KeyPolicy key_policy;
	Oid key_type;  /* type of the keys, set for KEYS_OF_TYPE */
	Oid collation; /* by which keys are compared; invalid: by their column's */
	bool are_scored;
	bool two_sided; /* the columns have keys of different things, which are numbered apart */
	bool keeps_numbers;
	/* Takes the numbers of each pair's keys instead of its being stored; may be NULL. */
	void (*take)(void *context, uint32 a, uint32 b);
	void *take_context;

	PairedKeys sides[2]; /* the first one has the keys of both columns unless two_sided */
	QueryReceiver receiver;
	MemoryContext context;	   /* holds keys and pairs */
	MemoryContext row_context; /* reset after each row */
	Oid column_types[2];
	Oid score_type;
	RecordFile pairs; /* RankedPairs of numbers; distances are negative scores */
} KeyPairs;

/*
 * Runs the query, of columns a, b and perhaps score, and orders the keys; allocates in the current
 * memory context. Pairs with a NULL are left out, and so are those of two equal keys unless
 * two_sided.
 *
 * Errors: those of JoinRunQuery, JoinKeysInit and KeyNumbersCreate; datatype_mismatch for wrong
 * columns, invalid_parameter_value for a score that is not a number.
 */
extern void KeyPairsRead(KeyPairs *pairs, const char *query);

/* Returns the next stored pair as ranks of its keys in *pair; false after the last. Can be cancelled. */
extern bool KeyPairsTake(KeyPairs *pairs, RankedPair *pair);

static inline const PairedKeys *
KeyPairsSide(const KeyPairs *pairs, int column)
{
	return &pairs->sides[pairs->two_sided ? column : 0];
}

/* Returns a key of column 0 or 1 as a result, by its rank. */
static inline Datum
KeyPairsKey(const KeyPairs *pairs, int column, uint32 rank)
{
	const PairedKeys *side = KeyPairsSide(pairs, column);

	return JoinKeysResult(&side->keys, pairs->key_policy, side->order.by_rank[rank]);
}

#endif
