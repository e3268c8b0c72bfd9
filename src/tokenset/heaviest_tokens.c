/*
 * heaviest_tokens.c
 *		The heaviest tokens of a set, which sets that are similar by weights must share.
 *
 * An index finds sets by the number of tokens that they share with a value, and knows no weights.
 * What does similarity by weights demand of that number? Let w(q) be the total of the value q,
 * which is the sum of its weights for idf_jaccard, and of their squares for idf_cosine. The tokens
 * that a similar set x shares have a total of at least
 *
 *		t w(q)		idf_jaccard, since w(x ∩ q) >= t w(x ∪ q) >= t w(q)
 *		t² w(q)		idf_cosine, since w(x ∩ q)² >= t² w(x) w(q) >= t² w(x ∩ q) w(q)
 *
 * For example, q has tokens of the weights
 *
 *		9 8 7 6 5 4 3 2 1		45 in all
 *
 * and x must share 0.7 * 45 = 31.5. The seven tokens behind the first two weigh 28, which is too
 * little: x has one of the first two. This is the prefix filter, by weights. The six tokens behind
 * the first three weigh 21, and together with one of these, 30 at most: x has two of the first
 * three.
 *
 * To find all that have k of p tokens, an index reads the lists of the p - k + 1 rarest of them,
 * and drops sets by their signatures, the more the greater k is. To read a longer list is cheap, to
 * fetch a row and to weigh its tokens is not. So of all k that take at most half as many lists
 * again as k = 1 the greatest is chosen. Here that allows for three lists, and of those that take
 * three, three of five and four of six, the second is chosen.
 *
 * Tokens of no weight are never asked for. The bounds are safe against rounding (weight_bounds.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"

#include "measure/threshold.h"
#include "measure/weight_bounds.h"
#include "tokenset/heaviest_tokens.h"
#include "tokenset/kept_weights.h"
#include "tokenset/tokenset_query.h"
#include "tokenset/weighted_similarity.h"

PG_FUNCTION_INFO_V1(heaviest_tokens_query);

/* A token with what a measure adds up for it. */
typedef struct WeighedToken
{
	Token token;
	int64 term;
} WeighedToken;

#define ST_SORT sort_weighed
#define ST_ELEMENT_TYPE WeighedToken
#define ST_COMPARE(a, b) ((a)->term > (b)->term ? -1 : (a)->term < (b)->term)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Returns the tokens that weigh anything in a new array, the heaviest first. */
static WeighedToken *
weigh_tokens(const Tokenset *set, const TokenWeights *weights, bool squares, int32 *count)
{
	WeighedToken *weighed = palloc(Max(TokensetCount(set), 1) * sizeof(WeighedToken));
	const ListedWeight *listed = weights->listed;

	*count = 0;
	for (int32 i = 0; i < TokensetCount(set); i++)
	{
		uint32 weight = TokenWeightsFind(weights, &listed, set->tokens[i]);

		if (weight > 0)
			weighed[(*count)++] =
				(WeighedToken){.token = set->tokens[i], .term = TokenWeightTerm(weight, squares)};
		CHECK_FOR_INTERRUPTS();
	}
	sort_weighed(weighed, *count);
	return weighed;
}

/* The condition of having `least` of the first `length` tokens. */
typedef struct Prefix
{
	int32 length;
	int32 least;
} Prefix;

/* Returns the prefix to ask for, where similar sets share a total of at least `bound`. */
static Prefix
choose_prefix(const WeighedToken *weighed, int32 count, double bound)
{
	Prefix best = {.length = count, .least = 1};
	int64 rest = 0; /* of the tokens behind `length` */
	int64 head = 0; /* of the first least - 1 */
	int32 length = 0;
	int32 fewest = 0; /* lists for a single token */

	for (int32 i = 0; i < count; i++)
		rest += weighed[i].term;
	for (int32 least = 1; least <= count; least++)
	{
		while (length < count && (length < least || (double) (head + rest) >= bound))
			rest -= weighed[length++].term;
		if ((double) (head + rest) >= bound)
			break;
		if (least == 1)
			fewest = length;
		if (length - least + 1 <= fewest + fewest / 2)
			best = (Prefix){.length = length, .least = least};
		head += weighed[least - 1].term;
	}
	return best;
}

/*
 * Returns some tokens of a set as a new set. Each set that satisfies a weighted predicate with the
 * given set has at least *least_overlap of these tokens, which is 1 or more. The result is empty if
 * no set can satisfy it. Raises program_limit_exceeded for a set that is too large to be weighed.
 */
static Tokenset *
heaviest_tokens(const Tokenset *set, Predicate predicate, const TokenWeights *weights,
				int32 *least_overlap)
{
	WeightBounds bounds = WeightBoundsOf(predicate);
	WeighedToken *weighed;
	int32 count;
	int64 total = 0;
	Prefix prefix;
	Token *tokens;
	Tokenset *result;

	CheckWeighedSize(set);
	weighed = weigh_tokens(set, weights, bounds.of_cosine, &count);
	for (int32 i = 0; i < count; i++)
		total += weighed[i].term;
	prefix = choose_prefix(
		weighed, count,
		WeightTotal(&bounds, WeightLeastExtent(&bounds, WeightExtent(&bounds, total))));
	tokens = palloc(Max(prefix.length, 1) * sizeof(Token));
	for (int32 i = 0; i < prefix.length; i++)
		tokens[i] = weighed[i].token;
	result = TokensetFromTokens(tokens, (Size) prefix.length);
	pfree(tokens);
	pfree(weighed);
	*least_overlap = prefix.least;
	return result;
}

/*
 * heaviest_tokens_query(measure, value, threshold, weights), where the measure may also be the text of
 * a comparison, as for tokenset_query. Raises invalid_parameter_value for a threshold that is out of
 * range, and for a measure that is not weighted.
 */
Datum
heaviest_tokens_query(PG_FUNCTION_ARGS)
{
	Tokenset *value = PG_GETARG_TOKENSET(1);
	Predicate predicate;
	ComparisonReach reach = QueryConditionOrError(text_to_cstring(PG_GETARG_TEXT_PP(0)),
												  PG_GETARG_FLOAT8(2), true, &predicate);
	const TokenWeights *weights = TokenWeightsOfDatum(PG_GETARG_DATUM(3));
	int32 least_overlap;
	Tokenset *heaviest;

	if (!MeasureIsWeighted(predicate.measure))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("measure \"%s\" has no weights", MeasureName(predicate.measure)),
						errhint("Measures by weights are idf_jaccard and idf_cosine.")));
	if (reach == REACHED_BY_NONE)
		PG_RETURN_NULL();
	if (PredicateHoldsForAll(predicate))
	{
		predicate.measure = MeasureUnweighted(predicate.measure);
		PG_RETURN_POINTER(TokensetQueryMake(predicate, value, false, NULL, 0));
	}
	heaviest = heaviest_tokens(value, predicate, weights, &least_overlap);
	predicate = (Predicate){.measure = MEASURE_OVERLAP, .threshold = least_overlap};
	PG_RETURN_POINTER(TokensetQueryMake(predicate, heaviest, false, NULL, 0));
}
