/*
 * progress_report.h
 *		What a report of a running join says, in a NOTICE or in the view.
 */
#ifndef NEARDUP_JOIN_PROGRESS_REPORT_H
#define NEARDUP_JOIN_PROGRESS_REPORT_H

#include "datatype/timestamp.h"

typedef enum ProgressPhase
{
	PROGRESS_READING,
	PROGRESS_SORTING, /* spilled rows, by size */
	PROGRESS_CANONICALIZING,
	PROGRESS_INDEXING,
	PROGRESS_PROBING,
	PROGRESS_BLOCKS,	/* spilled rows, in place of the last three phases */
	PROGRESS_COMPARING, /* the columns of records, after the join */
	PROGRESS_LEARNING	/* which records are the same, in rounds */
} ProgressPhase;

typedef struct ProgressReport
{
	NameData function;
	ProgressPhase phase;
	int32 pass; /* number of the pass, from 1 */
	uint64 done;
	uint64 total; /* 0 if unknown */
	uint64 rows;
	uint64 pairs;
	TimestampTz started;
	int64 time_left; /* microseconds; -1 if unknown */
} ProgressReport;

/* Returns the name of a phase, a constant string. */
extern const char *ProgressPhaseName(ProgressPhase phase);

#endif
