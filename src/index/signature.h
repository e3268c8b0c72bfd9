/*
 * signature.h
 *		Bitmap signatures of sets in an index.
 *
 * Each token of a set toggles one bit. A token that two sets share toggles the same bit in both, so
 * the bits in which their signatures differ come from the tokens that only one set has: there are
 * at most |x| + |y| - 2 |x ∩ y| such bits. If more bits differ than this expression allows for the
 * overlap that is needed, the sets are not similar. (kernel/filters/bitmap_filter.h has the same
 * filter for joins, by ranks instead of tokens.)
 */
#ifndef NEARDUP_INDEX_SIGNATURE_H
#define NEARDUP_INDEX_SIGNATURE_H

#include "port/pg_bitutils.h"

#include "index/format_hash.h"

static inline void
IndexSignatureToggle(uint64 *signature, uint32 bit)
{
	signature[bit / 64] ^= UINT64CONST(1) << (bit % 64);
}

/* Writes the signature of a set, `words` words. */
static inline void
IndexSignatureMake(uint64 *signature, uint32 words, const Token *tokens, uint32 count)
{
	memset(signature, 0, words * sizeof(uint64));
	for (uint32 i = 0; i < count; i++)
		IndexSignatureToggle(signature, IndexSignatureBit(tokens[i], words));
}

/* Returns the number of bits that differ: at most |x| + |y| - 2 |x ∩ y|. */
static inline uint32
IndexSignatureDistance(const uint64 *x, const uint64 *y, uint32 words)
{
	uint32 distance = 0;

	for (uint32 i = 0; i < words; i++)
		distance += pg_popcount64(x[i] ^ y[i]);
	return distance;
}

#endif
