/*
 * process.h
 *		A process of PostgreSQL as the kernel's host.
 */
#ifndef NEARDUP_JOIN_PROCESS_H
#define NEARDUP_JOIN_PROCESS_H

#include "kernel/host.h"

typedef struct JoinProcess
{
	JoinHost host;
	MemoryContext context;
	const char *name; /* what errors call the join */
	bool has_heap;	  /* malloc has been told of the join */

	/* Called with each check for interrupts, unless NULL. */
	void (*receive)(void *context);
	void *receive_context;
} JoinProcess;

/*
 * Makes a host that allocates in the context; the process must not move. An array that is too large
 * raises program_limit_exceeded.
 */
extern void JoinProcessInit(JoinProcess *process, MemoryContext context);

/* Called when a join has read its rows, if they are in files. It may take `memory` bytes. */
extern void JoinProcessFromFiles(JoinProcess *process, Size memory);

#endif
