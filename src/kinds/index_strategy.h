/*
 * strategy.h
 *		The numbers of the operators and of the support functions in the operator classes of the
 *		access method, as index.sql and scope.sql declare them.
 */
#ifndef NEARDUP_INDEX_STRATEGY_H
#define NEARDUP_INDEX_STRATEGY_H

#include "access/stratnum.h"

/* The first six are as in gin_tokenset_ops. Then come distances, to order by. */
#define INDEX_OVERLAPS 1		 /* && */
#define INDEX_CONTAINS 2		 /* @> */
#define INDEX_CONTAINED 3		 /* <@ */
#define INDEX_EQUAL 4			 /* = */
#define INDEX_SIMILAR 5			 /* %, by neardup.similarity_threshold */
#define INDEX_MATCHES 6			 /* @~, a set and a predicate */
#define INDEX_JACCARD_DISTANCE 7 /* <%> */
#define INDEX_COSINE_DISTANCE 8	 /* <=> */
#define INDEX_BALLS_OVERLAP 9	 /* && of tokenset_ball_ops */

#define INDEX_SCOPE_EQUALS 10 /* = of a scope column */

#define INDEX_CONTAINS_DISTANCE 11	/* <@>> */
#define INDEX_CONTAINED_DISTANCE 12 /* <<@> */

#define INDEX_STRATEGIES 12

/* Whether the operator is a distance, to order by. */
#define INDEX_IS_DISTANCE(strategy)                                                                \
	((strategy) == INDEX_JACCARD_DISTANCE || (strategy) == INDEX_COSINE_DISTANCE ||                \
	 (strategy) == INDEX_CONTAINS_DISTANCE || (strategy) == INDEX_CONTAINED_DISTANCE)

/* The support function that makes a tokenset of the column's value. A column of sets has none. */
#define INDEX_SET_FUNCTION 1

/*
 * The support function that hashes a value of a scope column with a seed. An operator class that
 * has it is one of scope columns.
 */
#define INDEX_HASH_FUNCTION 2

/*
 * The support function that says what is asked of an operand, by the type of that (operand.h). An
 * operand that is a set, a tokenset_query or a ball needs none.
 */
#define INDEX_OPERAND_FUNCTION 3

#define INDEX_SUPPORT_FUNCTIONS 3

#endif
