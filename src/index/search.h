/*
 * search.h
 *		Finding the rows of an index that may match a query.
 *
 * All memory is in the current context.
 */
#ifndef NEARDUP_INDEX_SEARCH_H
#define NEARDUP_INDEX_SEARCH_H

#include "index/meta.h"
#include "index/segment.h"
#include "index/set_query.h"

typedef struct FoundRow
{
	ItemPointerData tid;
	double bound; /* a lower bound of the distance; 0 if no distance is asked for */
} FoundRow;

typedef struct FoundRows
{
	FoundRow *rows;
	Size count;
	Size capacity;
} FoundRows;

/* Appends a row. The array grows as needed; it is NULL at first. */
extern void FoundRowsAdd(FoundRows *found, const ItemPointerData *tid, double bound);

/* A token of a query. If the segment does not have it, the entry's count is 0. */
typedef struct RankedToken
{
	IndexEntry entry;
	uint64 hash;
} RankedToken;

/* Returns the tokens of a query, palloc'd, by their frequency in the segment, the rarest first. */
extern RankedToken *SearchRankTokens(const SegmentStore *store, const IndexSegment *segment,
									 const SetQuery *query);

/*
 * Adds the rows of the index that may match the condition `query`, or all rows if it is NULL. Rows
 * that do not match may be among them, each row is there once. With a distance `order`, each row
 * has a lower bound of it.
 */
extern void SearchRows(const IndexView *view, const SetQuery *query, const SetQuery *order,
					   FoundRows *found);

/* The same for pending rows alone. Only rows that match are added, and bounds are the distances. */
extern void SearchStreams(const IndexView *view, const SetQuery *query, const SetQuery *order,
						  FoundRows *found);

#endif
