/*
 * tokenset.h
 *		The tokenset type: a set of 64-bit tokens.
 */
#ifndef NEARDUP_TOKENSET_H
#define NEARDUP_TOKENSET_H

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/memutils.h"

#include "compat.h"
#include "measure/measure.h"
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

/* The number of tokens, from the value's size alone: nothing is fetched, the version not checked. */
extern int32 TokensetDatumCount(Datum value);

#define DatumGetTokenset(d) TokensetCheck((Tokenset *) PG_DETOAST_DATUM(d))
#define PG_GETARG_TOKENSET(n) DatumGetTokenset(PG_GETARG_DATUM(n))
#define PG_RETURN_TOKENSET(set) PG_RETURN_POINTER(set)

/* Raises data_corrupted where the value's version is not known; returns the set. */
extern Tokenset *TokensetCheck(Tokenset *set);

/*
 * The tokens of a value whose header may be a short one, at any alignment;
 * data_corrupted where its version is not known.
 */
extern const void *TokensetPackedTokens(const struct varlena *value, Size *count);

/* Raises program_limit_exceeded where a set cannot have so many tokens. */
extern void TokensetCheckCount(Size count);

/* A set of so many tokens, which the caller fills in; program_limit_exceeded above the limit. */
extern Tokenset *TokensetAllocate(Size count);

/* A copy of tokens that ascend and are distinct. */
extern Tokenset *TokensetFromSorted(const Token *tokens, Size count);

/* The set of the tokens, in any order and with repetitions; sorts the array in place. */
extern Tokenset *TokensetFromTokens(Token *tokens, Size count);

/* The text form, for types that contain a set. */
extern Datum tokenset_in(PG_FUNCTION_ARGS);
extern Datum tokenset_out(PG_FUNCTION_ARGS);

/*
 * The binary form: appended to a buffer; and read, from a buffer that ends with
 * it, invalid_binary_representation where it is malformed.
 */
extern void TokensetWrite(StringInfo buffer, const Tokenset *set);
extern Tokenset *TokensetRead(StringInfo buffer);

/* |a ∩ b| */
extern int32 TokensetOverlap(const Tokenset *a, const Tokenset *b);

/*
 * |a ∩ b| if that is at least `least`, else any smaller number: it stops as
 * soon as `least` is out of reach.
 */
extern int32 TokensetOverlapIfAtLeast(const Tokenset *a, const Tokenset *b, int64 least);

/*
 * The predicate for two tokenset datums. What is fetched for it is freed; sets
 * whose sizes rule it out are not fetched.
 */
extern bool TokensetDatumsSimilar(Predicate predicate, Datum a, Datum b);

/* The SQL functions of the measures and predicates, by which the planner's join knows them. */
extern Datum tokenset_jaccard(PG_FUNCTION_ARGS);
extern Datum tokenset_cosine(PG_FUNCTION_ARGS);
extern Datum tokenset_dice(PG_FUNCTION_ARGS);
extern Datum tokenset_containment(PG_FUNCTION_ARGS);
extern Datum tokenset_overlap(PG_FUNCTION_ARGS);
extern Datum tokenset_jaccard_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_cosine_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_dice_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_containment_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_overlap_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_hamming_le(PG_FUNCTION_ARGS);
extern Datum tokenset_similar(PG_FUNCTION_ARGS);

/* Set algebra; each result is a new set in the current memory context. */
extern Tokenset *TokensetUnion(const Tokenset *a, const Tokenset *b);
extern Tokenset *TokensetIntersection(const Tokenset *a, const Tokenset *b);
extern Tokenset *TokensetDifference(const Tokenset *a, const Tokenset *b);

/* Whether the sets share a token; whether every token of b is in a. */
extern bool TokensetOverlaps(const Tokenset *a, const Tokenset *b);
extern bool TokensetContains(const Tokenset *a, const Tokenset *b);

/* Lexicographic by token, a prefix before what it begins: -1, 0 or 1. */
extern int TokensetCompare(const Tokenset *a, const Tokenset *b);

/*
 * XXH3-64 of the tokens' little-endian bytes, with a seed: the same on every
 * platform.
 */
extern uint64 TokensetHash(const Tokenset *set, uint64 seed);

/*
 * First position from `from` on, before `end`, whose token is not below
 * `token`; `end` if there is none. Costs the logarithm of the distance.
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

	/* What is sought lies among the next step - 1 tokens, or just after them. */
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
