/*
 * column_set.c
 *		The set that an index keeps of a value of its column.
 *
 * The operator class tells how it is made. tokenset_ops has no function for that: the column is of
 * type tokenset. tokenset_ball_ops has one that takes the set out of a ball.
 */
#include "postgres.h"

#include "access/genam.h"

#include "index/column_set.h"
#include "index/strategy.h"

Datum
IndexColumnSet(Relation index, Datum value)
{
	if (!OidIsValid(index_getprocid(index, 1, INDEX_SET_FUNCTION)))
		return value;
	return FunctionCall1Coll(index_getprocinfo(index, 1, INDEX_SET_FUNCTION),
							 index->rd_indcollation[0], value);
}
