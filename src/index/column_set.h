/*
 * column_set.h
 *		The set that an index keeps of a value of its column.
 */
#ifndef NEARDUP_INDEX_COLUMN_SET_H
#define NEARDUP_INDEX_COLUMN_SET_H

#include "utils/rel.h"

/*
 * Returns the tokenset of a value that is not NULL, as a datum. It is the value itself, unless the
 * operator class has a support function; then it is in the current memory context.
 */
extern Datum IndexColumnSet(Relation index, Datum value);

#endif
