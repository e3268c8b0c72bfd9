/*
 * known_tokens.c
 *		Tokens that have ids before the records come, of which the records have some.
 */
#include "c.h"

#include "kernel/records/known_tokens.h"

void
KnownTokensCount(KnownTokens *known, JoinHost *host, const uint32 *ids, uint32 count)
{
	uint32 *frequencies = known->frequencies;
	uint32 present = known->present;

	if (frequencies == NULL)
		frequencies = known->frequencies =
			JoinAllocateZero(host, (Size) known->count + 1, sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
		present += frequencies[ids[i]]++ == 0;
	known->present = present;
	JoinTick(host, count);
}

/* Turns the counts of tokens by frequency into the first rank of each frequency. */
static void
known_first_ranks(uint32 *counts, uint32 most)
{
	uint32 so_far = 0;

	for (uint64 frequency = 1; frequency <= most; frequency++)
	{
		uint32 count = counts[frequency];

		counts[frequency] = so_far;
		so_far += count;
	}
}

uint32
KnownTokensRank(const KnownTokens *known, JoinHost *host, uint32 most, uint32 *rank_of_id)
{
	const uint32 *frequencies = known->frequencies;
	uint32 *next;
	uint32 singles;

	if (known->present == 0)
		return 0;
	next = JoinAllocateZero(host, (Size) most + 1, sizeof(uint32));
	for (uint32 id = 1; id <= known->count; id++)
		next[frequencies[id]]++;
	singles = next[1];
	next[0] = 0;
	known_first_ranks(next, most);
	for (uint32 id = 1; id <= known->count; id++)
	{
		rank_of_id[id] = next[frequencies[id]];
		next[frequencies[id]] += frequencies[id] > 0;
	}
	JoinTick(host, (uint64) known->count + most);
	JoinRelease(host, next, (Size) most + 1, sizeof(uint32));
	return singles;
}

void
KnownTokensFree(KnownTokens *known, JoinHost *host)
{
	JoinRelease(host, known->frequencies, (Size) known->count + 1, sizeof(uint32));
	known->frequencies = NULL;
}
