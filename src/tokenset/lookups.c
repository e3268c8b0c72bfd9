/*
 * lookups.c
 *		The tokens of a set that an index scan looks up.
 *
 * To look up a frequent token costs more than to recheck a candidate, so the most frequent ones are
 * left out. Where a match has α of q tokens, it has α - (q - k) of the k rarest, whichever these
 * are: statistics decide how fast a scan is, and nothing else.
 */
#include "postgres.h"

#include "tokenset/lookups.h"

typedef struct RankedToken
{
	double frequency;
	Token token;
} RankedToken;

/* k is chosen such that a match has a third of α, or four. */
#define LEAST_LOOKUP_OVERLAP 4
#define LOOKUP_OVERLAP_PART 3

int64
LookupCount(int64 count, int64 overlap)
{
	int64 looked_up = Max(LEAST_LOOKUP_OVERLAP, overlap / LOOKUP_OVERLAP_PART);

	return overlap <= looked_up ? count : count - overlap + looked_up;
}

static int
compare_ranked(const void *a, const void *b)
{
	const RankedToken *x = (const RankedToken *) a;
	const RankedToken *y = (const RankedToken *) b;

	if (x->frequency != y->frequency)
		return x->frequency < y->frequency ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

Token *
RarestTokens(const SetStatistics *stats, const Tokenset *set, int64 lookups)
{
	int32 count = TokensetCount(set);
	RankedToken *ranked = palloc_extended(count * sizeof(RankedToken), MCXT_ALLOC_HUGE);
	Token *tokens = palloc_extended(lookups * sizeof(Token), MCXT_ALLOC_HUGE);

	for (int32 i = 0; i < count; i++)
	{
		ranked[i].token = set->tokens[i];
		ranked[i].frequency = TokenFrequency(stats, set->tokens[i]);
	}
	qsort(ranked, count, sizeof(RankedToken), compare_ranked);
	for (int64 i = 0; i < lookups; i++)
		tokens[i] = ranked[i].token;
	pfree(ranked);
	return tokens;
}
