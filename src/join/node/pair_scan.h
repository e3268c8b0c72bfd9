/*
 * pair_scan.h
 *		The Similarity Function Scan: scans the pairs of a join function in FROM.
 *
 * PostgreSQL's function scan stores tuples of all columns. This node stores the columns that the
 * query uses, as Datums, and makes ranges of characters when it returns them.
 */
#ifndef NEARDUP_JOIN_PAIR_SCAN_H
#define NEARDUP_JOIN_PAIR_SCAN_H

#include "nodes/extensible.h"

/* Called by _PG_init: registers the node. */
extern void PairScanInit(void);

extern const CustomScanMethods pair_scan_methods;

#endif
