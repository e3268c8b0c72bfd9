/*
 * result_set.c
 *		Making tuplestores.
 */
#include "postgres.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/tuplestore.h"

#include "join/call/result_set.h"

/* In kilobytes. A full tuplestore is written without a check for interrupts. */
#define MOST_STORE_MEMORY (64 * 1024)

int
JoinStoreMemory(void)
{
	return Min(work_mem, MOST_STORE_MEMORY);
}

ReturnSetInfo *
JoinMaterialize(FunctionCallInfo fcinfo)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext previous;

	InitMaterializedSRF(fcinfo, 0);
	tuplestore_end(result->setResult);
	previous = MemoryContextSwitchTo(result->econtext->ecxt_per_query_memory);
	/* PostgreSQL 19 keeps the offsets of columns behind resolved polymorphic ones. */
	result->setDesc = CreateTupleDescCopy(result->setDesc);
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
											  false, JoinStoreMemory());
	MemoryContextSwitchTo(previous);
	return result;
}

void
ResultPut(ReturnSetInfo *result, Datum *values)
{
	bool nulls[RESULT_COLUMNS] = {false};

	CHECK_FOR_INTERRUPTS();
	Assert(result->setDesc->natts <= RESULT_COLUMNS);
	tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
}
