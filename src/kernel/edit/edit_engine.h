/*
 * edit_engine.h
 *		The engine of edit distance joins.
 *
 * The content is EditTexts; records and predicate are those of edit_records.h. The distance is
 * emitted for the overlap.
 */
#ifndef NEARDUP_KERNEL_EDIT_ENGINE_H
#define NEARDUP_KERNEL_EDIT_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods edit_engine;

#endif
