/*
 * trigram_path.h
 *		Index scans for comparisons of a text's similarity with a threshold.
 */
#ifndef NEARDUP_KINDS_TRIGRAM_PATH_H
#define NEARDUP_KINDS_TRIGRAM_PATH_H

/* Called when the library is loaded: installs the planner's hook. */
extern void TrigramPathInit(void);

#endif
