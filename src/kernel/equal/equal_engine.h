/*
 * equal_engine.h
 *		The engine of joins whose pairs are all pairs of equal records.
 */
#ifndef NEARDUP_KERNEL_EQUAL_ENGINE_H
#define NEARDUP_KERNEL_EQUAL_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods equal_engine;

#endif
