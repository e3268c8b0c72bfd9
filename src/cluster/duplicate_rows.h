/*
 * duplicate_rows.h
 *		The rows of a call of near_duplicates: keys, texts and places.
 */
#ifndef NEARDUP_CLUSTER_DUPLICATE_ROWS_H
#define NEARDUP_CLUSTER_DUPLICATE_ROWS_H

#include "cluster/duplicates_request.h"
#include "join/call/call_rows.h"

/*
 * Places are in the order of preference: the order that is asked for, or the order of the sizes of the
 * token sets, or else the order of the keys. Rows of equal content are one group, whose first row is
 * the one of the least place.
 */
typedef struct DuplicateRows
{
	DuplicatesRequest *request;
	CallRows rows;

	/* First by number, then by place: */
	bool *has_text;
	CopyHash *texts;   /* equal for equal texts only */
	uint32 *preferred; /* places by the order that is asked for; NULL if none is */
} DuplicateRows;

/*
 * Begins the join and reads the rows of the request, which may then accept fewer pairs of the join.
 * Allocates in the current memory context, in which all must stay while the join runs.
 */
extern void DuplicateRowsRead(DuplicateRows *duplicates, SimilarityJoin *join,
							  DuplicatesRequest *request);

/* Returns the place of the first row of a group. */
static inline uint32
DuplicateRowsFirst(const DuplicateRows *duplicates, uint32 group)
{
	return *CallRowsMembers(&duplicates->rows, group);
}

/* Whether the row at a place has another text than the one at `kept`, which is kept instead of it. */
static inline bool
DuplicateRowsDiffer(const DuplicateRows *duplicates, uint32 place, uint32 kept)
{
	return !CopyHashesEqual(duplicates->texts[place], duplicates->texts[kept]);
}

#endif
