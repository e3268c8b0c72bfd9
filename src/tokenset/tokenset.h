/*
 * tokenset.h
 *		The tokenset type: a set of 64-bit tokens.
 */
#ifndef NEARDUP_TOKENSET_H
#define NEARDUP_TOKENSET_H

#include "fmgr.h"
#include "utils/memutils.h"

#include "compat.h"
#include "measure/measure.h"
#include "text/tokens.h"

/* In memory and on disk. Tokens ascend and are distinct. */
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

/* Fetches nothing and checks no version. */
extern int32 TokensetDatumCount(Datum value);

#define DatumGetTokenset(d) TokensetCheck((Tokenset *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET(n) DatumGetTokenset(PG_GETARG_DATUM(n))
#define PG_RETURN_TOKENSET(set) PG_RETURN_POINTER(set)

/* Returns the set; data_corrupted where its version is unknown. */
extern Tokenset *TokensetCheck(Tokenset *set);

/* Tokens, at any alignment, of a value with a short or a long header. Errors as TokensetCheck. */
extern const void *TokensetPackedTokens(const struct varlena *value, Size *count);

/* program_limit_exceeded above TOKENSET_MAX_TOKENS. */
extern void TokensetCheckCount(Size count);

/* The caller fills in the tokens. Errors as TokensetCheckCount. */
extern Tokenset *TokensetAllocate(Size count);

/* Tokens in any order, with repetitions; sorts the array in place. */
extern Tokenset *TokensetFromTokens(Token *tokens, Size count);

/* The list as a set, its repetitions numbered if it is a multiset. Frees the list's tokens. */
extern Tokenset *TokensetFromList(TokenList *list, bool is_multiset);

static inline void
TokensetFreeIfCopy(const Tokenset *set, Datum value)
{
	if ((Pointer) set != DatumGetPointer(value))
		pfree((void *) set);
}

/* |a ∩ b| */
extern int32 TokensetOverlap(const Tokenset *a, const Tokenset *b);

/* |a ∩ b| if at least `least`, else any smaller number, found faster. */
extern int32 TokensetOverlapIfAtLeast(const Tokenset *a, const Tokenset *b, int64 least);

/* First position with a token >= `token`, else `end`; cost logarithmic in the distance. */
static inline const Token *
TokensSeek(const Token *from, const Token *end, Token token)
{
	Size step = 1;

	while ((Size) (end - from) >= step && from[step - 1] < token)
	{
		from += step;
		step *= 2;
	}

	/* One of the next step - 1 positions, or the one after them. */
	if ((Size) (end - from) >= step)
		end = from + step - 1;
	while (from < end)
	{
		const Token *middle = from + (end - from) / 2;

		if (*middle < token)
			from = middle + 1;
		else
			end = middle;
	}
	return from;
}

#endif
