/*
 * count_search.h
 *		Finding the records of a segment that match a query by counting.
 */
#ifndef NEARDUP_INDEX_COUNT_SEARCH_H
#define NEARDUP_INDEX_COUNT_SEARCH_H

#include "index/list_counts.h"
#include "index/ranked_tokens.h"

/* An array that grows; palloc'd by the caller, with room for one at least. */
typedef struct CountedRecords
{
	uint32 *records;
	Size count;
	Size capacity;
} CountedRecords;

/* The most tokens of a query whose overlaps can be counted. */
#define COUNT_SEARCH_MOST_TOKENS (LIST_COUNT_MOST - 1)

/*
 * Adds the records that share the least overlap of their class, of the classes where it is at least
 * 1, in any order. `counts` is begun here, and has the overlaps of these records with the query
 * afterwards.
 */
extern void CountSearchRecords(const SegmentStore *store, const IndexSegment *segment,
							   const IndexSizeClass *classes, const int64 *least_overlaps,
							   const RankedToken *tokens, uint32 token_count, ListCounts *counts,
							   CountedRecords *found);

#endif
