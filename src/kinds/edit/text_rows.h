/*
 * text_rows.h
 *		Rows that are texts, compared by edit distance.
 */
#ifndef NEARDUP_JOIN_TEXT_ROWS_H
#define NEARDUP_JOIN_TEXT_ROWS_H

#include "rows/row_kind.h"

extern const RowKind text_rows;

#endif
