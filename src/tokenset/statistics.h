/*
 * statistics.h
 *		Statistics of a column of token sets, with defaults.
 *
 * Frequencies are fractions of the rows that are not NULL.
 */
#ifndef NEARDUP_STATISTICS_H
#define NEARDUP_STATISTICS_H

#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "tokenset/tokenset.h"

typedef struct SetStatistics
{
	double rows;		   /* of the table, at least 1 */
	double null_fraction;  /* of the rows */
	double average_size;   /* tokens of a set */
	double rest_frequency; /* of a token that is not listed */

	/* Slots of pg_statistic, empty where missing. */
	AttStatsSlot tokens; /* most common tokens, ascending */
	AttStatsSlot sizes;	 /* quantiles of the sizes, and the mean */
	AttStatsSlot sets;	 /* most common sets */
} SetStatistics;

/* Empty, with defaults, where the function must not see the values of all rows. */
extern void SetStatisticsOpen(SetStatistics *stats, VariableStatData *variable, Oid function);
/* The tokens alone, of a row of pg_statistic, into what is empty. */
extern void SetStatisticsReadTokens(SetStatistics *stats, HeapTuple row);

extern void SetStatisticsClose(SetStatistics *stats);

extern double TokenFrequency(const SetStatistics *stats, Token token);

extern double SizeFraction(const SetStatistics *stats, double least, double greatest);

#endif
