/*
 * stats_row.c
 *		Forming the row.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "funcapi.h"

#include "join/call/stats_row.h"

Datum
JoinReturnStats(FunctionCallInfo fcinfo, const SimilarityJoin *join, Datum *values, int count)
{
	TupleDesc descriptor;
	bool *nulls;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[count++] = Int64GetDatum(join->pair_count);
	values[count++] = Int32GetDatum(join->workers_did.probing_workers);
	values[count++] = Int64GetDatum(join->part_count);
	values[count++] = Int64GetDatum(join->memory_bytes);
	values[count++] = Int64GetDatum(join->temp_bytes);
	values[count++] = Float8GetDatum(join->seconds.read);
	values[count++] = Float8GetDatum(join->seconds.canonicalize);
	values[count++] = Float8GetDatum(join->seconds.index);
	values[count++] = Float8GetDatum(join->seconds.probe);
	values[count++] = Float8GetDatum(join->seconds.total);
	if (count != descriptor->natts)
		elog(ERROR, "a join has %d figures, its row %d columns", count, descriptor->natts);
	nulls = palloc0(count * sizeof(bool));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}
