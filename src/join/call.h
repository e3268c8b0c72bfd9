/*
 * call.h
 *		What the calls of all joins have in common: PostgreSQL as the kernel's
 *		host, and arguments of functions that are not STRICT.
 */
#ifndef NEARDUP_JOIN_CALL_H
#define NEARDUP_JOIN_CALL_H

#include "fmgr.h"
#include "nodes/execnodes.h"

#include "join/kernel/host.h"
#include "join/pages.h"

/* A process of PostgreSQL as the host of the kernel; stays where it was initialized. */
typedef struct JoinProcess
{
	JoinHost host;
	MemoryContext context;
	JoinPages *pages;
	Size least_on_pages;   /* bytes of an array that is there, instead of in the context */
	struct JoinCrew *crew; /* NULL if there are no workers */
} JoinProcess;

/*
 * A host whose memory is that of the context, and which looks for interrupts
 * and reports progress.
 * program_limit_exceeded where an array would be larger than any memory.
 */
extern void JoinProcessInit(JoinProcess *process, MemoryContext context);

/* An argument; null_value_not_allowed, with this name for it, where it is NULL. */
extern Datum JoinArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);
extern char *JoinTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);

/*
 * Kilobytes that a tuplestore may take for rows that are found: work_mem, or less. The rows that
 * it has in memory when they fill it go to its file all at once, without a look at
 * interrupts.
 */
extern int JoinStoreMemory(void);

/*
 * Prepares a set of rows as the result, in a tuplestore; the context's result info, with the store
 * and its columns.
 */
extern ReturnSetInfo *JoinMaterialize(FunctionCallInfo fcinfo);

/* The name of the function that was called. */
extern const char *JoinFunctionName(FunctionCallInfo fcinfo);

/*
 * The type of the first argument, which says the keys' type; indeterminate_datatype where it has
 * none.
 */
extern Oid JoinKeyTypeOrError(FunctionCallInfo fcinfo);

/* The types of the extension, whatever the search path is. */
extern Oid JoinTokensetType(FunctionCallInfo fcinfo);
extern Oid JoinMinhashType(FunctionCallInfo fcinfo);
extern Oid JoinSimhashType(FunctionCallInfo fcinfo);

#endif
