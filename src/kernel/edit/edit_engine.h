/*
 * edit_engine.h
 *		The engine of edit distance joins.
 *
 * The engine's content is an EditTexts; records and predicate are made by edit_records.h. The
 * distance takes the place of the overlap.
 */
#ifndef NEARDUP_KERNEL_EDIT_ENGINE_H
#define NEARDUP_KERNEL_EDIT_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods edit_engine;

#endif
