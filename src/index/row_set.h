/*
 * row_set.h
 *		The set that an index keeps of a row.
 */
#ifndef NEARDUP_INDEX_ROW_SET_H
#define NEARDUP_INDEX_ROW_SET_H

#include "utils/rel.h"

/*
 * Makes the tokenset of a row from the values of the index's columns, as a datum. It is a column's
 * value itself, or in the current memory context. Returns false if the index keeps the row without
 * tokens.
 */
extern bool IndexRowSet(Relation index, const Datum *values, const bool *isnull, Datum *set);

#endif
