/*
 * nearest.h
 *		The rows of an index by ascending distance from a set, as far as they are asked for.
 */
#ifndef NEARDUP_INDEX_NEAREST_H
#define NEARDUP_INDEX_NEAREST_H

#include "index/search.h"

typedef struct Nearest Nearest;

/*
 * Begins a search of all rows of the view, by the distance of the query's measure. View and query
 * must last as long as the search. All memory, then and later, is in the current memory context.
 */
extern Nearest *NearestBegin(const IndexView *view, const SetQuery *query);

/*
 * Returns the next row with a lower bound of its distance, valid until the next call, or NULL after
 * the last row. Bounds never fall, but distances may: the caller computes them and sorts.
 */
extern const FoundRow *NearestNext(Nearest *nearest);

#endif
