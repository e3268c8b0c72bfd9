/*
 * similarity.h
 *		Measures and predicates of token sets.
 */
#ifndef NEARDUP_TOKENSET_SIMILARITY_H
#define NEARDUP_TOKENSET_SIMILARITY_H

#include "tokenset/tokenset.h"

/*
 * Returns whether two datums of type tokenset satisfy a predicate. Fetches the sets only if their
 * sizes allow that, and frees what it has fetched. Raises data_corrupted as TokensetCheck does.
 */
extern bool TokensetDatumsSimilar(Predicate predicate, Datum a, Datum b);

/* SQL functions, declared for join/node, which recognizes clauses by their addresses. */
extern Datum tokenset_jaccard(PG_FUNCTION_ARGS);
extern Datum tokenset_cosine(PG_FUNCTION_ARGS);
extern Datum tokenset_dice(PG_FUNCTION_ARGS);
extern Datum tokenset_containment(PG_FUNCTION_ARGS);
extern Datum tokenset_overlap(PG_FUNCTION_ARGS);
extern Datum tokenset_hamming(PG_FUNCTION_ARGS);
extern Datum tokenset_jaccard_distance(PG_FUNCTION_ARGS);
extern Datum tokenset_cosine_distance(PG_FUNCTION_ARGS);
extern Datum tokenset_contains_distance(PG_FUNCTION_ARGS);
extern Datum tokenset_contained_distance(PG_FUNCTION_ARGS);
extern Datum tokenset_jaccard_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_cosine_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_dice_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_containment_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_overlap_ge(PG_FUNCTION_ARGS);
extern Datum tokenset_hamming_le(PG_FUNCTION_ARGS);

#endif
