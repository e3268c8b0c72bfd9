/*
 * tokenset.h
 *		The tokenset type: a set of 64-bit tokens.
 *
 * The tokens are stored in ascending order, so that an overlap is a merge, equal sets are equal
 * bytes, and the size of a set follows from the size of its datum, without fetching it.
 */
#ifndef NEARDUP_TOKENSET_H
#define NEARDUP_TOKENSET_H

#include "fmgr.h"
#include "utils/memutils.h"

#include "bisect.h"
#include "compat.h"
#include "measure/measure.h"
#include "text/tokens.h"

/* In memory and on disk. The tokens are distinct and ascend, as signed numbers. */
typedef struct Tokenset
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 unused[3];
	Token tokens[FLEXIBLE_ARRAY_MEMBER];
} Tokenset;

#define TOKENSET_VERSION 1
#define TOKENSET_HEADER_SIZE offsetof(Tokenset, tokens)

/* The most tokens of a set, which fit into 1 GB. */
#define TOKENSET_MAX_TOKENS ((MaxAllocSize - TOKENSET_HEADER_SIZE) / sizeof(Token))

/* Returns the number of tokens. */
static inline int32
TokensetCount(const Tokenset *set)
{
	return (VARSIZE(set) - TOKENSET_HEADER_SIZE) / sizeof(Token);
}

/* Returns the number of tokens of a datum, without fetching it, nor checking its version. */
extern int32 TokensetDatumCount(Datum value);

#define DatumGetTokenset(d) TokensetCheck((Tokenset *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET(n) DatumGetTokenset(PG_GETARG_DATUM(n))
#define PG_RETURN_TOKENSET(set) PG_RETURN_POINTER(set)

/* Returns the set. Raises data_corrupted if its version is unknown. */
extern Tokenset *TokensetCheck(Tokenset *set);

/*
 * Returns the tokens of a value that is in memory uncompressed, but may have a short header: they
 * may lie at any alignment. *count becomes their number. Raises data_corrupted if the version is
 * unknown.
 */
extern const void *TokensetPackedTokens(const struct varlena *value, Size *count);

/* Raises program_limit_exceeded above TOKENSET_MAX_TOKENS. */
extern void TokensetCheckCount(Size count);

/*
 * Returns a new set in the current memory context; the caller fills in the tokens. Errors are those
 * of TokensetCheckCount.
 */
extern Tokenset *TokensetAllocate(Size count);

/*
 * Returns the set of tokens that come in any order and with repetitions, as a new one. Sorts the
 * array in place.
 */
extern Tokenset *TokensetFromTokens(Token *tokens, Size count);

/*
 * Returns the set of a list's tokens as a new one. Repetitions are dropped, or for a multiset
 * numbered (text/occurrences.h). Frees the tokens of the list.
 */
extern Tokenset *TokensetFromList(TokenList *list, bool is_multiset);

/* Frees a set that was detoasted from `value`, if that made a copy. */
static inline void
TokensetFreeIfCopy(const Tokenset *set, Datum value)
{
	if ((Pointer) set != DatumGetPointer(value))
		pfree((void *) set);
}

/* Returns |a ∩ b|. */
extern int32 TokensetOverlap(const Tokenset *a, const Tokenset *b);

/* Returns |a ∩ b| if it is at least `least`; otherwise some number below `least`, sooner. */
extern int32 TokensetOverlapIfAtLeast(const Tokenset *a, const Tokenset *b, int64 least);

/*
 * Returns the first place from `from` on, in ascending tokens, whose token is not below `token`;
 * `end` if there is none. The cost is logarithmic in the distance.
 */
static inline const Token *
TokensSeek(const Token *from, const Token *end, Token token)
{
	Size step = 1;

	while ((Size) (end - from) >= step && from[step - 1] < token)
	{
		from += step;
		step *= 2;
	}

	/* It is one of the next step - 1 places, or the one behind them. */
	if ((Size) (end - from) >= step)
		end = from + step - 1;
	BISECT(const Token *, from, end, at, *at < token);
	return from;
}

#endif
