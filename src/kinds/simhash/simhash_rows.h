/*
 * simhash_rows.h
 *		Rows that are simhashes.
 */
#ifndef NEARDUP_JOIN_SIMHASH_ROWS_H
#define NEARDUP_JOIN_SIMHASH_ROWS_H

#include "rows/row_kind.h"

extern const RowKind simhash_rows;

#endif
