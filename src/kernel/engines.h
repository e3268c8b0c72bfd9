/*
 * engines.h
 *		The engines by algorithm.
 */
#ifndef NEARDUP_KERNEL_ENGINES_H
#define NEARDUP_KERNEL_ENGINES_H

#include "kernel/engine.h"

/* Records are canonical, except under JOIN_HAMMING, and outlive the engine. */
extern void JoinEngineIndex(JoinEngine *engine, JoinRecords *records, Predicate predicate,
							JoinAlgorithm algorithm);

extern JoinBytes JoinEngineBytes(JoinAlgorithm algorithm);

extern bool JoinEngineCanShare(JoinAlgorithm algorithm);

/* Turns a worker's copy of the leader's engine into its own. */
extern void JoinEngineAdopt(JoinEngine *engine, JoinRecords *records, const char *leader_base);

/* Frees the copy. */
extern void JoinEngineForget(JoinEngine *engine);

#endif
