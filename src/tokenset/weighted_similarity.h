/*
 * weighted_similarity.h
 *		The weighted measures of token sets, as SQL functions.
 */
#ifndef NEARDUP_WEIGHTED_SIMILARITY_H
#define NEARDUP_WEIGHTED_SIMILARITY_H

#include "fmgr.h"

/* Declared for join/node, which recognizes clauses by their addresses. */
extern Datum tokenset_idf_jaccard(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_cosine(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_jaccard_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_cosine_ge(PG_FUNCTION_ARGS);

#endif
