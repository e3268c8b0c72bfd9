/*
 * duplicate_places.h
 *		The order in which near_duplicates keeps rows.
 */
#ifndef NEARDUP_CLUSTER_DUPLICATE_PLACES_H
#define NEARDUP_CLUSTER_DUPLICATE_PLACES_H

#include "cluster/duplicate_rows.h"

/*
 * Puts the rows, which were read, in the order of their places, and makes the least row of each
 * content its first. Raises unique_violation if keys repeat.
 */
extern void DuplicateRowsPlace(DuplicateRows *rows);

#endif
