/*
 * progress_report.h
 *		What is said of a join under way, in NOTICEs and in the view.
 */
#ifndef NEARDUP_JOIN_PROGRESS_REPORT_H
#define NEARDUP_JOIN_PROGRESS_REPORT_H

#include "datatype/timestamp.h"

typedef enum ProgressPhase
{
	PROGRESS_READING,
	PROGRESS_SORTING, /* the rows in temporary files, by size */
	PROGRESS_CANONICALIZING,
	PROGRESS_INDEXING,
	PROGRESS_PROBING,
	PROGRESS_BLOCKS /* rows joined block by block, in place of the last three phases */
} ProgressPhase;

typedef struct ProgressReport
{
	NameData function;
	ProgressPhase phase;
	int32 pass; /* from 1 */
	uint64 done;
	uint64 total; /* 0 where it is not known */
	uint64 rows;
	uint64 pairs;
	TimestampTz started;
	int64 time_left; /* in microseconds; -1 where it is not known */
} ProgressReport;

/* As it reads in NOTICEs and the view. */
extern const char *ProgressPhaseName(ProgressPhase phase);

#endif
