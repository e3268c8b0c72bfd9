/*
 * engines.h
 *		The engines by algorithm.
 */
#ifndef NEARDUP_KERNEL_ENGINES_H
#define NEARDUP_KERNEL_ENGINES_H

#include "kernel/engine.h"

/* The records must be canonical (except for JOIN_HAMMING), and stay. */
extern void JoinEngineIndex(JoinEngine *engine, JoinRecords *records, Predicate predicate,
							JoinAlgorithm algorithm);

/* The memory that the algorithm takes, for an estimate. */
extern JoinBytes JoinEngineBytes(JoinAlgorithm algorithm);

/* Whether workers are of use to the algorithm. */
extern bool JoinEngineCanShare(JoinAlgorithm algorithm);

/* Turns a worker's copy of the leader's engine into its own. */
extern void JoinEngineAdopt(JoinEngine *engine, JoinRecords *records, const char *leader_base);

/* Frees the copy. */
extern void JoinEngineForget(JoinEngine *engine);

#endif
