/*
 * ppjoin_engine.h
 *		The engine of the paper's algorithms: joins record by record.
 */
#ifndef NEARDUP_KERNEL_PPJOIN_ENGINE_H
#define NEARDUP_KERNEL_PPJOIN_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods ppjoin_engine;

#endif
