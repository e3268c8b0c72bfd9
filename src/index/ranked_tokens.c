/*
 * ranked_tokens.c
 *		The tokens of a query in the order of a segment.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/ranked_tokens.h"

/* The order of a record's tokens: by frequency, then by hash. Tokens without a list come first. */
static int
search_compare_ranks(const RankedToken *a, const RankedToken *b)
{
	if (a->entry.count != b->entry.count)
		return a->entry.count < b->entry.count ? -1 : 1;
	return a->hash < b->hash ? -1 : a->hash > b->hash;
}

#define ST_SORT sort_ranked
#define ST_ELEMENT_TYPE RankedToken
#define ST_COMPARE(a, b) search_compare_ranks(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

#define ST_SORT sort_by_hash
#define ST_ELEMENT_TYPE RankedToken
#define ST_COMPARE(a, b) ((a)->hash < (b)->hash ? -1 : (a)->hash > (b)->hash)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

RankedToken *
RankTokens(const SegmentStore *store, const IndexSegment *segment, const SetQuery *query)
{
	RankedToken *ranked =
		palloc_extended(Max(query->size, 1) * sizeof(RankedToken), MCXT_ALLOC_HUGE);
	DictionarySearch dictionary;

	for (uint32 i = 0; i < query->size; i++)
	{
		ranked[i].entry = (IndexEntry){.token = query->tokens[i]};
		ranked[i].hash = IndexTokenHash(query->tokens[i]);
	}
	sort_by_hash(ranked, query->size);
	DictionarySearchBegin(&dictionary, store, segment);
	for (uint32 i = 0; i < query->size; i++)
		DictionarySearchFind(&dictionary, ranked[i].entry.token, &ranked[i].entry);
	DictionarySearchEnd(&dictionary);
	sort_ranked(ranked, query->size);
	return ranked;
}

uint64
RankedPostings(const RankedToken *tokens, uint32 count)
{
	uint64 postings = 0;

	for (uint32 i = 0; i < count; i++)
		postings += tokens[i].entry.count;
	return postings;
}
