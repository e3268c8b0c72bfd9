/*
 * statistics.h
 *		Statistics of a column of token sets, with defaults where there are none.
 *
 * analyze.c collects them. Frequencies are fractions of the rows that are not NULL.
 */
#ifndef NEARDUP_STATISTICS_H
#define NEARDUP_STATISTICS_H

#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "tokenset/set_families.h"
#include "tokenset/tokenset.h"

typedef struct SetStatistics
{
	double rows;		   /* of the table, at least 1 */
	double null_fraction;  /* of the rows */
	double average_size;   /* tokens of a set */
	double rest_frequency; /* of a token that is not listed */

	/* The slots of pg_statistic, when they are read, which are empty where there are none. */
	AttStatsSlot tokens; /* most common tokens, ascending */
	AttStatsSlot sizes;	 /* quantiles of the sizes, and the mean */
	AttStatsSlot sets;	 /* most common sets */

	HeapTuple row; /* of pg_statistic, if its values may be used; else NULL */
	bool is_read;  /* the slots are */
} SetStatistics;

/*
 * Opens the statistics of a variable, but for the slots. Where there are none, or the user must not see
 * the values of all rows and `function` is not leakproof, numbers are defaults. The caller closes it.
 */
extern void SetStatisticsOpen(SetStatistics *stats, VariableStatData *variable, Oid function);

/* Returns whether there are statistics of sets that may be used. */
static inline bool
SetStatisticsAreKnown(const SetStatistics *stats)
{
	return stats->sizes.nnumbers >= 3;
}

/*
 * Reads the slots, and rest_frequency, if they are not read yet. That takes longer than all else that
 * the planner does for a simple query, so it is for those who look at tokens, sizes or sets.
 */
extern void SetStatisticsRead(SetStatistics *stats);

/* Reads the tokens alone, of a row of pg_statistic, into statistics that are all zero. */
extern void SetStatisticsReadTokens(SetStatistics *stats, HeapTuple row);

/*
 * Returns the families of near-duplicate sets, NULL if there are none. They are valid until the
 * function is called for another column.
 */
extern const SetFamilies *SetStatisticsFamilies(const SetStatistics *stats);

/* Frees the slots. */
extern void SetStatisticsClose(SetStatistics *stats);

/* Returns the frequency of a token; for one that is not listed, what is assumed of all such. */
extern double TokenFrequency(const SetStatistics *stats, Token token);

/*
 * Returns the fraction of sets that have from `least` to `greatest` tokens; 1 if sizes are unknown.
 */
extern double SizeFraction(const SetStatistics *stats, double least, double greatest);

/*
 * Returns the size that a set has in the middle of one of `classes` classes of equally many sets, in
 * ascending order; the mean size if sizes are unknown.
 */
extern double SizeOfClass(const SetStatistics *stats, int class, int classes);

#endif
