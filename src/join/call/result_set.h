/*
 * result_set.h
 *		The tuplestore of a function's result.
 */
#ifndef NEARDUP_JOIN_RESULT_SET_H
#define NEARDUP_JOIN_RESULT_SET_H

#include "fmgr.h"
#include "nodes/execnodes.h"

/* Returns the memory of a tuplestore in kilobytes: work_mem, or less. */
extern int JoinStoreMemory(void);

/* Makes a tuplestore the function's result; returns fcinfo's result info, which has it. */
extern ReturnSetInfo *JoinMaterialize(FunctionCallInfo fcinfo);

/* Adds a row without NULLs, of at most RESULT_COLUMNS values. Can be cancelled. */
extern void ResultPut(ReturnSetInfo *result, Datum *values);

#define RESULT_COLUMNS 16

#endif
