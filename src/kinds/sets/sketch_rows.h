/*
 * sketch_rows.h
 *		Rows that are minhash sketches, compared by the values that they share.
 */
#ifndef NEARDUP_JOIN_SKETCH_ROWS_H
#define NEARDUP_JOIN_SKETCH_ROWS_H

#include "join/rows/row_kind.h"
#include "minhash/minhash.h"

/* What is known of the sketches of a join: the state of a RowReading. */
typedef struct SketchReading
{
	const char *function; /* name of the function, which errors have */
	bool is_known;
	MinhashKind kind;		   /* kind of the first sketch, which all must have; set if is_known */
	BucketSpec *supershingles; /* their keys are set with the kind; may be NULL */
} SketchReading;

extern const RowKind sketch_rows;

#endif
