/*
 * similarity_hint.h
 *		What the planner is told beside a condition: how many rows satisfy it, and by which index.
 */
#ifndef NEARDUP_SIMILARITY_HINT_H
#define NEARDUP_SIMILARITY_HINT_H

/* Called when the library is loaded, after all that adds paths to relations. */
extern void SimilarityHintInit(void);

#endif
