/*
 * return_pairs.h
 *		From the request of a join function to the rows of its result.
 */
#ifndef NEARDUP_JOIN_RETURN_PAIRS_H
#define NEARDUP_JOIN_RETURN_PAIRS_H

#include "join/query_join.h"

/* Returns the third column of a pair, to which the value itself may belong. */
typedef Datum (*ValueColumn)(const SimilarityJoin *join, const double *value);

extern Datum Float8ValueColumn(const SimilarityJoin *join, const double *value);
extern Datum Int4ValueColumn(const SimilarityJoin *join, const double *value);

/* Returns the pairs: keys a and b (integers as bigint), and the value. */
extern Datum JoinReturnPairs(FunctionCallInfo fcinfo, const JoinRequest *request,
							 ValueColumn value_column);

#endif
