/*
 * stats_row.h
 *		The row that ppjoin_stats and lsh_join_stats return.
 */
#ifndef NEARDUP_JOIN_STATS_ROW_H
#define NEARDUP_JOIN_STATS_ROW_H

#include "fmgr.h"

#include "join/similarity_join.h"

/* The columns that both rows have: pairs, workers, parts, bytes, seconds. */
#define STATS_ROW_LAST_COLUMNS 10

/* Returns the row of an ended join: adds the last columns to the first `count` values. */
extern Datum JoinReturnStats(FunctionCallInfo fcinfo, const SimilarityJoin *join, Datum *values,
							 int count);

#endif
