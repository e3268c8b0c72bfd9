/*
 * join_path.h
 *		The planner's choice of the join node.
 */
#ifndef NEARDUP_JOIN_JOIN_PATH_H
#define NEARDUP_JOIN_JOIN_PATH_H

/* Called by _PG_init: installs the planner's hook. */
extern void JoinPathInit(void);

#endif
