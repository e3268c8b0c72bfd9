/*
 * difference_rows.h
 *		Rows that are sets of tokens, compared by Hamming distances of empty sets, too.
 */
#ifndef NEARDUP_KINDS_DIFFERENCE_ROWS_H
#define NEARDUP_KINDS_DIFFERENCE_ROWS_H

#include "join/rows/row_kind.h"

extern const RowKind difference_rows;

#endif
