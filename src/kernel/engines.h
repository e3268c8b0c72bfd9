/*
 * engines.h
 *		The engine of each algorithm.
 */
#ifndef NEARDUP_KERNEL_ENGINES_H
#define NEARDUP_KERNEL_ENGINES_H

#include "kernel/engine.h"

/*
 * Chooses the engine and builds its index. The records are canonical; they and the content, which
 * is NULL for the engines of sets, outlive the engine.
 */
extern void JoinEngineIndex(JoinEngine *engine, JoinRecords *records, const void *content,
							Predicate predicate, JoinAlgorithm algorithm);

/* Returns the function that estimates the memory of the engine of an algorithm. */
extern JoinBytes JoinEngineBytes(JoinAlgorithm algorithm);

/* Returns how many postings or keys the index will have. */
extern uint64 JoinEnginePostings(JoinAlgorithm algorithm, const MemoryEstimate *estimate);

/* Whether the engine of an algorithm can share its work with workers. */
extern bool JoinEngineCanShare(JoinAlgorithm algorithm);

/* Whether pairs are emitted with distances in place of overlaps. */
extern bool JoinEngineEmitsValues(JoinAlgorithm algorithm);

/*
 * Turns a worker's copy of the leader's engine into its own, for one step. `records` are the
 * worker's; leader_base is where the leader has mapped the arena.
 */
extern void JoinEngineAdopt(JoinEngine *engine, JoinRecords *records, const char *leader_base);

/* Frees what JoinEngineAdopt has allocated. */
extern void JoinEngineForget(JoinEngine *engine);

#endif
