/*
 * trie.h
 *		Tries over the bits of simhashes and balls.
 *
 * A key has 7 bits of radius, which are 0 for a simhash, and 64 bits of center, each with the most
 * significant one first. An inner node stands for the keys that begin with its prefix, which is the
 * whole path from the root, and the next bit of a key chooses the child.
 */
#ifndef NEARDUP_SIMHASH_TRIE_H
#define NEARDUP_SIMHASH_TRIE_H

#include "simhash/ball.h"

#define TRIE_RADIUS_BITS 7
#define TRIE_KEY_BITS (TRIE_RADIUS_BITS + SIMHASH_BITS)

/* Equal keys, too, must have a next bit, which chooses a child. */
#define TRIE_LONGEST_PREFIX (TRIE_KEY_BITS - 1)

typedef struct TrieKey
{
	uint32 radius;
	Simhash center;
} TrieKey;

/* The first `length` bits of a key; the others are 0. */
typedef struct TriePrefix
{
	TrieKey key;
	int length;
} TriePrefix;

/* Return the bits of the radius, and of the center, that a prefix of this length has. */
static inline uint32
TrieRadiusMask(int length)
{
	int known = Min(length, TRIE_RADIUS_BITS);

	return ((1u << known) - 1) << (TRIE_RADIUS_BITS - known);
}

static inline uint64
TrieCenterMask(int length)
{
	if (length <= TRIE_RADIUS_BITS)
		return 0;
	return PG_UINT64_MAX << (TRIE_KEY_BITS - length);
}

/* Returns the first bits of a key. */
static inline TriePrefix
TriePrefixOf(TrieKey key, int length)
{
	TriePrefix prefix = {.length = length};

	prefix.key.radius = key.radius & TrieRadiusMask(length);
	prefix.key.center = key.center & TrieCenterMask(length);
	return prefix;
}

/* Returns in how many first bits two keys agree. */
static inline int
TrieCommonLength(TrieKey a, TrieKey b)
{
	if (a.radius != b.radius)
		return TRIE_RADIUS_BITS - 1 - pg_leftmost_one_pos32(a.radius ^ b.radius);
	if (a.center != b.center)
		return TRIE_KEY_BITS - 1 - pg_leftmost_one_pos64(a.center ^ b.center);
	return TRIE_KEY_BITS;
}

/* Returns the child for a key: its bit behind a prefix of this length. */
static inline int
TrieChild(TrieKey key, int length)
{
	if (length < TRIE_RADIUS_BITS)
		return (key.radius >> (TRIE_RADIUS_BITS - 1 - length)) & 1;
	return (int) (key.center >> (TRIE_KEY_BITS - 1 - length)) & 1;
}

/* Returns the prefix of a node, lengthened by the bit of a child. */
static inline TriePrefix
TrieChildPrefix(TriePrefix node, int child)
{
	TriePrefix prefix = {.key = node.key, .length = node.length + 1};

	if (node.length < TRIE_RADIUS_BITS)
		prefix.key.radius |= (uint32) child << (TRIE_RADIUS_BITS - prefix.length);
	else
		prefix.key.center |= (uint64) child << (TRIE_KEY_BITS - prefix.length);
	return prefix;
}

/* Returns the least distance from the value that a center with this prefix can have. */
static inline int
TrieLeastDistance(const TriePrefix *prefix, Simhash value)
{
	return pg_popcount64((prefix->key.center ^ value) & TrieCenterMask(prefix->length));
}

/* Returns the greatest radius that a key with this prefix can have. */
static inline int
TrieGreatestRadius(const TriePrefix *prefix)
{
	return prefix->key.radius | (((1u << TRIE_RADIUS_BITS) - 1) & ~TrieRadiusMask(prefix->length));
}

#endif
