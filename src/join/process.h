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
	struct JoinPages *pages;
	const char *name;	 /* what errors call the join */
	Size least_on_pages; /* arrays from this size on are not in the context */

	/* Called with each check for interrupts, unless NULL. */
	void (*receive)(void *context);
	void *receive_context;
} JoinProcess;

/*
 * Makes a host that allocates in the context, about `memory` bytes; the process must not move. An
 * array that is too large raises program_limit_exceeded.
 */
extern void JoinProcessInit(JoinProcess *process, MemoryContext context, Size memory);

#endif
