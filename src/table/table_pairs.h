/*
 * table_pairs.h
 *		How many pairs of the different sets of a query have which similarity, at bounded work.
 */
#ifndef NEARDUP_LINK_TABLE_PAIRS_H
#define NEARDUP_LINK_TABLE_PAIRS_H

#include "join/sample/sample_join.h"

typedef struct TablePairs
{
	RowSample sample;
	SampleJoin join; /* whose counts are those of the pairs */
} TablePairs;

/*
 * Reads what the query `sets` returns, a bigint that does not matter and a set, or a random part of these
 * if memory does not hold them. The kind and the measure come from `request`, whose query is not used. No
 * pairs less similar than `least` will be counted. Must not move until TablePairsEnd.
 */
extern void TablePairsBegin(TablePairs *pairs, const JoinRequest *request, const char *sets,
							double least);

/*
 * Counts the pairs from a bin on. If all of them would be too much work, only a random part of the rows
 * are joined with each other, the same part each time, and the counts are estimates.
 */
extern const PairCounts *TablePairsCount(TablePairs *pairs, int first_bin);

/* Returns the counts with as many very similar pairs as there may be, though fewer were estimated. */
extern PairCounts TablePairsAtMost(const TablePairs *pairs);

/*
 * Counts all very similar pairs and replaces their estimates. Very similar is from three fifths on,
 * or from a higher similarity on if there are very many.
 */
extern void TablePairsCompleteSimilar(TablePairs *pairs);

extern void TablePairsEnd(TablePairs *pairs);

#endif
