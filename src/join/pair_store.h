/*
 * pair_store.h
 *		The result of a join: rows of a tuplestore, which spills to disk, so
 *		that memory does not grow with the number of pairs.
 */
#ifndef NEARDUP_JOIN_PAIR_STORE_H
#define NEARDUP_JOIN_PAIR_STORE_H

#include "join/similarity_join.h"

/*
 * Runs the join, and returns its pairs as the set that fcinfo asks for, with the columns a, b,
 * both of the type of the keys (bigint for integers), and the measure's value as float8.
 */
extern Datum JoinReturnPairs(FunctionCallInfo fcinfo, const JoinRequest *request);

#endif
