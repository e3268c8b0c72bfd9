/*
 * engines.h
 *		The engines by algorithm.
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

extern JoinBytes JoinEngineBytes(JoinAlgorithm algorithm);

/* Returns how many postings or keys the index will have. */
extern uint64 JoinEnginePostings(JoinAlgorithm algorithm, const MemoryEstimate *estimate);

extern bool JoinEngineCanShare(JoinAlgorithm algorithm);

/* Whether a distance is emitted with a pair, for the overlap. */
extern bool JoinEngineEmitsValues(JoinAlgorithm algorithm);

/* Turns a worker's copy of the leader's engine into its own. */
extern void JoinEngineAdopt(JoinEngine *engine, JoinRecords *records, const char *leader_base);

/* Frees the copy. */
extern void JoinEngineForget(JoinEngine *engine);

#endif
