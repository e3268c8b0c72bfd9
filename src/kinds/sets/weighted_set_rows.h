/*
 * weighted_set_rows.h
 *		Rows that are sets of tokens, compared by the weights of these.
 */
#ifndef NEARDUP_JOIN_WEIGHTED_SET_ROWS_H
#define NEARDUP_JOIN_WEIGHTED_SET_ROWS_H

#include "rows/row_kind.h"

extern const RowKind weighted_set_rows;

/* Returns the kind of sets that are compared by a measure. */
extern const RowKind *SetRowsOf(Measure measure);

#endif
