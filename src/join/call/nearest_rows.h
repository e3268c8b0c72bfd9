/*
 * nearest_rows.h
 *		The k most similar rows of each row of a join.
 */
#ifndef NEARDUP_JOIN_NEAREST_ROWS_H
#define NEARDUP_JOIN_NEAREST_ROWS_H

#include "join/call/set_groups.h"

/*
 * Takes a neighbour of a row, both by their places; neighbours of a row come from the nearest on.
 */
typedef void (*TakeNeighbor)(void *context, uint32 place, uint32 neighbor, double distance);

/* Which rows of a join of two sides have their neighbours found, in the other side. */
typedef enum NearestOf
{
	NEAREST_OF_LEFT,
	NEAREST_OF_RIGHT,
	NEAREST_OF_BOTH
} NearestOf;

/*
 * Finds the k nearest rows of each row of a join that has been read, of those that satisfy the task's
 * predicate. In a self-join these are other rows of the query, whose keys are unique; if `every` is
 * above 1, only one row in `every`, by place, is sure to have its neighbours found; other rows may.
 * Equally near rows come in the order of their groups, and of their places within a group. The task is
 * the task of the join; its demand is set here, and is told as best_pairs before the rows are read.
 */
extern void NearestRowsFind(CallRows *rows, JoinTask *task, NearestOf of, uint32 every, uint32 k,
							TakeNeighbor take, void *context);

#endif
