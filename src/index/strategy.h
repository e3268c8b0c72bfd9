/*
 * strategy.h
 *		Numbers of the operators in tokenset_ops, the operator class of the access method neardup.
 */
#ifndef NEARDUP_INDEX_STRATEGY_H
#define NEARDUP_INDEX_STRATEGY_H

#include "access/stratnum.h"

/* The first six as in gin_tokenset_ops. */
#define INDEX_OVERLAPS 1
#define INDEX_CONTAINS 2
#define INDEX_CONTAINED 3
#define INDEX_EQUAL 4
#define INDEX_SIMILAR 5
#define INDEX_MATCHES 6
#define INDEX_JACCARD_DISTANCE 7
#define INDEX_COSINE_DISTANCE 8

#define INDEX_STRATEGIES 8

#endif
