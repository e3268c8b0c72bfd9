/*
 * equal_rows.c
 *		Rows that are all similar, whatever their values are.
 *
 * They stand for rows of another kind where a threshold lets all of these be similar, also those
 * without any token. Each row is the set of one token, the same in all rows of a group.
 */
#include "postgres.h"

#include "kinds/sets/equal_rows.h"
#include "kinds/sets/set_rows.h"

static Predicate
predicate_of_equal_rows(Measure measure, double threshold)
{
	return (Predicate){.measure = MEASURE_JACCARD, .threshold = 1};
}

static bool
read_any_value(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	TokenList *tokens = &reading->tokens;

	tokens->count = 0;
	TokenListAppend(tokens, (Token) group);
	*row = (JoinRow){.data = tokens->tokens, .count = 1};
	return true;
}

const RowKind equal_rows = {ROWS_AS_SETS,
							.name = "value",
							.algorithm = JOIN_EQUAL,
							.algorithms = 1 << JOIN_EQUAL,
							.predicate = predicate_of_equal_rows,
							.read = read_any_value};
