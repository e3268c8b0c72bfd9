/*
 * engine.h
 *		Engines: from canonical records to pairs.
 *
 * An engine builds an index of the records and then finds the pairs. It is a table of functions,
 * and kernel/engines.c has the table of each algorithm.
 *
 * The work is done in steps: those that put the records in order, as many steps as the engine needs to
 * build its index, and finding pairs. A step is divided into units, which are independent of each
 * other. Without workers, a step is a loop over its units. With workers, all processes take units
 * from a counter (share_step in host.h). Each process does its units in ascending order, and ends
 * the step when no unit is left. Arrays that a step fills must exist before it begins: the leader
 * allocates them, in the arena.
 *
 * Order of calls: JoinCanonicalize; JoinEngineIndex (engines.h); JoinEngineFind, or
 * JoinEngineBeginFind and JoinEngineFindUnit for each unit; JoinEngineFree.
 */
#ifndef NEARDUP_KERNEL_ENGINE_H
#define NEARDUP_KERNEL_ENGINE_H

#include "kernel/estimate/estimate.h"
#include "kernel/filters/join_spec.h"
#include "kernel/join.h"

typedef struct JoinEngine
{
	const struct JoinEngineMethods *methods; /* the engine's functions in this process */
	JoinRecords *records;
	JoinSpec spec;
	/* What rows have besides records, known to their kind and to the engine. Workers lack it. */
	const void *content;
	void *index; /* a worker has a copy */
	uint64 posting_count;
} JoinEngine;

/* A process that takes part in a step. */
typedef struct JoinParticipant
{
	JoinEngine *engine;

	/* Where the process puts the pairs that it finds, and what became of candidates. */
	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;
	void *state; /* what the engine keeps from unit to unit; NULL before the first one */
} JoinParticipant;

/*
 * Numbers of steps. Those of building the index are the engine's, from 1 on; those that put the
 * records in order, before there is an index, are JOIN_ORDER_RECORDS less a RecordOrderStep.
 */
#define JOIN_FIND_PAIRS 0
#define JOIN_ORDER_RECORDS (-1)

typedef struct JoinEngineMethods
{
	Size index_size;   /* bytes of the index, without its arrays */
	bool emits_values; /* pairs are emitted with distances in place of overlaps */
	/* Returns the bytes that the index and finding will take. */
	JoinBytes bytes;
	/* Returns how many postings or keys the index will have; NULL if prefixes are indexed. */
	uint64 (*expected_postings)(const MemoryEstimate *estimate);
	/* Builds the index, whose bytes are 0, and sets posting_count; may run steps. */
	void (*build)(JoinEngine *engine);
	/* Does a unit of a step of building. */
	void (*build_unit)(JoinEngine *engine, int step, uint32 unit, uint32 units);
	void (*free)(JoinEngine *engine);

	/* Returns the number of units of finding pairs. */
	uint32 (*find_units)(const JoinEngine *engine);
	/* Returns the work of finding pairs: what host->done will reach. */
	uint64 (*work)(const JoinEngine *engine);
	/* Finds and emits the pairs of a unit. */
	void (*find)(JoinParticipant *self, uint32 unit, uint32 units);
	/* Emits pairs that the state still holds back, and frees it; NULL if there is no state. */
	void (*end)(JoinParticipant *self);
	/* Emits each row of the unit with itself; NULL if the rows are records. */
	void (*find_identities)(const JoinEngine *engine, uint32 unit, uint32 units, JoinEmit emit,
							void *emit_context);

	/* Adopts the pointers of a worker's index; NULL if the engine runs in one process only. */
	void (*adopt)(JoinEngine *engine, JoinAdoption adoption);
} JoinEngineMethods;

/* Makes arrived records canonical (records.h), together with the workers. To be called once. */
extern void JoinCanonicalize(JoinRecords *records);

/* Begins the step of finding pairs, and returns the number of its units. */
extern uint32 JoinEngineBeginFind(const JoinEngine *engine);

/* Finds the pairs of a unit. To be called for each unit, in ascending order. */
extern void JoinEngineFindUnit(JoinParticipant *self, uint32 unit, uint32 units);

/* Finds all pairs, together with the workers. */
extern void JoinEngineFind(JoinEngine *engine, JoinEmit emit, void *emit_context,
						   JoinCounters *counters);

/*
 * Whether two records that an engine has emitted are also similar with their tails, which records have
 * (record_tails.h). Sets the overlap to that with the tails.
 */
extern bool JoinIsSimilarWhole(const JoinRecords *records, Predicate predicate, const JoinRecord *x,
							   const JoinRecord *y, uint64 *overlap);

/* Emits each row with itself where the predicate holds; the units are divided as for finding. */
extern void JoinEngineFindIdentities(const JoinEngine *engine, uint32 unit, uint32 units,
									 JoinEmit emit, void *emit_context);

extern void JoinEngineFree(JoinEngine *engine);

/* Does all units of a step, together with the workers if it has enough units. */
extern void JoinStepRun(JoinParticipant *self, int step, uint32 units);

/* Does a unit of a step in this process. */
extern void JoinStepUnit(JoinParticipant *self, int step, uint32 unit, uint32 units);

/* Ends the step in this process, after the last of its units. */
extern void JoinStepEnd(JoinParticipant *self);

/* Returns the number of units for a step over `count` tokens or records. */
extern uint32 JoinStepUnits(const JoinHost *host, uint64 count);

/*
 * Returns the number of units for a step over all records, at most one for each record. `weight` is
 * the work of the step, in tokens or records.
 */
extern uint32 JoinRecordUnits(const JoinEngine *engine, uint64 weight);

#define JOIN_UNITS_PER_PARTICIPANT 16

/*
 * Returns the first of `count` elements that belongs to a unit; it ends where the next one starts.
 */
static inline uint32
JoinUnitStart(uint32 count, uint32 unit, uint32 units)
{
	return (uint64) count * unit / units;
}

#endif
