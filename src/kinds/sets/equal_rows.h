/*
 * equal_rows.h
 *		Rows that are all similar, whatever their values are.
 */
#ifndef NEARDUP_JOIN_EQUAL_ROWS_H
#define NEARDUP_JOIN_EQUAL_ROWS_H

#include "join/rows/row_kind.h"

extern const RowKind equal_rows;

#endif
