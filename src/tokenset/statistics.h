/*
 * statistics.h
 *		What ANALYZE knows of a column of token sets, as the planner reads it.
 *
 * Every figure has a fallback, so that a column without statistics is
 * estimated too. Frequencies are of the rows that are not NULL.
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
	double rest_frequency; /* of a token that is not among the most common */

	/* The slots of pg_statistic, empty where there are none. */
	AttStatsSlot tokens; /* most common tokens, ascending */
	AttStatsSlot sizes;	 /* quantiles of the sizes, and the average */
	AttStatsSlot sets;	 /* most common sets */
} SetStatistics;

/* Sets that a user may not read are not in `sets`: the function would see them. */
extern void SetStatisticsOpen(SetStatistics *stats, VariableStatData *variable, Oid function);
extern void SetStatisticsClose(SetStatistics *stats);

/* Fraction of the sets that have the token. */
extern double TokenFrequency(const SetStatistics *stats, Token token);

/* Fraction of the sets that have from `least` to `greatest` tokens. */
extern double SizeFraction(const SetStatistics *stats, double least, double greatest);

#endif
