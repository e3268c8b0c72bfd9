/*
 * similarity.c
 *		Estimates from sketches, and the sketch of a union.
 *
 * Full components of two sets with Jaccard similarity J agree with probability J, so the fraction
 * of components that agree estimates J.
 *
 * With b bits of each component, different components agree by chance, with probability C = 2^-b.
 * So b-bit components agree with probability p = C + (1 - C) J, and with p the fraction of those
 * that agree, J is estimated by
 *
 *		(p - C) / (1 - C)
 *
 * (Li and König, b-Bit Minwise Hashing, 2010). For example, with one bit, half of the components of
 * unrelated sets agree; three quarters that agree mean J = 0.5. The estimate is negative where
 * fewer agree than chance lets expect. The empty set agrees with nothing, not even by chance.
 *
 * The least value over a union is the lesser one of the sets' least values, so full components give
 * the sketch of the union exactly. Lowest bits do not tell which value was less.
 */
#include "postgres.h"

#include <math.h>

#include "compat.h"
#include "minhash/minhash.h"

PG_FUNCTION_INFO_V1(minhash_jaccard_estimate);
PG_FUNCTION_INFO_V1(minhash_distance);
PG_FUNCTION_INFO_V1(minhash_union);
PG_FUNCTION_INFO_V1(minhash_union_agg_transition);

/* Estimates the Jaccard similarity of the arguments. Errors are those of MinhashCheckSameKind. */
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

/*
 * Turns a sketch into the sketch of the union of its set with another sketch's set. Neither is of
 * the empty set.
 */
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

/* Raises invalid_parameter_value for sketches that have no union. */
static void
check_union(const Minhash *a, const Minhash *b)
{
	MinhashCheckSameKind(MinhashKindOf(a), MinhashKindOf(b));
	MinhashCheckFullWidth(a, "the union of sets");
}

/* Returns the sketch of the union, a new one. */
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

/*
 * Is the combine function, too. Inside an aggregate the state is the aggregate's own and is changed
 * in place, unless it is stored compressed, so that only its copy could be changed, or has no
 * words.
 */
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
