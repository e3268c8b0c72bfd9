/*
 * hamming_engine.h
 *		The engine of joins of 64-bit values by Hamming distance.
 *
 * The content is HammingValues, and there are no records. Emitted records have only a row; the
 * distance is emitted for the overlap.
 */
#ifndef NEARDUP_KERNEL_HAMMING_ENGINE_H
#define NEARDUP_KERNEL_HAMMING_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods hamming_engine;

#endif
