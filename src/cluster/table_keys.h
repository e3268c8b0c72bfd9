/*
 * table_keys.h
 *		The keys of the rows of a table, of which each row must have one of its own.
 */
#ifndef NEARDUP_CLUSTER_TABLE_KEYS_H
#define NEARDUP_CLUSTER_TABLE_KEYS_H

#include "join/rows/key_order.h"

/*
 * Appends the key of the next row, from a column of this name. Raises null_value_not_allowed for NULL,
 * and program_limit_exceeded above 2^31 - 1 rows.
 */
extern void TableKeysAppend(JoinKeys *keys, const char *name, Datum key, bool isnull);

/* Orders the keys, as KeyOrderInit does; raises unique_violation if one repeats. */
extern void TableKeysOrder(KeyOrder *order, JoinKeys *keys, const char *name);

#endif
