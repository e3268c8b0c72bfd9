/*
 * worker_figures.h
 *		What the workers of a join have done, summed up.
 */
#ifndef NEARDUP_JOIN_WORKER_FIGURES_H
#define NEARDUP_JOIN_WORKER_FIGURES_H

#include "kernel/join.h"

typedef struct WorkerFigures
{
	int probing_workers; /* workers that looked for pairs */
	JoinCounters counters;
	Size bytes; /* bytes of message queues, and the most that each worker had of its own */
} WorkerFigures;

static inline void
WorkerFiguresAdd(WorkerFigures *sum, const WorkerFigures *figures)
{
	sum->probing_workers += figures->probing_workers;
	JoinCountersAdd(&sum->counters, &figures->counters);
	sum->bytes += figures->bytes;
}

#endif
