/*
 * row_set.c
 *		The set that an index keeps of a row.
 *
 * The operator class of the last column tells how a set is made of its value. tokenset_ops has no
 * function for that: the column is of type tokenset. tokenset_ball_ops has one that takes the set
 * out of a ball, edit_ops one that makes the q-grams of a text. If the index has scope columns,
 * then the set has the salted tokens of its scope (scope.c).
 */
#include "postgres.h"

#include "access/genam.h"

#include "index/row_set.h"
#include "index/scope.h"
#include "kinds/index_class.h"

/* Returns the set of a value of the last column. */
static Datum
column_set(Relation index, Datum value)
{
	int column = IndexScopeColumns(index) + 1;

	if (!OidIsValid(index_getprocid(index, column, INDEX_SET_FUNCTION)))
		return value;
	return FunctionCall1Coll(index_getprocinfo(index, column, INDEX_SET_FUNCTION),
							 index->rd_indcollation[column - 1], value);
}

bool
IndexRowSet(Relation index, const Datum *values, const bool *isnull, Datum *set)
{
	int scope_columns = IndexScopeColumns(index);
	const void *tokens = NULL;
	Size count = 0;
	uint64 salt;

	if (scope_columns == 0)
	{
		if (!isnull[0])
			*set = column_set(index, values[0]);
		return !isnull[0];
	}
	if (!IndexScopeOfRow(index, values, isnull, &salt))
		return false;
	if (!isnull[scope_columns])
		tokens = TokensetPackedTokens(
			PG_DETOAST_DATUM_PACKED(column_set(index, values[scope_columns])), &count);
	*set = PointerGetDatum(IndexScopeSet(salt, tokens, count));
	return true;
}
