/*
 * weighted_similarity.h
 *		The weighted measures of token sets, as SQL functions.
 */
#ifndef NEARDUP_WEIGHTED_SIMILARITY_H
#define NEARDUP_WEIGHTED_SIMILARITY_H

#include "fmgr.h"

#include "tokenset/tokenset.h"

/* Raises program_limit_exceeded for a set whose sums might overflow. */
extern void CheckWeighedSize(const Tokenset *set);

/* Declared for join/node, which recognizes clauses by their addresses. */
extern Datum tokenset_idf_jaccard(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_cosine(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_jaccard_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_cosine_ge(PG_FUNCTION_ARGS);

#endif
