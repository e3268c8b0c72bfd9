/*
 * key_runs.h
 *		Runs of records of equal key and content.
 *
 * A self-join does not pair rows of one key. Where many rows have one key and one content, to
 * find this out pair by pair would take time by the square of their number, for no result. So
 * records of equal content are in the order of their keys, and those of one key that follow each
 * other, a run, have a number in common, which the runs of this key have in other contents, too:
 * whoever pairs groups of equal records passes over a run at once. Records of one key that are no
 * runs are left to the receiver of the pairs.
 */
#ifndef NEARDUP_JOIN_KEY_RUNS_H
#define NEARDUP_JOIN_KEY_RUNS_H

#include "join/kernel/join.h"

/* Records first .. end - 1. */
typedef struct RecordRange
{
	uint32 first;
	uint32 end;
} RecordRange;

/*
 * Numbers the runs of canonical records, from 1; of a record that is none the number stays 0, as
 * all are where keys are not compared.
 */
extern void JoinNumberKeyRuns(JoinRecords *records);

/* The run of a record, 0 if it is in none. */
static inline uint32
JoinKeyRun(const JoinRecords *records, uint32 number)
{
	return records->key_runs == NULL ? 0 : records->key_runs[number];
}

/* The records that begin a range and have one key: a run, or one record. */
static inline RecordRange
JoinFirstKeyRun(const JoinRecords *records, RecordRange range)
{
	uint32 key_run = JoinKeyRun(records, range.first);
	RecordRange run = {range.first, range.first + 1};

	if (key_run == 0)
		return run;
	while (run.end < range.end && JoinKeyRun(records, run.end) == key_run)
	{
		JoinTick(records->host, 1);
		run.end++;
	}
	return run;
}

/* The run of this number in a range of one side; empty, at its end, if it has none. */
static inline RecordRange
JoinFindKeyRun(const JoinRecords *records, RecordRange range, uint32 key_run)
{
	RecordRange rest = range;

	if (key_run == 0)
		return (RecordRange){range.end, range.end};
	while (rest.first < range.end && JoinKeyRun(records, rest.first) != key_run)
	{
		JoinTick(records->host, 1);
		rest.first++;
	}
	return rest.first < range.end ? JoinFirstKeyRun(records, rest) : rest;
}

/* Emits the pairs of a record of one range and a record of another. */
extern void JoinEmitAll(const JoinRecords *records, RecordRange x_range, RecordRange y_range,
						uint32 overlap, JoinEmit emit, void *emit_context);

/* The same, but those of one run's key; each range is of equal records of one side. */
extern void JoinEmitBetween(const JoinRecords *records, RecordRange x_rest, RecordRange y_range,
							uint32 overlap, JoinEmit emit, void *emit_context);

#endif
