/*
 * weighted_similarity.h
 *		SQL functions of weighted measures that the planner's join recognizes.
 */
#ifndef NEARDUP_WEIGHTED_SIMILARITY_H
#define NEARDUP_WEIGHTED_SIMILARITY_H

#include "fmgr.h"

extern Datum tokenset_idf_jaccard(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_cosine(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_jaccard_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_idf_cosine_ge(PG_FUNCTION_ARGS);

#endif
