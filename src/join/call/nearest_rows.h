/*
 * nearest_rows.h
 *		The k most similar rows of each row of a join.
 */
#ifndef NEARDUP_JOIN_NEAREST_ROWS_H
#define NEARDUP_JOIN_NEAREST_ROWS_H

#include "join/call/row_places.h"

/* Takes a neighbour of a row, both by their places; those of a row come from the nearest on. */
typedef void (*TakeNeighbor)(void *context, uint32 place, uint32 neighbor, double distance);

/*
 * Finds the k nearest rows of each row of a join that has been read, of those that satisfy the
 * task's predicate. In a self-join these are other rows of the query; of two sides, rows of the other
 * side, for each row of the left or of the right. Of equally near rows that of the least place comes
 * first. The task is that of the join, whose roles and wishes are set here. The keys of a self-join
 * are unique. May be called once for each side.
 */
extern void NearestRowsFind(RowPlaces *rows, JoinTask *task, bool of_right, uint32 k,
							TakeNeighbor take, void *context);

#endif
