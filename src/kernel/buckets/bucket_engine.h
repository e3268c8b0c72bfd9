/*
 * bucket_engine.h
 *		The engine of joins by buckets: joins records that share a key.
 *
 * Records must have their BucketSpec before they are canonicalized.
 */
#ifndef NEARDUP_KERNEL_BUCKET_ENGINE_H
#define NEARDUP_KERNEL_BUCKET_ENGINE_H

#include "kernel/buckets/bucket_index.h"
#include "kernel/engine.h"

extern const JoinEngineMethods bucket_engine;

#endif
