/*
 * sketch_rows.h
 *		Rows that are minhash sketches, compared by the values that they share.
 */
#ifndef NEARDUP_JOIN_SKETCH_ROWS_H
#define NEARDUP_JOIN_SKETCH_ROWS_H

#include "join/rows/input.h"
#include "minhash/minhash.h"

/* Returns the kind that all sketches of an input have, that of the first one; there must be one. */
static inline MinhashKind
SketchRowsKind(const JoinInput *input)
{
	return *(const MinhashKind *) input->content;
}

extern const RowKind sketch_rows;

#endif
