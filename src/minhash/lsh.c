/*
 * lsh.c
 *		Bands and super-shingles of sketches, as SQL functions.
 *
 * Both give keys of 64 bits that similar sets are likely to have in common, so that a join on equal
 * keys finds candidates: sketch/lsh_plan.h and sketch/supershingles.h explain how. The sketch of
 * the empty set has no keys, since an empty set is similar to nothing.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/array.h"

#include "measure/threshold.h"
#include "sketch/band.h"
#include "minhash/lsh.h"
#include "minhash/minhash.h"
#include "sketch/supershingles.h"

PG_FUNCTION_INFO_V1(lsh_plan);
PG_FUNCTION_INFO_V1(lsh_probability);
PG_FUNCTION_INFO_V1(lsh_bands);
PG_FUNCTION_INFO_V1(supershingles);

/* Raises invalid_parameter_value unless the recall is between 0 and 1. No plan reaches 1. */
static void
check_recall(double recall)
{
	if (!(recall > 0 && recall < 1))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("recall must be greater than 0 and less than 1"),
				 errdetail("The recall is %g.", recall), errhint("ppjoin finds all pairs.")));
}

LshPlan
LshPlanOrError(double threshold, double recall, int32 k)
{
	LshPlan plan;

	(void) PredicateOrError(MEASURE_JACCARD, threshold);
	check_recall(recall);
	MinhashCheckK(k);
	if (!LshPlanFind(threshold, recall, (uint32) k, &plan))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no bands of %d components reach this recall at this threshold", k),
				 errdetail("The recall is %g, the threshold %g.", recall, threshold),
				 errhint("Take more components, or a higher threshold, or a lower recall.")));
	return plan;
}

/* Raises invalid_parameter_value unless both numbers are positive. */
static void
check_bands(int32 bands, int32 rows)
{
	if (bands < 1 || rows < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("numbers of bands and of rows must be at least 1"),
						errdetail("They are %d and %d.", bands, rows)));
}

/* lsh_plan(threshold, recall, k): a row of bands, rows, and the probability at the threshold. */
Datum
lsh_plan(PG_FUNCTION_ARGS)
{
	double threshold = PG_GETARG_FLOAT8(0);
	LshPlan plan = LshPlanOrError(threshold, PG_GETARG_FLOAT8(1), PG_GETARG_INT32(2));
	Datum values[3];
	bool nulls[3] = {false, false, false};
	TupleDesc descriptor;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = Int32GetDatum((int32) plan.bands);
	values[1] = Int32GetDatum((int32) plan.rows);
	values[2] = Float8GetDatum(LshProbability(threshold, plan));
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}

Datum
lsh_probability(PG_FUNCTION_ARGS)
{
	double s = PG_GETARG_FLOAT8(0);
	int32 bands = PG_GETARG_INT32(1);
	int32 rows = PG_GETARG_INT32(2);

	if (!(s >= 0 && s <= 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("similarity must be between 0 and 1"),
						errdetail("The similarity is %g.", s)));
	check_bands(bands, rows);
	PG_RETURN_FLOAT8(LshProbability(s, (LshPlan){.bands = (uint32) bands, .rows = (uint32) rows}));
}

/* Returns keys as an array of bigint. */
static ArrayType *
array_of_keys(Datum *values, int count)
{
	return construct_array(values, count, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
}

/*
 * lsh_bands(sketch, bands, rows): a key for each band. Raises invalid_parameter_value if the bands
 * take more components than the sketch has.
 */
Datum
lsh_bands(PG_FUNCTION_ARGS)
{
	Minhash *sketch = PG_GETARG_MINHASH(0);
	int32 bands = PG_GETARG_INT32(1);
	int32 rows = PG_GETARG_INT32(2);
	Datum *keys;
	uint32 *values;

	check_bands(bands, rows);
	if ((int64) bands * rows > sketch->k)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("sketch has too few components for these bands"),
				 errdetail("%d bands of %d rows take %lld components, and the sketch has %d.",
						   bands, rows, (long long) bands * rows, sketch->k),
				 errhint("Make sketches with a larger k, or take the bands that lsh_plan() "
						 "finds for this k.")));
	if (sketch->is_empty)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	keys = palloc((Size) bands * sizeof(Datum));
	values = palloc((Size) rows * sizeof(uint32));
	for (int32 band = 0; band < bands; band++)
	{
		for (int32 row = 0; row < rows; row++)
			values[row] = MinhashGet(sketch, (uint32) (band * rows + row));
		keys[band] = Int64GetDatum((int64) BandKey(values, (uint32) rows, (uint32) band));
	}
	PG_FREE_IF_COPY(sketch, 0);
	PG_RETURN_ARRAYTYPE_P(array_of_keys(keys, bands));
}

void
SupershingleCheckSize(int32 size, int32 k)
{
	if (size < 1 || size > k)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("size of super-shingles must be between 1 and the number of "
							   "components"),
						errdetail("The size is %d, and the sketch has %d components.", size, k)));
}

/*
 * supershingles(sketch, size): needs full components, which are in the same order as the hashed
 * values.
 */
Datum
supershingles(PG_FUNCTION_ARGS)
{
	Minhash *sketch = PG_GETARG_MINHASH(0);
	int32 size = PG_GETARG_INT32(1);
	uint32 count;
	uint32 *values;
	uint64 *keys;
	Datum *elements;

	MinhashCheckFullWidth(sketch, "supershingles");
	SupershingleCheckSize(size, sketch->k);
	if (sketch->is_empty)
		PG_RETURN_ARRAYTYPE_P(construct_empty_array(INT8OID));
	values = palloc((Size) sketch->k * sizeof(uint32));
	memcpy(values, sketch->words, (Size) sketch->k * sizeof(uint32));
	count = SupershingleCount((uint32) sketch->k, (uint32) size);
	keys = palloc((Size) count * sizeof(uint64));
	SupershingleKeys(values, (uint32) sketch->k, (uint32) size, keys);
	elements = palloc((Size) count * sizeof(Datum));
	for (uint32 i = 0; i < count; i++)
		elements[i] = Int64GetDatum((int64) keys[i]);
	PG_FREE_IF_COPY(sketch, 0);
	PG_RETURN_ARRAYTYPE_P(array_of_keys(elements, (int) count));
}
