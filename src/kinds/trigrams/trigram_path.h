/*
 * trigram_path.h
 *		Index scans for comparisons of a text's similarity with a threshold.
 */
#ifndef NEARDUP_INDEX_TRIGRAM_PATH_H
#define NEARDUP_INDEX_TRIGRAM_PATH_H

/* Called by _PG_init: installs the planner's hook. */
extern void TrigramPathInit(void);

#endif
