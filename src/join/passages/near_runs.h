/*
 * near_runs.h
 *		Joins common runs that follow each other in both rows with few words between.
 */
#ifndef NEARDUP_JOIN_NEAR_RUNS_H
#define NEARDUP_JOIN_NEAR_RUNS_H

#include "kernel/passages/common_runs.h"

typedef struct NearRuns NearRuns;

/* Begins with no run, in the current memory context. */
extern NearRuns *NearRunsBegin(uint32 max_gap);

/* Puts a run. Runs are kept in work_mem, then in files. */
extern void NearRunsPut(NearRuns *near, const CommonRun *run);

/*
 * Takes the joined runs, and those that are not near another one, in the order of the rows. `words`
 * of a joined run counts equal words, without those between.
 */
extern void NearRunsEnd(NearRuns *near, TakeCommonRun take, void *context);

#endif
