/*
 * engine.h
 *		The interface of an engine: from canonical records to pairs.
 *
 * An engine is a struct of functions in its own folder, and an entry in engines.c. It works in
 * steps of independent units. The leader allocates what a step needs; then it shares the units
 * with its workers. In a single process a step is a loop.
 *
 * Order of calls: JoinRecordsCanonicalize; JoinEngineIndex (engines.h); JoinEngineFind, or
 * JoinEngineBeginFind and JoinEngineFindUnit; JoinEngineFree.
 */
#ifndef NEARDUP_KERNEL_ENGINE_H
#define NEARDUP_KERNEL_ENGINE_H

#include "kernel/estimate/estimate.h"
#include "kernel/filters/join_spec.h"
#include "kernel/join.h"

typedef struct JoinEngine
{
	const struct JoinEngineMethods *methods; /* valid in one process only */
	JoinRecords *records;
	JoinSpec spec;
	void *index; /* shared by all processes */
	uint64 posting_count;
} JoinEngine;

typedef struct JoinParticipant
{
	JoinEngine *engine;

	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;
	void *state; /* of the engine; NULL before the first unit */
} JoinParticipant;

/* The last step; the steps that build the index count from 1. */
#define JOIN_FIND_PAIRS 0

typedef struct JoinEngineMethods
{
	Size index_size;
	/* What it takes beside the records, as far as memory is limited. */
	JoinBytes bytes;
	/* Fills in the zeroed index and posting_count. */
	void (*build)(JoinEngine *engine);
	void (*build_unit)(JoinEngine *engine, int step, uint32 unit, uint32 units);
	void (*free)(JoinEngine *engine);

	uint32 (*find_units)(const JoinEngine *engine);
	/* All that find adds to host->done. */
	uint64 (*work)(const JoinEngine *engine);
	void (*find)(JoinParticipant *self, uint32 unit, uint32 units);
	/* Emits the rest and frees the state; NULL if there is no state. */
	void (*end)(JoinParticipant *self);

	/* In a worker: adopts the index's pointers. NULL if workers are of no use. */
	void (*adopt)(JoinEngine *engine, JoinAdoption adoption);
} JoinEngineMethods;

/* Sets host->done and total; returns the number of units. */
extern uint32 JoinEngineBeginFind(const JoinEngine *engine);

/* To be called for each unit, in ascending order. */
extern void JoinEngineFindUnit(JoinParticipant *self, uint32 unit, uint32 units);

extern void JoinEngineFind(JoinEngine *engine, JoinEmit emit, void *emit_context,
						   JoinCounters *counters);

extern void JoinEngineFree(JoinEngine *engine);

/* Does all units of a step, with the workers; returns when all are done. */
extern void JoinStepRun(JoinParticipant *self, int step, uint32 units);

/* A process does its units in ascending order, then ends the step. */
extern void JoinStepUnit(JoinParticipant *self, int step, uint32 unit, uint32 units);

extern void JoinStepEnd(JoinParticipant *self);

/* Units of a step over so many tokens or records; 1 in a single process. */
extern uint32 JoinStepUnits(const JoinHost *host, uint64 count);

/* Units of a step over all records, which weigh so much; small ones in a single process. */
extern uint32 JoinRecordUnits(const JoinEngine *engine, uint64 weight);

#define JOIN_UNITS_PER_PARTICIPANT 16

/* The first of `count` elements that is in a unit. */
static inline uint32
JoinUnitStart(uint32 count, uint32 unit, uint32 units)
{
	return (uint64) count * unit / units;
}

#endif
