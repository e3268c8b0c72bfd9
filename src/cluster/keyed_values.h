/*
 * keyed_values.h
 *		Values of some rows of near_duplicates, which are read once more by their keys.
 *
 * A call keeps neither texts nor tokens. What looks at those of a sample reads them by one query, in the
 * caller's snapshot.
 */
#ifndef NEARDUP_CLUSTER_KEYED_VALUES_H
#define NEARDUP_CLUSTER_KEYED_VALUES_H

#include "utils/array.h"

#include "cluster/duplicate_rows.h"

typedef struct KeyedValues
{
	const DuplicateRows *duplicates;
	ArrayBuildState *keys;
	Size key_bytes;
	uint32 count; /* of the rows that are asked for */
} KeyedValues;

/* Begins without a row. Returns false where rows cannot be read by their keys, which are arrays. */
extern bool KeyedValuesBegin(KeyedValues *values, const DuplicateRows *duplicates);

/* Asks for the row at a place, which may be asked for more than once. */
extern void KeyedValuesAsk(KeyedValues *values, uint32 place);

/*
 * Reads the value of an SQL expression over the table's columns for each row, in the order of asking,
 * and calls `take` once at most for each, with its number from 0 on. `begin` is called before, and may
 * be NULL. Calls neither where the keys take too much memory. To be called after the end of the join.
 */
extern void KeyedValuesRead(const KeyedValues *values, const char *expression,
							void (*begin)(void *context, Oid type),
							void (*take)(void *context, uint32 number, Datum value, bool is_null),
							void *context);

#endif
