/*
 * edit_engine.h
 *		The engine of edit distance joins.
 *
 * Records and predicate are of edit_join.h. The distance is emitted for the overlap.
 */
#ifndef NEARDUP_KERNEL_EDIT_ENGINE_H
#define NEARDUP_KERNEL_EDIT_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods edit_engine;

#endif
