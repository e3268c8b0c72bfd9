/*
 * elements.c
 *		The parts of a sketch as SQL values, and sketches from arrays.
 *
 * The sketch of the empty set stores no components. As an array, which has to have k elements, it
 * has the greatest component, 2^32 - 1, in each place, as in other libraries. In b bits, that value
 * could not be told from values of other sets, so a b-bit sketch of the empty set has no array.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "minhash/minhash.h"
#include "text/element_tokens.h"

PG_FUNCTION_INFO_V1(minhash_to_array);
PG_FUNCTION_INFO_V1(minhash_from_array);
PG_FUNCTION_INFO_V1(minhash_from_array_of_kind);
PG_FUNCTION_INFO_V1(minhash_k);
PG_FUNCTION_INFO_V1(minhash_bits);
PG_FUNCTION_INFO_V1(minhash_seed);
PG_FUNCTION_INFO_V1(minhash_profile);

Datum
minhash_to_array(PG_FUNCTION_ARGS)
{
	Minhash *sketch = PG_GETARG_MINHASH(0);
	Datum *values = palloc((Size) sketch->k * sizeof(Datum));

	if (sketch->is_empty)
		MinhashCheckFullWidth(sketch, "an array of the empty set's components");
	for (int32 i = 0; i < sketch->k; i++)
		values[i] = Int64GetDatum(sketch->is_empty ? (int64) MINHASH_NO_TOKEN
												   : (int64) MinhashGet(sketch, i));
	PG_RETURN_ARRAYTYPE_P(construct_array(values, sketch->k, INT8OID, sizeof(int64),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/*
 * Returns the sketch of a kind whose components are in the array. The kind's k becomes the number
 * of elements. Raises null_value_not_allowed for a NULL, invalid_parameter_value for a wrong number
 * of elements, and numeric_value_out_of_range for a component of more bits than the kind has.
 */
static Minhash *
from_array(ArrayType *array, MinhashKind kind)
{
	int64 greatest = PG_UINT32_MAX >> (32 - kind.bits);
	uint32 *components;
	int32 count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));
	TokenList values;

	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("components of a minhash must not be null")));
	MinhashCheckK(count);
	kind.k = count;
	TokenListInit(&values, (Size) count);
	TokensOfInt8Array(array, &values);
	components = palloc((Size) count * sizeof(uint32));
	for (int32 i = 0; i < count; i++)
	{
		int64 value = values.tokens[i];

		if (value < 0 || value > greatest)
			ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
							errmsg("component of a minhash is out of range"),
							errdetail("Component %d is %lld, and must be between 0 and %lld.",
									  i + 1, (long long) value, (long long) greatest)));
		components[i] = (uint32) value;
	}
	return MinhashFromComponents(kind, components);
}

/* The cast from bigint[]: full components of unknown origin. */
Datum
minhash_from_array(PG_FUNCTION_ARGS)
{
	MinhashKind kind = {.profile = MINHASH_EXTERNAL, .bits = MINHASH_FULL_BITS};

	PG_RETURN_MINHASH(from_array(PG_GETARG_ARRAYTYPE_P(0), kind));
}

/* Takes the kind from its arguments: (components, bits, seed, profile). */
Datum
minhash_from_array_of_kind(PG_FUNCTION_ARGS)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(3));
	MinhashKind kind = {.bits = PG_GETARG_INT32(1), .seed = (uint64) PG_GETARG_INT64(2)};

	MinhashCheckBits(kind.bits);
	if (!MinhashProfileByName(name, &kind.profile))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("unrecognized profile of a minhash: \"%s\"", name),
						errhint("The profiles are neardup, datasketch-affine32 (the default of "
								"datasketch since version 2.0), datasketch-legacy (earlier "
								"versions) and external.")));
	PG_RETURN_MINHASH(from_array(PG_GETARG_ARRAYTYPE_P(0), kind));
}

Datum
minhash_k(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(PG_GETARG_MINHASH(0)->k);
}

Datum
minhash_bits(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(PG_GETARG_MINHASH(0)->bits);
}

Datum
minhash_seed(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64((int64) PG_GETARG_MINHASH(0)->seed);
}

Datum
minhash_profile(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(
		cstring_to_text(MinhashProfileName((MinhashProfile) PG_GETARG_MINHASH(0)->profile)));
}
