/*
 * pair_path.h
 *		The planner's path of a Similarity Function Scan.
 */
#ifndef NEARDUP_JOIN_PAIR_PATH_H
#define NEARDUP_JOIN_PAIR_PATH_H

/* Called by _PG_init: installs the planner's hook. */
extern void PairPathInit(void);

#endif
