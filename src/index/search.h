/*
 * search.h
 *		The rows of an index that may match a query.
 */
#ifndef NEARDUP_INDEX_SEARCH_H
#define NEARDUP_INDEX_SEARCH_H

#include "index/meta.h"
#include "index/segment.h"
#include "index/set_query.h"

typedef struct FoundRow
{
	ItemPointerData tid;
	double bound; /* a lower bound of the distance */
} FoundRow;

typedef struct FoundRows
{
	FoundRow *rows;
	Size count;
	Size capacity;
} FoundRows;

extern void FoundRowsAdd(FoundRows *found, const ItemPointerData *tid, double bound);

/* A token of a query in a segment; count is 0 if it has none. */
typedef struct RankedToken
{
	IndexEntry entry;
	uint64 hash;
} RankedToken;

/* The query's tokens from the rarest of the segment on, palloc'd. */
extern RankedToken *SearchRankTokens(Relation index, const IndexSegment *segment,
									 const SetQuery *query);

/* Adds the rows that may match; all rows, if the query is NULL. `order` gives bounds, or is NULL. */
extern void SearchRows(const IndexView *view, const SetQuery *query, const SetQuery *order,
					   FoundRows *found);

/* The same of rows that are in no segment; the bounds are distances. */
extern void SearchStreams(const IndexView *view, const SetQuery *query, const SetQuery *order,
						  FoundRows *found);

#endif
