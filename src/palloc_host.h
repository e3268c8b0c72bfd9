/*
 * palloc_host.h
 *		A memory context as the kernel's host, for calls of the kernel outside a join.
 */
#ifndef NEARDUP_PALLOC_HOST_H
#define NEARDUP_PALLOC_HOST_H

#include "kernel/host.h"

/* Returns a host that allocates in the context, and checks for interrupts. */
extern JoinHost PallocHost(MemoryContext context);

#endif
