/*
 * stats_row.h
 *		The row of figures that ppjoin_stats and lsh_join_stats return.
 */
#ifndef NEARDUP_JOIN_STATS_ROW_H
#define NEARDUP_JOIN_STATS_ROW_H

#include "join/similarity_join.h"

/* The last columns, which say what a join gave and what it took. */
#define STATS_ROW_LAST_COLUMNS 9

/*
 * The figures of a join that has ended, as the row that fcinfo asks for: so many values
 * of its first columns, to which the last ones are added.
 */
extern Datum JoinReturnStats(FunctionCallInfo fcinfo, const SimilarityJoin *join, Datum *values,
							 int count);

#endif
