/*
 * edit_query.h
 *		The type edit_query: the condition that a text, x, is within an edit distance of another one.
 *
 * edit_within(x, value, max_distance) has three arguments, and an operator has two. So that an index
 * on a column can answer it, the planner puts everything except the column into one value, the right
 * operand of @~ (edit_condition.c).
 */
#ifndef NEARDUP_STRINGS_EDIT_QUERY_H
#define NEARDUP_STRINGS_EDIT_QUERY_H

#include "fmgr.h"

/* `value` is a text with a header of four bytes. */
typedef struct EditQuery
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	int32 max_distance;
	char value[FLEXIBLE_ARRAY_MEMBER];
} EditQuery;

#define DatumGetEditQuery(d) ((EditQuery *) PG_DETOAST_DATUM(d))
#define PG_GETARG_EDIT_QUERY(n) DatumGetEditQuery(PG_GETARG_DATUM(n))

/* Returns the text that is given, within the query. */
static inline text *
EditQueryValue(EditQuery *query)
{
	return (text *) query->value;
}

/* SQL functions, declared for the planner's estimates, which recognize their calls by the address. */
extern Datum edit_query(PG_FUNCTION_ARGS);
extern Datum edit_matches(PG_FUNCTION_ARGS);

#endif
