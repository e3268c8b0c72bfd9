/*
 * pair_scan.h
 *		A scan of the pairs that a join function returns, by a node of ours
 *		instead of PostgreSQL's function scan.
 *
 * That keeps what a function returns as tuples, all columns of each. This
 * node keeps the columns that the query uses, as they are.
 */
#ifndef NEARDUP_JOIN_PAIR_SCAN_H
#define NEARDUP_JOIN_PAIR_SCAN_H

#include "nodes/extensible.h"

/* In _PG_init: registers the node, and has the planner use it. */
extern void PairScanInit(void);

/* The planner's side: has the hook installed (pair_path.c). */
extern void PairPathInit(void);

extern const CustomScanMethods pair_scan_methods;

#endif
