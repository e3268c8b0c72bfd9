/*
 * nearest.h
 *		The rows of an index by ascending distance from a set.
 */
#ifndef NEARDUP_INDEX_NEAREST_H
#define NEARDUP_INDEX_NEAREST_H

#include "index/search.h"

typedef struct Nearest Nearest;

/* Of all rows; the query's measure is that of the distance. Memory is the current context's. */
extern Nearest *NearestBegin(const IndexView *view, const SetQuery *query);

/* The next row and a lower bound of its distance, which never falls. NULL after the last row. */
extern const FoundRow *NearestNext(Nearest *nearest);

#endif
