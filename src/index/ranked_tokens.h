/*
 * ranked_tokens.h
 *		The tokens of a query in the order of a segment.
 */
#ifndef NEARDUP_INDEX_RANKED_TOKENS_H
#define NEARDUP_INDEX_RANKED_TOKENS_H

#include "index/segment.h"
#include "index/set_query.h"

/* A token of a query. If the segment does not have it, the entry's count is 0. */
typedef struct RankedToken
{
	IndexEntry entry;
	uint64 hash;
} RankedToken;

/* Returns the tokens of a query, palloc'd, by their frequency in the segment, the rarest first. */
extern RankedToken *RankTokens(const SegmentStore *store, const IndexSegment *segment,
							   const SetQuery *query);

/* Returns the number of postings of all lists together. */
extern uint64 RankedPostings(const RankedToken *tokens, uint32 count);

#endif
