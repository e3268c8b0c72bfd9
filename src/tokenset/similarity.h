/*
 * similarity.h
 *		Predicates of token sets.
 */
#ifndef NEARDUP_TOKENSET_SIMILARITY_H
#define NEARDUP_TOKENSET_SIMILARITY_H

#include "tokenset/tokenset.h"

/* Fetches the sets only where their sizes allow the predicate, and frees what it fetched. */
extern bool TokensetDatumsSimilar(Predicate predicate, Datum a, Datum b);

/* SQL functions that the planner's join recognizes. */
extern Datum tokenset_jaccard(PG_FUNCTION_ARGS);
extern Datum tokenset_cosine(PG_FUNCTION_ARGS);
extern Datum tokenset_dice(PG_FUNCTION_ARGS);
extern Datum tokenset_containment(PG_FUNCTION_ARGS);
extern Datum tokenset_overlap(PG_FUNCTION_ARGS);
extern Datum tokenset_jaccard_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_cosine_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_dice_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_containment_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_overlap_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_hamming_le(PG_FUNCTION_ARGS);

#endif
