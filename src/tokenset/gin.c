/*
 * gin.c
 *		The GIN operator class gin_tokenset_ops: an index of tokens.
 *
 * The keys of a set are its tokens. A similarity predicate with a given set of
 * q tokens becomes a count: of these q keys, a similar set has at least as
 * many as the least overlap over all sizes that an indexed set may have (α of
 * measure.h). The tri-state consistent function answers FALSE as soon as too
 * few keys are left. By it GIN finds out, its entries sorted by frequency,
 * that the q - α + 1 rarest are the required ones, one of which every match
 * has, and that the others need only be looked up for what these bring: the
 * prefix filter, by the index's own frequencies.
 *
 * The more frequent entries are looked up for each candidate, which costs more
 * than to recheck it. Where the planner knows frequencies, it leaves the most
 * frequent tokens out of a query's lookups: without d of them a match still
 * has α - d of the others.
 *
 * Sizes are not in the index, so what reaches the count may still be too
 * large or too small, and is rechecked. Overlap and containment of the given
 * set do not depend on the indexed size; for them the count is the answer.
 *
 * Empty sets have no key; GIN keeps a placeholder for each, as for NULLs.
 * Predicates are false for an empty set, but <@, = and @> know it.
 *
 * There is no boolean consistent function: GIN makes one of the tri-state one.
 */
#include "postgres.h"

#include "access/gin.h"
#include "access/stratnum.h"

#include "neardup.h"
#include "tokenset/gin.h"
#include "tokenset/query.h"

PG_FUNCTION_INFO_V1(gin_tokenset_extract_value);
PG_FUNCTION_INFO_V1(gin_tokenset_extract_query);
PG_FUNCTION_INFO_V1(gin_tokenset_triconsistent);

/* Bytes that GIN takes for a key while it inserts those of one row: a datum and a flag. */
#define GIN_BYTES_PER_KEY (2 * sizeof(Datum))

/*
 * What every match must have, found when the keys are extracted, once for a
 * scan: this many of the keys; and whether no more than that.
 */
typedef struct Requirement
{
	int64 least_overlap;
	bool suffices;
} Requirement;

static Datum *
keys_of(const Tokenset *set, int32 *nkeys)
{
	int32 count = TokensetCount(set);
	Datum *keys = palloc(Max(count, 1) * sizeof(Datum));

	for (int32 i = 0; i < count; i++)
		keys[i] = Int64GetDatum(set->tokens[i]);
	*nkeys = count;
	return keys;
}

Datum
gin_tokenset_extract_value(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(0);
	int32 *nkeys = (int32 *) PG_GETARG_POINTER(1);

	if ((Size) TokensetCount(set) > MaxAllocSize / GIN_BYTES_PER_KEY)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("tokenset has too many tokens for a GIN index"),
						errdetail("A row of the index has at most %zu tokens, not %d.",
								  MaxAllocSize / GIN_BYTES_PER_KEY, TokensetCount(set))));
	PG_RETURN_POINTER(keys_of(set, nkeys));
}

static Requirement
requirement_of(Predicate predicate, int32 count, bool x_is_right)
{
	Requirement result;

	result.least_overlap = PredicateLeastOverlapOfAny(predicate, Max(count, 1), x_is_right);
	result.suffices = predicate.measure == MEASURE_OVERLAP ||
					  (predicate.measure == MEASURE_CONTAINMENT && !x_is_right);
	return result;
}

/*
 * The keys of a predicate, and in *extra_data its requirement for the
 * consistent function. No key and the default mode mean that nothing matches.
 * Of the value's tokens only `lookups` are keys, if that is not NULL.
 */
static Datum *
extract_predicate(const Tokenset *value, const Tokenset *lookups, Requirement requirement,
				  int32 *nkeys, Pointer **extra_data, int32 *search_mode)
{
	int32 count = TokensetCount(value);
	int32 left_out = lookups == NULL ? 0 : count - TokensetCount(lookups);
	Requirement *kept;

	*nkeys = 0;
	if (count == 0 || requirement.least_overlap > count)
		return NULL;
	if (requirement.least_overlap <= 0)
	{
		*search_mode = GIN_SEARCH_MODE_ALL;
		return NULL;
	}
	if (left_out > 0 && left_out < requirement.least_overlap)
	{
		value = lookups;
		count -= left_out;
		requirement.least_overlap -= left_out;
		requirement.suffices = false;
	}
	kept = palloc(sizeof(Requirement));
	*kept = requirement;
	*extra_data = palloc0(count * sizeof(Pointer));
	(*extra_data)[0] = (Pointer) kept;
	return keys_of(value, nkeys);
}

Datum
gin_tokenset_extract_query(PG_FUNCTION_ARGS)
{
	Datum argument = PG_GETARG_DATUM(0);
	int32 *nkeys = (int32 *) PG_GETARG_POINTER(1);
	StrategyNumber strategy = PG_GETARG_UINT16(2);
	Pointer **extra_data = (Pointer **) PG_GETARG_POINTER(4);
	int32 *search_mode = (int32 *) PG_GETARG_POINTER(6);
	Requirement requirement;
	TokensetQuery *query;
	const Tokenset *value;
	Datum *keys;

	*search_mode = GIN_SEARCH_MODE_DEFAULT;
	if (strategy == GIN_TOKENSET_MATCHES)
	{
		query = DatumGetTokensetQuery(argument);
		value = TokensetQueryValue(query);
		requirement = requirement_of(TokensetQueryPredicate(query), TokensetCount(value),
									 !query->value_first);
		PG_RETURN_POINTER(extract_predicate(value, TokensetQueryLookups(query), requirement, nkeys,
											extra_data, search_mode));
	}

	value = DatumGetTokenset(argument);
	if (strategy == GIN_TOKENSET_SIMILAR)
	{
		Predicate predicate = {.measure = MEASURE_JACCARD,
							   .threshold = neardup_similarity_threshold};

		requirement = requirement_of(predicate, TokensetCount(value), true);
		PG_RETURN_POINTER(
			extract_predicate(value, NULL, requirement, nkeys, extra_data, search_mode));
	}

	keys = keys_of(value, nkeys);
	if (strategy == GIN_TOKENSET_CONTAINED || (strategy == GIN_TOKENSET_EQUAL && *nkeys == 0))
		*search_mode = GIN_SEARCH_MODE_INCLUDE_EMPTY;
	else if (strategy == GIN_TOKENSET_CONTAINS && *nkeys == 0)
		*search_mode = GIN_SEARCH_MODE_ALL;
	PG_RETURN_POINTER(keys);
}

/* How many of the keys have this state. */
static int32
count_state(const GinTernaryValue *check, int32 nkeys, GinTernaryValue state)
{
	int32 count = 0;

	for (int32 i = 0; i < nkeys; i++)
		count += check[i] == state;
	return count;
}

static GinTernaryValue
predicate_state(const GinTernaryValue *check, int32 nkeys, const Requirement *requirement)
{
	int64 possible = nkeys - count_state(check, nkeys, GIN_FALSE);

	if (possible < requirement->least_overlap)
		return GIN_FALSE;
	if (requirement->suffices && count_state(check, nkeys, GIN_TRUE) >= requirement->least_overlap)
		return GIN_TRUE;
	return GIN_MAYBE;
}

Datum
gin_tokenset_triconsistent(PG_FUNCTION_ARGS)
{
	const GinTernaryValue *check = (const GinTernaryValue *) PG_GETARG_POINTER(0);
	StrategyNumber strategy = PG_GETARG_UINT16(1);
	int32 nkeys = PG_GETARG_INT32(3);
	Pointer *extra_data = (Pointer *) PG_GETARG_POINTER(4);
	GinTernaryValue result;

	switch (strategy)
	{
		case GIN_TOKENSET_OVERLAPS:
			if (count_state(check, nkeys, GIN_TRUE) > 0)
				result = GIN_TRUE;
			else
				result = count_state(check, nkeys, GIN_FALSE) == nkeys ? GIN_FALSE : GIN_MAYBE;
			break;
		case GIN_TOKENSET_CONTAINS:
			if (count_state(check, nkeys, GIN_FALSE) > 0)
				result = GIN_FALSE;
			else
				result = count_state(check, nkeys, GIN_TRUE) == nkeys ? GIN_TRUE : GIN_MAYBE;
			break;
		case GIN_TOKENSET_EQUAL:
			result = count_state(check, nkeys, GIN_FALSE) > 0 ? GIN_FALSE : GIN_MAYBE;
			break;
		case GIN_TOKENSET_CONTAINED:
			/* Other tokens that the set may have are not seen. */
			result = GIN_MAYBE;
			break;
		case GIN_TOKENSET_SIMILAR:
		case GIN_TOKENSET_MATCHES:
			/* Without keys all of the index is read. */
			if (nkeys == 0)
				result = GIN_MAYBE;
			else
				result = predicate_state(check, nkeys, (const Requirement *) extra_data[0]);
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	PG_RETURN_GIN_TERNARY_VALUE(result);
}
