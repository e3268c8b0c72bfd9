/*
 * engine.h
 *		Engines: from canonical records to pairs.
 *
 * An engine works in steps of independent units, which workers share. The leader allocates
 * what a step needs.
 *
 * Order of calls: JoinEngineIndex; JoinEngineFind, or JoinEngineBeginFind and
 * JoinEngineFindUnit; JoinEngineFree.
 */
#ifndef NEARDUP_KERNEL_ENGINE_H
#define NEARDUP_KERNEL_ENGINE_H

#include "kernel/estimate/estimate.h"
#include "kernel/filters/join_spec.h"
#include "kernel/join.h"

typedef struct JoinEngine
{
	const struct JoinEngineMethods *methods; /* valid in one process */
	JoinRecords *records;
	JoinSpec spec;
	/* What the rows are beside the records, as their kind and the engine know it; not in workers. */
	const void *content;
	void *index; /* workers have copies */
	uint64 posting_count;
} JoinEngine;

typedef struct JoinParticipant
{
	JoinEngine *engine;

	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;
	void *state; /* NULL before the first unit */
} JoinParticipant;

/* Steps that build the index count from 1. */
#define JOIN_FIND_PAIRS 0
#define JOIN_ORDER_RECORDS (-1) /* before there is an index */

typedef struct JoinEngineMethods
{
	Size index_size;
	bool emits_values; /* distances, for overlaps */
	JoinBytes bytes;
	/* Returns the postings or keys that the index will have; NULL for those of prefixes. */
	uint64 (*expected_postings)(const MemoryEstimate *estimate);
	/* Fills in the zeroed index and posting_count. */
	void (*build)(JoinEngine *engine);
	void (*build_unit)(JoinEngine *engine, int step, uint32 unit, uint32 units);
	void (*free)(JoinEngine *engine);

	uint32 (*find_units)(const JoinEngine *engine);
	/* Total of host->done. */
	uint64 (*work)(const JoinEngine *engine);
	void (*find)(JoinParticipant *self, uint32 unit, uint32 units);
	/* Emits the rest, frees the state; NULL without state. */
	void (*end)(JoinParticipant *self);
	/* Emits each row of the unit with itself; NULL if the rows are records. */
	void (*find_identities)(const JoinEngine *engine, uint32 unit, uint32 units, JoinEmit emit,
							void *emit_context);

	/* Adopts the index's pointers in a worker; NULL without workers. */
	void (*adopt)(JoinEngine *engine, JoinAdoption adoption);
} JoinEngineMethods;

/* Makes arrived records canonical, in the arena if there are workers; called once. */
extern void JoinCanonicalize(JoinRecords *records);

/* Returns the number of units. */
extern uint32 JoinEngineBeginFind(const JoinEngine *engine);

/* For each unit, ascending. */
extern void JoinEngineFindUnit(JoinParticipant *self, uint32 unit, uint32 units);

extern void JoinEngineFind(JoinEngine *engine, JoinEmit emit, void *emit_context,
						   JoinCounters *counters);

/* Emits each row with itself where the predicate holds; the units are those of finding. */
extern void JoinEngineFindIdentities(const JoinEngine *engine, uint32 unit, uint32 units,
									 JoinEmit emit, void *emit_context);

extern void JoinEngineFree(JoinEngine *engine);

/* Does all units, with the workers. */
extern void JoinStepRun(JoinParticipant *self, int step, uint32 units);

/* A process does units ascending, then ends the step. */
extern void JoinStepUnit(JoinParticipant *self, int step, uint32 unit, uint32 units);

extern void JoinStepEnd(JoinParticipant *self);

/* Units for `count` tokens or records. */
extern uint32 JoinStepUnits(const JoinHost *host, uint64 count);

/* Units for all records, of this weight. */
extern uint32 JoinRecordUnits(const JoinEngine *engine, uint64 weight);

#define JOIN_UNITS_PER_PARTICIPANT 16

/* First element of the unit. */
static inline uint32
JoinUnitStart(uint32 count, uint32 unit, uint32 units)
{
	return (uint64) count * unit / units;
}

#endif
