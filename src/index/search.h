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
	bool is_match;	  /* its set is known to match the condition */
	bool is_distance; /* the bound is the distance of its set */
	double bound;	  /* a lower bound of the distance (set_query.h); 0 if no order is asked for */
} FoundRow;

typedef struct FoundRows
{
	FoundRow *rows;
	Size count;
	Size capacity;
} FoundRows;

/* Appends a row. The array grows as needed; it is NULL at first. */
extern void FoundRowsAdd(FoundRows *found, const FoundRow *row);

/* Sorts rows by their places in the table. */
extern void FoundRowsSortByTid(FoundRow *rows, Size count);

/*
 * Adds the rows of the index that may match the condition `query`, or all rows if it is NULL. Rows
 * that do not match may be among them, each row is there once. With an `order`, each row has a lower
 * bound of its distance.
 */
extern void SearchRows(const IndexView *view, const SetQuery *query, const SetQuery *order,
					   FoundRows *found);

/* The same for pending rows alone. Only rows that match are added, and bounds are the distances. */
extern void SearchStreams(const IndexView *view, const SetQuery *query, const SetQuery *order,
						  FoundRows *found);

#endif
