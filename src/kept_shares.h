/*
 * kept_shares.h
 *		Estimates that a backend keeps, since the planner asks for the same one again: for each order in
 *		which tables join, and for each partition.
 */
#ifndef NEARDUP_KEPT_SHARES_H
#define NEARDUP_KEPT_SHARES_H

#include "measure/measure.h"
#include "statistics_row.h"

/* What a share is of. */
typedef enum ShareSubject
{
	SHARE_OF_SETS,	   /* pairs of a column of sets */
	SHARE_OF_TEXTS,	   /* pairs of two columns of texts */
	SHARE_OF_WORDS,	   /* pairs of the words of a column and the texts of another one */
	SHARE_WITH_SIMILAR /* rows of a column of texts that have a similar one in another column */
} ShareSubject;

typedef struct ShareKey
{
	ShareSubject what;
	StatisticsRow x;
	StatisticsRow y; /* SHARE_OF_SETS: not used */
	double rows;	 /* SHARE_OF_SETS: of the table, else 0 */
	Predicate predicate;
} ShareKey;

/* Sets *share to the one that is kept; returns false if it is not. */
extern bool KeptShareFind(const ShareKey *key, double *share);

/* Keeps a share in place of the eldest, unless the statistics are in no row. */
extern void KeptSharePut(const ShareKey *key, double share);

#endif
