/*
 * call.c
 *		What the calls of all joins have in common.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/nodeHash.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/syscache.h"
#include "utils/tuplestore.h"

#include "join/call.h"
#include "join/crew.h"
#include "join/progress.h"

/*
 * Bytes of an array that has pages of its own: what is less than a part of the memory that a join
 * may take may be anywhere in malloc's heap. Small joins do without new pages.
 */
#define LEAST_ON_PAGES ((Size) 8 * 1024)
#define MOST_OFF_PAGES ((Size) 128 * 1024)
#define PART_OFF_PAGES 256

/* Kilobytes of rows that are written to a file in some fifty milliseconds. */
#define MOST_STORE_MEMORY (64 * 1024)

static void
check_size(Size size)
{
	if (!AllocHugeSizeIsValid(size))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("similarity join is too large")));
}

static void
host_release(void *context, void *memory, Size size)
{
	JoinProcess *process = context;

	if (size < process->least_on_pages)
		pfree(memory);
	else
		JoinPagesRelease(process->pages, memory);
}

static void *
host_allocate(void *context, Size size)
{
	JoinProcess *process = context;

	check_size(size);
	if (size < process->least_on_pages)
		return MemoryContextAlloc(process->context, size);
	return JoinPagesAllocate(process->pages, size);
}

static void *
host_enlarge(void *context, void *memory, Size old_size, Size size)
{
	JoinProcess *process = context;
	void *enlarged;

	check_size(size);
	if (old_size < process->least_on_pages && size < process->least_on_pages)
		return repalloc(memory, size);
	if (old_size >= process->least_on_pages && size >= process->least_on_pages)
		return JoinPagesResize(process->pages, memory, size);
	enlarged = host_allocate(context, size);
	memcpy(enlarged, memory, Min(old_size, size));
	host_release(context, memory, old_size);
	return enlarged;
}

static void
host_check_interrupts(void *context)
{
	JoinProcess *process = context;

	CHECK_FOR_INTERRUPTS();
	if (process->crew != NULL)
		JoinCrewReceive(process->crew);
	JoinProgressCheck();
}

void
JoinProcessInit(JoinProcess *process, MemoryContext context)
{
	JoinHost *host = &process->host;

	memset(process, 0, sizeof(*process));
	process->context = context;
	process->pages = JoinPagesBegin(context);
	process->least_on_pages =
		Min(Max(get_hash_memory_limit() / PART_OFF_PAGES, LEAST_ON_PAGES), MOST_OFF_PAGES);
	host->allocate = host_allocate;
	host->enlarge = host_enlarge;
	host->release = host_release;
	host->context = process;
	host->check_interrupts = host_check_interrupts;
	host->participants = 1;
}

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
	/* PostgreSQL 19 resolves polymorphic columns but keeps the cached offsets of those behind them. */
	result->setDesc = CreateTupleDescCopy(result->setDesc);
	result->setResult = tuplestore_begin_heap((result->allowedModes & SFRM_Materialize_Random) != 0,
											  false, JoinStoreMemory());
	MemoryContextSwitchTo(previous);
	return result;
}

/* The joins are not STRICT, since a key type is given by a NULL. */
Datum
JoinArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name)
{
	if (PG_ARGISNULL(number))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("%s of a similarity join must not be null", name)));
	return PG_GETARG_DATUM(number);
}

char *
JoinTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name)
{
	return TextDatumGetCString(JoinArgumentOrError(fcinfo, number, name));
}

const char *
JoinFunctionName(FunctionCallInfo fcinfo)
{
	const char *name = get_func_name(fcinfo->flinfo->fn_oid);

	if (name == NULL)
		elog(ERROR, "cache lookup failed for function %u", fcinfo->flinfo->fn_oid);
	return name;
}

/* The types of the extension stand in the same schema as the function that was called. */
static Oid
type_of_extension(FunctionCallInfo fcinfo, const char *name)
{
	Oid schema = get_func_namespace(fcinfo->flinfo->fn_oid);
	Oid type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum(name),
							   ObjectIdGetDatum(schema));

	if (!OidIsValid(type))
		elog(ERROR, "type %s is missing from the schema of the extension", name);
	return type;
}

Oid
JoinTokensetType(FunctionCallInfo fcinfo)
{
	return type_of_extension(fcinfo, "tokenset");
}

Oid
JoinSimhashType(FunctionCallInfo fcinfo)
{
	return type_of_extension(fcinfo, "simhash");
}

Oid
JoinMinhashType(FunctionCallInfo fcinfo)
{
	return type_of_extension(fcinfo, "minhash");
}

Oid
JoinKeyTypeOrError(FunctionCallInfo fcinfo)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, 0);

	if (!OidIsValid(type))
		ereport(ERROR, (errcode(ERRCODE_INDETERMINATE_DATATYPE),
						errmsg("could not determine the type of the key")));
	return type;
}
