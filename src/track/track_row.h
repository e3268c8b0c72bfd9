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
	Tokenset *current; /* the set as the table has it now; NULL if the row has gone */

	/* What is recorded in DOC_neardup. `former` is NULL if the row is not recorded. */
	Tokenset *former;
	ItemPointerData tid; /* of the version that was read */
	int64 member;
	int64 cluster;
} TrackedRow;

#endif
