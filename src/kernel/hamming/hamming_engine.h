/*
 * hamming_engine.h
 *		The engine of joins of 64-bit values by Hamming distance.
 *
 * The engine's content is a HammingValues, and there are no records. Emitted records have a row and
 * nothing else, and the distance takes the place of the overlap.
 */
#ifndef NEARDUP_KERNEL_HAMMING_ENGINE_H
#define NEARDUP_KERNEL_HAMMING_ENGINE_H

#include "kernel/engine.h"

extern const JoinEngineMethods hamming_engine;

#endif
