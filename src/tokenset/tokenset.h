/*
 * tokenset.h
 *		The tokenset type: a set of 64-bit tokens.
 */
#ifndef NEARDUP_TOKENSET_H
#define NEARDUP_TOKENSET_H

#include "fmgr.h"
#include "text/tokens.h"

/*
 * In memory and on disk: tokens ascend and are distinct. The version stands
 * in every value, so that a later layout can be told from this one.
 */
typedef struct Tokenset
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 unused[3];
	Token tokens[FLEXIBLE_ARRAY_MEMBER];
} Tokenset;

#define TOKENSET_VERSION 1
#define TOKENSET_HEADER_SIZE offsetof(Tokenset, tokens)
#define TOKENSET_MAX_TOKENS ((MaxAllocSize - TOKENSET_HEADER_SIZE) / sizeof(Token))

static inline int32
TokensetCount(const Tokenset *set)
{
	return (VARSIZE(set) - TOKENSET_HEADER_SIZE) / sizeof(Token);
}

#define DatumGetTokenset(d) TokensetCheck((Tokenset *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET(n) DatumGetTokenset(PG_GETARG_DATUM(n))
#define PG_RETURN_TOKENSET(set) PG_RETURN_POINTER(set)

/* Raises data_corrupted where the value's version is not known; returns the set. */
extern Tokenset *TokensetCheck(Tokenset *set);

/* A set of so many tokens, which the caller fills in; program_limit_exceeded above the limit. */
extern Tokenset *TokensetAllocate(Size count);

/* A copy of tokens that ascend and are distinct. */
extern Tokenset *TokensetFromSorted(const Token *tokens, Size count);

/* The set of the tokens, in any order and with repetitions; sorts the array in place. */
extern Tokenset *TokensetFromTokens(Token *tokens, Size count);

/* |a ∩ b| */
extern int32 TokensetOverlap(const Tokenset *a, const Tokenset *b);

#endif
