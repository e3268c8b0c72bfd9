/*
 * strategy.h
 *		The numbers of the operators in tokenset_ops, as index.sql declares this operator class.
 */
#ifndef NEARDUP_INDEX_STRATEGY_H
#define NEARDUP_INDEX_STRATEGY_H

#include "access/stratnum.h"

/* The first six are as in gin_tokenset_ops. The last two are distances, to order by. */
#define INDEX_OVERLAPS 1		 /* && */
#define INDEX_CONTAINS 2		 /* @> */
#define INDEX_CONTAINED 3		 /* <@ */
#define INDEX_EQUAL 4			 /* = */
#define INDEX_SIMILAR 5			 /* %, by neardup.similarity_threshold */
#define INDEX_MATCHES 6			 /* @~, a set and a predicate */
#define INDEX_JACCARD_DISTANCE 7 /* <%> */
#define INDEX_COSINE_DISTANCE 8	 /* <=> */

#define INDEX_STRATEGIES 8

#endif
