/*
 * palloc_host.h
 *		A memory context as the kernel's host, for calls of the kernel outside a join, and files.
 */
#ifndef NEARDUP_PALLOC_HOST_H
#define NEARDUP_PALLOC_HOST_H

#include "kernel/host.h"

/* Returns a host that allocates in the context, and checks for interrupts. */
extern JoinHost PallocHost(MemoryContext context);

/* Returns the temporary files of a host, for which it allocates in the context. */
extern JoinFiles TemporaryFiles(MemoryContext context);

#endif
