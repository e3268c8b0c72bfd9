/*
 * step.h
 *		The steps of a join that several processes can do together.
 *
 * A step is divided into units, which can be done in any order and at the
 * same time, by whoever sees the arena (host.h). One process leads: it
 * allocates what a step needs, has the step run, and goes on when all units
 * are done. Without helpers a step is a loop over its units.
 */
#ifndef NEARDUP_JOIN_STEP_H
#define NEARDUP_JOIN_STEP_H

#include "join/kernel/engine.h"

/* So that the last unit is short beside what its participant did before. */
#define JOIN_UNITS_PER_PARTICIPANT 16

typedef enum JoinStep
{
	JOIN_COUNT_POSTINGS,
	JOIN_WRITE_POSTINGS,
	JOIN_MAKE_KEYS,
	JOIN_FIND_PAIRS
} JoinStep;

/* A process at work on a step. */
typedef struct JoinWorker
{
	JoinRecords *records;
	JoinEngine *engine;

	/* In JOIN_FIND_PAIRS. */
	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;
	struct ListJoiner *list_joiner; /* NULL until the first unit that needs it */
	struct Prober *prober;
} JoinWorker;

/*
 * Units for a step over so many tokens or records: one, or enough to keep all
 * participants busy to the end.
 */
extern uint32 JoinStepUnits(const JoinHost *host, uint64 count);

/* Where a unit of so many things begins; as many units as there are end with the last. */
static inline uint32
JoinUnitStart(uint32 count, uint32 unit, uint32 units)
{
	return (uint64) count * unit / units;
}

/* Does all units of a step, with those who help; returns when all are done. */
extern void JoinStepRun(JoinWorker *self, JoinStep step, uint32 units);

/* Does one unit. A process does its units in ascending order. */
extern void JoinStepUnit(JoinWorker *self, JoinStep step, uint32 unit, uint32 units);

/* After the last unit that a process does of a step; emits what it still holds back. */
extern void JoinStepEnd(JoinWorker *self);

/* Moves canonical records to where those who help see them, if there are any. */
extern void JoinShareRecords(JoinRecords *records);

/* For a helper: makes the address of a pointer into the leader's arena, unless it is NULL, its own. */
extern void JoinAdopt(const JoinHost *host, const char *leader_base, void *pointer);

/*
 * For a helper: copies of the leader's records and engine, in which every
 * pointer into the leader's arena becomes one into that of the host.
 */
extern void JoinAdoptRecords(JoinRecords *records, JoinHost *host, const char *leader_base);
extern void JoinAdoptEngine(JoinEngine *engine, JoinRecords *records, const char *leader_base);

#endif
