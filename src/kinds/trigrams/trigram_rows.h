/*
 * trigram_rows.h
 *		Rows that are texts, compared by their trigrams.
 */
#ifndef NEARDUP_JOIN_TRIGRAM_ROWS_H
#define NEARDUP_JOIN_TRIGRAM_ROWS_H

#include "rows/row_kind.h"

extern const RowKind trigram_rows;

#endif
