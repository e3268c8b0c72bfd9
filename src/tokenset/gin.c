/*
 * gin.c
 *		The GIN operator class gin_tokenset_ops: an index of tokens.
 *
 * The keys of a set are its tokens. What a search needs of a row, whatever the operator, is a
 * number of keys: one for &&, all for @>, and for a similarity predicate with a set of q tokens α
 * of them, the least overlap that it has with similar sets of any size
 * (PredicateLeastOverlapOfAny).
 *
 * GIN makes of this number a prefix filter. It sorts the keys of a search by their frequency in the
 * index, the rarest first, and asks the tri-state consistent function: if the first i keys are
 * absent and all others may be present, can a row match? With the first i for which the answer is
 * no, each match has one of these i keys, the "required" ones. GIN reads the lists of the required
 * keys only, and looks the "additional" ones up just for the rows found there. For example,
 * with q = 10 and α = 8, a row that lacks the three rarest keys has at most seven others, so that
 * these three are required: the q - α + 1 tokens that are the prefix of the set in the paper, in
 * the order of the index's own frequencies. To a boolean consistent function that question could
 * not be put, and GIN would read all lists.
 *
 * Looking a frequent key up for each candidate takes time as well, longer than rechecking the row.
 * So the most frequent keys are left out of the search (lookups.h), where the query names a column
 * whose statistics tell which these are (support.c).
 */
#include "postgres.h"

#include "access/gin.h"
#include "access/stratnum.h"

#include "settings.h"
#include "tokenset/column_frequencies.h"
#include "tokenset/gin.h"
#include "tokenset/lookups.h"
#include "tokenset/tokenset_query.h"

PG_FUNCTION_INFO_V1(gin_tokenset_extract_value);
PG_FUNCTION_INFO_V1(gin_tokenset_extract_query);
PG_FUNCTION_INFO_V1(gin_tokenset_triconsistent);

/* Bytes that GIN allocates for a key during insertion: a datum and a flag. */
#define GIN_BYTES_PER_KEY (2 * sizeof(Datum))

/* Tells what a row must have to match. */
typedef struct Requirement
{
	int64 least_overlap; /* the number of keys */
	bool suffices;		 /* a row that has so many keys matches, whatever its size: no recheck */
} Requirement;

/* Returns tokens as a new array of keys. */
static Datum *
keys_of_tokens(const Token *tokens, int32 count)
{
	Datum *keys = palloc(Max(count, 1) * sizeof(Datum));

	for (int32 i = 0; i < count; i++)
		keys[i] = Int64GetDatum(tokens[i]);
	return keys;
}

/* Returns the tokens of a set as a new array of keys. */
static Datum *
keys_of(const Tokenset *set, int32 *nkeys)
{
	*nkeys = TokensetCount(set);
	return keys_of_tokens(set->tokens, *nkeys);
}

/* Raises program_limit_exceeded for a set whose keys GIN could not allocate. */
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

/*
 * Returns what the predicate requires of a row, for a set of `count` tokens, which is the right
 * operand or the left one. If empty sets satisfy it, any row may. Otherwise nothing is looked up for
 * an empty set, which has not the one token that is required. The least overlap suffices if the
 * largest row is similar with it.
 */
static Requirement
requirement_of(Predicate predicate, int32 count, bool is_right)
{
	Requirement result;
	int64 left = is_right ? PG_INT32_MAX : count;
	int64 right = is_right ? count : PG_INT32_MAX;

	if (PredicateHolds(predicate, 0, 0, count))
		result.least_overlap = 0;
	else
		result.least_overlap =
			count == 0 ? 1 : PredicateLeastOverlapOfAny(predicate, count, is_right);
	result.suffices = PredicateHolds(predicate, result.least_overlap, left, right);
	return result;
}

/*
 * Extracts the keys of a similarity predicate, and hands the requirement to the consistent function
 * through the extra data of the first key. `column` is NULL if none is known. Without keys, nothing
 * matches in the default mode; a predicate that needs no common token searches all rows.
 */
static Datum *
extract_predicate(const Tokenset *value, const TokensetColumn *column, Requirement requirement,
				  int32 *nkeys, Pointer **extra_data, int32 *search_mode)
{
	const Token *tokens = value->tokens;
	int32 count = TokensetCount(value);
	int32 left_out;
	const SetStatistics *stats;
	Requirement *kept;

	*nkeys = 0;
	if (requirement.least_overlap > count)
		return NULL;
	if (requirement.least_overlap <= 0)
	{
		*search_mode = GIN_SEARCH_MODE_ALL;
		return NULL;
	}
	left_out = count - (int32) LookupCount(count, requirement.least_overlap);
	stats = column == NULL || left_out == 0 ? NULL : ColumnFrequencies(column);
	if (stats != NULL)
	{
		count -= left_out;
		tokens = RarestTokens(stats, value, count);
		requirement.least_overlap -= left_out;
		requirement.suffices = false;
	}
	kept = palloc(sizeof(Requirement));
	*kept = requirement;
	*extra_data = palloc0(count * sizeof(Pointer));
	(*extra_data)[0] = (Pointer) kept;
	*nkeys = count;
	return keys_of_tokens(tokens, count);
}

/*
 * The searches by set operators include the special cases of the empty set: it is contained in
 * every set, and GIN finds empty sets only if it is told to include them.
 */
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
		PG_RETURN_POINTER(extract_predicate(
			value, query->measure == MEASURE_EDIT ? NULL : TokensetQueryRest(query), requirement,
			nkeys, extra_data, search_mode));
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

/* Returns how many keys are in a state. */
static int32
count_state(const GinTernaryValue *check, int32 nkeys, GinTernaryValue state)
{
	int32 count = 0;

	for (int32 i = 0; i < nkeys; i++)
		count += check[i] == state;
	return count;
}

/*
 * Returns GIN_FALSE if too few keys are or may be present, GIN_TRUE if enough are present and that
 * suffices, otherwise GIN_MAYBE, after which GIN rechecks the row.
 */
Datum
gin_tokenset_triconsistent(PG_FUNCTION_ARGS)
{
	const GinTernaryValue *check = (const GinTernaryValue *) PG_GETARG_POINTER(0);
	StrategyNumber strategy = PG_GETARG_UINT16(1);
	int32 nkeys = PG_GETARG_INT32(3);
	Pointer *extra_data = (Pointer *) PG_GETARG_POINTER(4);
	Requirement requirement = {.least_overlap = nkeys};

	switch (strategy)
	{
		case GIN_TOKENSET_OVERLAPS:
			requirement = (Requirement){.least_overlap = 1, .suffices = true};
			break;
		case GIN_TOKENSET_CONTAINS:
			requirement.suffices = true;
			break;
		case GIN_TOKENSET_EQUAL:
			break;
		case GIN_TOKENSET_CONTAINED:
			requirement.least_overlap = 0;
			break;
		case GIN_TOKENSET_SIMILAR:
		case GIN_TOKENSET_MATCHES:
			if (nkeys > 0)
				requirement = *(const Requirement *) extra_data[0];
			break;
		default:
			elog(ERROR, "unrecognized strategy number: %d", strategy);
	}
	if (nkeys - count_state(check, nkeys, GIN_FALSE) < requirement.least_overlap)
		PG_RETURN_GIN_TERNARY_VALUE(GIN_FALSE);
	if (requirement.suffices && count_state(check, nkeys, GIN_TRUE) >= requirement.least_overlap)
		PG_RETURN_GIN_TERNARY_VALUE(GIN_TRUE);
	PG_RETURN_GIN_TERNARY_VALUE(GIN_MAYBE);
}
