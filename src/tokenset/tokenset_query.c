/*
 * tokenset_query.c
 *		The type tokenset_query, and the operator @~ that applies it to a set.
 *
 * The text form is the predicate with x for the missing set: jaccard(x, {1,2,3}) >= 0.8. The binary
 * form is a version byte, a byte that is 1 where x is the right operand of a directed measure,
 * the measure's name, the threshold as float8, and the binary form of the set. Neither has the
 * column, of which only the planner makes values.
 *
 * The set may also be one of a text's q-grams: edit(x, {1,2,3}) <= 2. Behind it edit_query puts the
 * text, which neither form has.
 *
 * Comparisons with the value of a measure are more than the predicates. Each set satisfies
 * jaccard(x, {1,2,3}) >= -Infinity and hamming(x, {1,2,3}) <= Infinity, also the empty one. And
 * difference(x, {1,2,3}) <= 4 is hamming(x, {1,2,3}) <= 4 for sets that may be empty.
 *
 * A constant of an index condition, which only EXPLAIN shows, has a text form of the first tokens
 * alone, jaccard(x, {1,2,3,... 97 more}) >= 0.8, which cannot be read again. A query that a user
 * makes, and may store, has all tokens.
 */
#include "postgres.h"

#include <math.h>

#include "libpq/pqformat.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "compat.h"
#include "text_input.h"
#include "measure/threshold.h"
#include "tokenset/io.h"
#include "tokenset/tokenset_query.h"
#include "tokenset/similarity.h"

PG_FUNCTION_INFO_V1(tokenset_query_in);
PG_FUNCTION_INFO_V1(tokenset_query_out);
PG_FUNCTION_INFO_V1(tokenset_query_recv);
PG_FUNCTION_INFO_V1(tokenset_query_send);
PG_FUNCTION_INFO_V1(tokenset_query);
PG_FUNCTION_INFO_V1(tokenset_matches);

#define BINARY_VERSION 1

/* The name of hamming with empty sets: it is the number of tokens of the symmetric difference. */
#define HAMMING_WITH_EMPTY "difference"

/* Tokens that EXPLAIN shows of a constant. */
#define TOKENS_SHOWN 20

TokensetQuery *
TokensetQueryCheck(TokensetQuery *query)
{
	if (unlikely(query->version != TOKENSET_QUERY_VERSION))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("tokenset_query has unknown version %d", query->version)));
	return query;
}

TokensetQuery *
TokensetQueryMake(Predicate predicate, const Tokenset *value, bool value_first, const void *rest,
				  Size rest_size)
{
	Size end = TOKENSET_QUERY_HEADER_SIZE + VARSIZE(value);
	Size size = end + rest_size;
	TokensetQuery *query;

	TokensetCheckCount(TokensetCount(value) + (size - VARSIZE(value)) / sizeof(Token));
	query = palloc0(size);
	SET_VARSIZE(query, size);
	query->version = TOKENSET_QUERY_VERSION;
	query->measure = predicate.measure;
	query->value_first = value_first && MeasureIsDirected(predicate.measure);
	query->with_empty = predicate.with_empty;
	query->threshold = predicate.threshold;
	memcpy(query->value, value, VARSIZE(value));
	if (rest_size > 0)
		memcpy((char *) query + end, rest, rest_size);
	return query;
}

const void *
TokensetQueryRest(const TokensetQuery *query)
{
	Size end = TOKENSET_QUERY_HEADER_SIZE + VARSIZE(TokensetQueryValue(query));

	return VARSIZE(query) > end ? (const char *) query + end : NULL;
}

bool
TokensetQueryHolds(const TokensetQuery *query, Datum set)
{
	Predicate predicate = TokensetQueryPredicate(query);
	Datum value = PointerGetDatum(TokensetQueryValue(query));

	if (PredicateHoldsForAll(predicate))
		return true;
	return query->value_first ? TokensetDatumsSimilar(predicate, value, set)
							  : TokensetDatumsSimilar(predicate, set, value);
}

bool
TokensetQueryMeasureByName(const char *name, Predicate *predicate)
{
	predicate->with_empty = strcmp(name, HAMMING_WITH_EMPTY) == 0;
	predicate->measure = predicate->with_empty ? MEASURE_HAMMING : MEASURE_EDIT;
	return predicate->with_empty || strcmp(name, MeasureName(MEASURE_EDIT)) == 0 ||
		   MeasureByName(name, &predicate->measure);
}

static const char *
measure_name(const TokensetQuery *query)
{
	return query->with_empty ? HAMMING_WITH_EMPTY : MeasureName((Measure) query->measure);
}

bool
TokensetQueryThresholdIsValid(Predicate predicate)
{
	return MeasureThresholdIsValid(predicate.measure, predicate.threshold) ||
		   (isinf(predicate.threshold) && PredicateHoldsForAll(predicate));
}

/* Raises invalid_parameter_value for a threshold that is not valid. */
static void
check_threshold(Predicate predicate)
{
	if (!TokensetQueryThresholdIsValid(predicate))
		PredicateOrError(predicate.measure, predicate.threshold);
}

/* Reads the name of a measure of queries into the predicate. */
static void
read_measure(TextInput *input, Predicate *predicate)
{
	size_t length;
	char *name;

	(void) InputNext(input);
	length = strspn(input->at, "abcdefghijklmnopqrstuvwxyz");
	name = pnstrdup(input->at, length);
	if (!TokensetQueryMeasureByName(name, predicate))
		InputSyntaxError(input, "the name of a measure");
	input->at += length;
	pfree(name);
}

/* Reads a set, and returns it; NULL for x. */
static Tokenset *
read_argument(TextInput *input)
{
	if (InputTake(input, "x"))
		return NULL;
	if (*input->at != '{')
		InputSyntaxError(input, "x or a set in braces");
	return DatumGetTokenset(
		DirectFunctionCall1(tokenset_in, CStringGetDatum(InputUpTo(input, "}"))));
}

Datum
tokenset_query_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	TextInput input = {.type = "tokenset_query",
					   .text = text,
					   .at = text,
					   .hint = "A query reads as jaccard(x, {1,2,3}) >= 0.8."};
	Predicate predicate = {0};
	Tokenset *left;
	Tokenset *right;

	read_measure(&input, &predicate);
	InputExpect(&input, "(", "an opening parenthesis");
	left = read_argument(&input);
	InputExpect(&input, ",", "a comma");
	right = read_argument(&input);
	if ((left == NULL) == (right == NULL))
		InputSyntaxError(&input, "one x and one set before this place");
	InputExpect(&input, ")", "a closing parenthesis");
	if (MeasureIsDistance(predicate.measure))
		InputExpect(&input, "<=", "<=");
	else
		InputExpect(&input, ">=", ">=");
	predicate.threshold = DatumGetFloat8(DirectFunctionCall1(float8in, CStringGetDatum(input.at)));
	check_threshold(predicate);
	PG_RETURN_POINTER(
		TokensetQueryMake(predicate, left == NULL ? right : left, left != NULL, NULL, 0));
}

/* Returns the first tokens of a set, and how many more there are. */
static char *
first_tokens(const Tokenset *set)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfoChar(&text, '{');
	for (int32 i = 0; i < TOKENS_SHOWN; i++)
		appendStringInfo(&text, "%lld,", (long long) set->tokens[i]);
	appendStringInfo(&text, "... %d more}", TokensetCount(set) - TOKENS_SHOWN);
	return text.data;
}

/* Returns the text of the query's set. */
static char *
value_text(const TokensetQuery *query)
{
	const Tokenset *set = TokensetQueryValue(query);

	if (query->is_condition && TokensetCount(set) > TOKENS_SHOWN)
		return first_tokens(set);
	return DatumGetCString(DirectFunctionCall1(tokenset_out, PointerGetDatum(set)));
}

Datum
tokenset_query_out(PG_FUNCTION_ARGS)
{
	TokensetQuery *query = PG_GETARG_TOKENSET_QUERY(0);
	char *value = value_text(query);
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s(", measure_name(query));
	appendStringInfoString(&text, query->value_first ? value : "x");
	appendStringInfoString(&text, ", ");
	appendStringInfoString(&text, query->value_first ? "x" : value);
	appendStringInfo(&text, ") %s %s", MeasureIsDistance(query->measure) ? "<=" : ">=",
					 float8out_internal(query->threshold));
	pfree(value);
	PG_RETURN_CSTRING(text.data);
}

Datum
tokenset_query_send(PG_FUNCTION_ARGS)
{
	TokensetQuery *query = PG_GETARG_TOKENSET_QUERY(0);
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendint8(&buffer, BINARY_VERSION);
	pq_sendint8(&buffer, query->value_first);
	pq_sendstring(&buffer, measure_name(query));
	pq_sendfloat8(&buffer, query->threshold);
	TokensetWrite(&buffer, TokensetQueryValue(query));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

Datum
tokenset_query_recv(PG_FUNCTION_ARGS)
{
	StringInfo buffer = (StringInfo) PG_GETARG_POINTER(0);
	int value_first;
	Predicate predicate = {0};
	TokensetQuery *query;

	InputBinaryVersion(buffer, "tokenset_query", BINARY_VERSION);
	value_first = pq_getmsgbyte(buffer);
	if (!TokensetQueryMeasureByName(pq_getmsgstring(buffer), &predicate))
		InputBinaryError("tokenset_query", "Its measure is not known.");
	predicate.threshold = pq_getmsgfloat8(buffer);
	if (!TokensetQueryThresholdIsValid(predicate))
		InputBinaryError("tokenset_query", "Its threshold is out of range.");
	query = TokensetQueryMake(predicate, TokensetRead(buffer), value_first == 1, NULL, 0);
	if (query->value_first != value_first)
		InputBinaryError("tokenset_query", "Its sides are not known.");
	PG_RETURN_POINTER(query);
}

bool
QueryConditionRead(const char *name, double number, Predicate *predicate, ComparisonReach *reach)
{
	Comparison comparison;

	*reach = REACHED_BY_SOME;
	*predicate = (Predicate){.threshold = number};
	if (TokensetQueryMeasureByName(name, predicate) ||
		WeightedMeasureByName(name, &predicate->measure))
		return MeasureHasValue(predicate->measure);
	if (!ComparisonRead(name, &predicate->measure, &comparison) ||
		!MeasureHasValue(predicate->measure))
		return false;
	*reach = ComparisonBound(predicate->measure, comparison, number, &predicate->threshold);
	if (*reach == REACHED_BY_ALL)
		predicate->threshold =
			MeasureIsDistance(predicate->measure) ? get_float8_infinity() : -get_float8_infinity();
	/* Compared, the distance of an empty set is the size of the other one. */
	predicate->with_empty = predicate->measure == MEASURE_HAMMING;
	return true;
}

ComparisonReach
QueryConditionOrError(const char *name, double number, bool has_weights, Predicate *predicate)
{
	ComparisonReach reach;

	if (!QueryConditionRead(name, number, predicate, &reach) ||
		(MeasureIsWeighted(predicate->measure) && !has_weights))
		has_weights ? MeasureOrError(name) : SetMeasureOrError(name);
	if (reach != REACHED_BY_NONE)
		check_threshold(*predicate);
	return reach;
}

/*
 * tokenset_query(measure, value, threshold, value_first [, column]). In place of the measure's name
 * there may be the text of a comparison: then the result is NULL if no set satisfies it, and a query
 * of all sets if empty ones may. Raises invalid_parameter_value for any other name, and for a
 * threshold that is not valid for a measure.
 */
Datum
tokenset_query(PG_FUNCTION_ARGS)
{
	const char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Tokenset *value = PG_GETARG_TOKENSET(1);
	const TokensetColumn *column =
		PG_NARGS() == 5 ? (const TokensetColumn *) PG_GETARG_POINTER(4) : NULL;
	Predicate predicate;

	if (QueryConditionOrError(name, PG_GETARG_FLOAT8(2), false, &predicate) == REACHED_BY_NONE)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(TokensetQueryMake(predicate, value, PG_GETARG_BOOL(3), column,
										column == NULL ? 0 : sizeof(TokensetColumn)));
}

/* The operator tokenset @~ tokenset_query. */
Datum
tokenset_matches(PG_FUNCTION_ARGS)
{
	TokensetQuery *query = PG_GETARG_TOKENSET_QUERY(1);
	bool result = TokensetQueryHolds(query, PG_GETARG_DATUM(0));

	PG_FREE_IF_COPY(query, 1);
	PG_RETURN_BOOL(result);
}
