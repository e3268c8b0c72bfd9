/*
 * statistics_row.h
 *		Tells a row of pg_statistic from others, for what is kept of it between estimates.
 *
 * A row of pg_statistic is never changed in place, so its place and its inserting transaction tell
 * whether it is the same. Statistics of expressions that are not in such a row have no place.
 */
#ifndef NEARDUP_STATISTICS_ROW_H
#define NEARDUP_STATISTICS_ROW_H

#include "access/htup_details.h"
#include "storage/itemptr.h"

typedef struct StatisticsRow
{
	ItemPointerData place;
	TransactionId inserted_by; /* invalid: there is no such row */
} StatisticsRow;

/* Returns which row this is; it may be NULL, or have no place. */
static inline StatisticsRow
StatisticsRowOf(HeapTuple tuple)
{
	StatisticsRow row = {.inserted_by = InvalidTransactionId};

	if (HeapTupleIsValid(tuple) && ItemPointerIsValid(&tuple->t_self))
		row = (StatisticsRow){.place = tuple->t_self,
							  .inserted_by = HeapTupleHeaderGetRawXmin(tuple->t_data)};
	return row;
}

static inline bool
StatisticsRowExists(const StatisticsRow *row)
{
	return TransactionIdIsValid(row->inserted_by);
}

/* Returns whether both are the same row; a row that does not exist is none. */
static inline bool
StatisticsRowIsSame(const StatisticsRow *a, const StatisticsRow *b)
{
	return StatisticsRowExists(a) && a->inserted_by == b->inserted_by &&
		   ItemPointerEquals((ItemPointer) &a->place, (ItemPointer) &b->place);
}

#endif
