/*
 * elements.c
 *		The tokens of a set as SQL values: an array, rows, their number.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"

#include "compat.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_to_array);
PG_FUNCTION_INFO_V1(tokenset_unnest);
PG_FUNCTION_INFO_V1(tokenset_cardinality);

/* Raises program_limit_exceeded for the largest sets: the header of an array is longer. */
Datum
tokenset_to_array(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	int32 count = TokensetCount(set);
	Size size = ARR_OVERHEAD_NONULLS(1) + (Size) count * sizeof(int64);
	ArrayType *array;

	if (count == 0)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("tokenset is too large for an array"),
				 errdetail("An array of %d tokens exceeds %zu bytes.", count, MaxAllocSize)));
	array = palloc0(size);
	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = INT8OID;
	ARR_DIMS(array)[0] = count;
	ARR_LBOUND(array)[0] = 1;
	memcpy((char *) array + ARR_OVERHEAD_NONULLS(1), set->tokens, (Size) count * sizeof(int64));
	PG_RETURN_ARRAYTYPE_P(array);
}

Datum
tokenset_unnest(PG_FUNCTION_ARGS)
{
	FuncCallContext *call;
	Tokenset *set;
	uint64 next; /* SRF_RETURN_NEXT increments call_cntr before it evaluates its argument */

	if (SRF_IS_FIRSTCALL())
	{
		MemoryContext caller;

		call = SRF_FIRSTCALL_INIT();
		caller = MemoryContextSwitchTo(call->multi_call_memory_ctx);
		call->user_fctx = TokensetCheck((Tokenset *) PG_DETOAST_DATUM_COPY(PG_GETARG_DATUM(0)));
		MemoryContextSwitchTo(caller);
	}
	call = SRF_PERCALL_SETUP();
	set = call->user_fctx;
	next = call->call_cntr;
	if (next < (uint64) TokensetCount(set))
		SRF_RETURN_NEXT(call, Int64GetDatum(set->tokens[next]));
	SRF_RETURN_DONE(call);
}

/*
 * Computes the number from the size of the datum. Of a set that is stored out of line, only the
 * first bytes are fetched, to check the version.
 */
Datum
tokenset_cardinality(PG_FUNCTION_ARGS)
{
	Datum value = PG_GETARG_DATUM(0);
	struct varlena *head =
		PG_DETOAST_DATUM_SLICE(value, 0, TOKENSET_HEADER_SIZE - offsetof(Tokenset, version));

	TokensetCheck((Tokenset *) head);
	PG_RETURN_INT32(TokensetDatumCount(value));
}
