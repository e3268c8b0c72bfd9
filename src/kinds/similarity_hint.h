/*
 * similarity_hint.h
 *		What the planner is told beside a comparison: how many rows satisfy it, and by which index.
 */
#ifndef NEARDUP_SIMILARITY_HINT_H
#define NEARDUP_SIMILARITY_HINT_H

#include "nodes/primnodes.h"

/* Whether an expression is a hint, which is true of all rows of which its comparison is. */
extern bool IsSimilarityHint(Node *expression);

/* Called when the library is loaded. */
extern void SimilarityHintInit(void);

#endif
