/*
 * similarity.c
 *		Estimates from sketches, and the sketch of a union.
 *
 * Full components of two sets with Jaccard similarity J agree with probability J: then the minimum of
 * the union is in both. Different components also agree in b bits with probability C = 2^-b, so b-bit
 * sketches agree in the fraction C + (1 - C) J (Li and Koenig, b-Bit Minwise Hashing, 2010).
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "minhash/minhash.h"

PG_FUNCTION_INFO_V1(minhash_jaccard_estimate);
PG_FUNCTION_INFO_V1(minhash_distance);
PG_FUNCTION_INFO_V1(minhash_union);
PG_FUNCTION_INFO_V1(minhash_union_agg_transition);

static double
estimate(FunctionCallInfo fcinfo)
{
	Minhash *a = PG_GETARG_MINHASH(0);
	Minhash *b = PG_GETARG_MINHASH(1);
	double result;

	MinhashCheckSameKind(MinhashKindOf(a), MinhashKindOf(b));
	result = (double) MinhashMatches(a, b) / a->k;
	if (a->bits < MINHASH_FULL_BITS && !a->is_empty && !b->is_empty)
	{
		double chance = ldexp(1, -(int) a->bits);

		result = (result - chance) / (1 - chance);
	}
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

Datum
minhash_jaccard_estimate(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(estimate(fcinfo));
}

Datum
minhash_distance(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(1 - estimate(fcinfo));
}

static void
lower(Minhash *sketch, const Minhash *other)
{
	for (int32 i = 0; i < sketch->k; i++)
		sketch->words[i] = Min(sketch->words[i], other->words[i]);
}

static Minhash *
copy(const Minhash *sketch)
{
	Minhash *result = palloc(VARSIZE(sketch));

	memcpy(result, sketch, VARSIZE(sketch));
	return result;
}

static void
check_union(const Minhash *a, const Minhash *b)
{
	MinhashCheckSameKind(MinhashKindOf(a), MinhashKindOf(b));
	MinhashCheckFullWidth(a, "the union of sets");
}

static Minhash *
united(const Minhash *a, const Minhash *b)
{
	Minhash *result;

	if (a->is_empty || b->is_empty)
		return copy(a->is_empty ? b : a);
	result = copy(a);
	lower(result, b);
	return result;
}

Datum
minhash_union(PG_FUNCTION_ARGS)
{
	Minhash *a = PG_GETARG_MINHASH(0);
	Minhash *b = PG_GETARG_MINHASH(1);

	check_union(a, b);
	PG_RETURN_MINHASH(united(a, b));
}

Datum
minhash_union_agg_transition(PG_FUNCTION_ARGS)
{
	Minhash *state = PG_GETARG_MINHASH(0);
	Minhash *sketch = PG_GETARG_MINHASH(1);

	check_union(state, sketch);
	if (sketch->is_empty)
		PG_RETURN_MINHASH(state);
	if (!AggCheckCallContext(fcinfo, NULL) || state->is_empty ||
		(Pointer) state != PG_GETARG_POINTER(0))
		PG_RETURN_MINHASH(united(state, sketch));
	lower(state, sketch);
	PG_RETURN_MINHASH(state);
}
