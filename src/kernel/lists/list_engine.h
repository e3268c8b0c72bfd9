/*
 * list_engine.h
 *		The engine of the default algorithm: list by list.
 */
#ifndef NEARDUP_KERNEL_LIST_ENGINE_H
#define NEARDUP_KERNEL_LIST_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods list_engine;

/* Whether ppjoin_engine.h is faster. */
extern bool ListEngineIsSlower(const JoinSpec *spec);

#endif
