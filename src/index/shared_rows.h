/*
 * shared_rows.h
 *		Whether an index's order is of use for a query that goes on by another column.
 */
#ifndef NEARDUP_INDEX_SHARED_ROWS_H
#define NEARDUP_INDEX_SHARED_ROWS_H

#include "nodes/pathnodes.h"

/*
 * Returns whether fewer rows share a token with the value by which an index orders rows than the query
 * is limited to. Then a scan reads all rows before the query's first row is known, if that has further
 * sort keys: those that share no token are all equally far. False where the value is not known.
 */
extern bool IndexSharesTooFewRows(const PlannerInfo *root, const IndexPath *path);

#endif
