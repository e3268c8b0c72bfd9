/*
 * list_engine.h
 *		The engine of `auto`, the default algorithm: joins list by list.
 */
#ifndef NEARDUP_KERNEL_LIST_ENGINE_H
#define NEARDUP_KERNEL_LIST_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods list_engine;

/*
 * Returns whether the engine of ppjoin (ppjoin_engine.h) is likely faster, in an unweighted join.
 */
extern bool ListEngineIsSlower(const JoinSpec *spec);

/* The same of a weighted join. */
extern bool ListEngineIsSlowerByWeights(const JoinRecords *records, Predicate predicate);

#endif
