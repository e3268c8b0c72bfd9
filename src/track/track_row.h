/*
 * track_row.h
 *		A row that a statement has written.
 */
#ifndef NEARDUP_TRACK_TRACK_ROW_H
#define NEARDUP_TRACK_TRACK_ROW_H

#include "storage/itemptr.h"

#include "tokenset/tokenset.h"

typedef struct TrackedRow
{
	Datum key;
	Tokenset *current; /* the set as it should be; NULL if the row has gone */

	/* As recorded; NULL if it is not. */
	Tokenset *former;
	ItemPointerData tid;
	int64 member;
	int64 cluster;
} TrackedRow;

#endif
