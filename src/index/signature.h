/*
 * signature.h
 *		Bitmap signatures of sets in an index, see kernel/filters/bitmap_filter.h.
 */
#ifndef NEARDUP_INDEX_SIGNATURE_H
#define NEARDUP_INDEX_SIGNATURE_H

#include "port/pg_bitutils.h"

#include "index/format.h"

/* A bit below 64 * words; words is a power of two. */
static inline uint32
IndexSignatureBit(Token token, uint32 words)
{
	uint64 h = (uint64) token;

	h ^= h >> 29;
	h *= UINT64CONST(0xbf58476d1ce4e5b9);
	return (uint32) (h >> 32) & (64 * words - 1);
}

static inline void
IndexSignatureToggle(uint64 *signature, uint32 bit)
{
	signature[bit / 64] ^= UINT64CONST(1) << (bit % 64);
}

static inline void
IndexSignatureMake(uint64 *signature, uint32 words, const Token *tokens, uint32 count)
{
	memset(signature, 0, words * sizeof(uint64));
	for (uint32 i = 0; i < count; i++)
		IndexSignatureToggle(signature, IndexSignatureBit(tokens[i], words));
}

/* Bits that differ: at most |x| + |y| - 2 |x ∩ y|. */
static inline uint32
IndexSignatureDistance(const uint64 *x, const uint64 *y, uint32 words)
{
	uint32 distance = 0;

	for (uint32 i = 0; i < words; i++)
		distance += pg_popcount64(x[i] ^ y[i]);
	return distance;
}

#endif
