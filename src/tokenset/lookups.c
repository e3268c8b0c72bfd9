/*
 * lookups.c
 *		The tokens of a set that an index scan looks up.
 *
 * To look a frequent token up for every candidate takes longer than to recheck the candidate's row.
 * So the most frequent tokens of the query are left out. If each match has α of q tokens, and only
 * the k rarest are looked up, each match has at least α - (q - k) of these: the q - k others can be
 * no more than q - k of its α. That holds whichever k tokens are taken. So the statistics that tell
 * which are rare decide how fast a scan is, and never what it finds.
 *
 * The fewer tokens are looked up, the more rows pass that are no match. k is chosen such that a
 * match must still have a third of α, or four tokens. With q = 60 and α = 45, k = 30, and a match
 * has 15 of these.
 */
#include "postgres.h"

#include "tokenset/lookups.h"

typedef struct RankedToken
{
	double frequency;
	Token token;
} RankedToken;

/*
 * What a match must have of the tokens that are looked up: four, or a third of α if that is more.
 */
#define LEAST_LOOKUP_OVERLAP 4
#define LOOKUP_OVERLAP_PART 3

int64
LookupCount(int64 count, int64 overlap)
{
	int64 looked_up = Max(LEAST_LOOKUP_OVERLAP, overlap / LOOKUP_OVERLAP_PART);

	return overlap <= looked_up ? count : count - overlap + looked_up;
}

/* The rarest first, equally rare ones by token. */
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
