/*
 * selectivity.c
 *		Selectivity of similarity predicates and of the set operators.
 *
 * Tokens of similar sets occur together: by products of frequencies nothing would be similar. The
 * estimate is a weighted geometric mean of two bounds; the weights were fitted to words of package
 * descriptions and of titles. The most common sets are compared themselves.
 *
 * Upper bound: a row similar to a set of q tokens has at least α - (q - k) of the k rarest, whose
 * frequencies are f1 to fk. The fraction of such rows is at most (f1 + ... + fk) / (α - q + k) for
 * each k > q - α, and at most that of the rows with a size that the predicate allows.
 *
 * Lower bound: the rows that independent tokens bring, and the few typically similar rows.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"

#include "settings.h"
#include "tokenset/algebra.h"
#include "tokenset/lookups.h"
#include "tokenset/tokenset_query.h"
#include "tokenset/selectivity.h"
#include "tokenset/similarity.h"
#include "tokenset/statistics.h"

PG_FUNCTION_INFO_V1(tokenset_similar_sel);
PG_FUNCTION_INFO_V1(tokenset_similar_joinsel);
PG_FUNCTION_INFO_V1(tokenset_matches_sel);
PG_FUNCTION_INFO_V1(tokenset_matches_joinsel);
PG_FUNCTION_INFO_V1(tokenset_overlaps_sel);
PG_FUNCTION_INFO_V1(tokenset_contains_sel);
PG_FUNCTION_INFO_V1(tokenset_contained_sel);

#define SEMIJOIN_SHARE 0.2

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* Frequencies of the set's tokens, ascending. */
static double *
frequencies_of(const SetStatistics *stats, const Tokenset *set)
{
	int32 count = TokensetCount(set);
	double *frequencies = palloc_extended(Max(count, 1) * sizeof(double), MCXT_ALLOC_HUGE);

	for (int32 i = 0; i < count; i++)
		frequencies[i] = TokenFrequency(stats, set->tokens[i]);
	qsort(frequencies, count, sizeof(double), compare_doubles);
	return frequencies;
}

/* Upper bound of the fraction of sets with at least `overlap` of the tokens. */
static double
overlap_bound(const double *frequencies, int32 count, int64 overlap)
{
	double bound = 1;
	double sum = 0;

	if (overlap <= 0)
		return 1;
	for (int64 k = 1; k <= count; k++)
	{
		sum += frequencies[k - 1];
		if (k > count - overlap)
			bound = Min(bound, sum / (double) (overlap - count + k));
	}
	return overlap > count ? 0 : bound;
}

/* The same fraction if each token occurred independently with the mean frequency. */
static double
independent_share(const double *frequencies, int32 count, int64 overlap)
{
	double sum = 0;
	double share = 0;
	double p;
	double term;

	if (overlap <= 0)
		return 1;
	if (overlap > count)
		return 0;
	for (int32 i = 0; i < count; i++)
		sum += frequencies[i];
	p = sum / count;
	if (p <= 0 || p >= 1)
		return p <= 0 ? 0 : 1;
	term = exp(lgamma(count + 1.0) - lgamma(overlap + 1.0) - lgamma(count - overlap + 1.0) +
			   overlap * log(p) + (count - overlap) * log1p(-p));
	for (int64 k = overlap; k <= count; k++)
	{
		share += term;
		term *= (double) (count - k) / (double) (k + 1) * p / (1 - p);
	}
	return Min(share, 1);
}

/* Least overlap of similar sets of this size, as a fraction of it. */
static double
shared_part(Predicate predicate, double size)
{
	int64 count = (int64) Max(size, 1);
	double shared = (double) PredicateLeastOverlap(predicate, count, count) / (double) count;

	return Min(Max(shared, 0.2), 1);
}

static double
typical_rows(double shared)
{
	return pow((2 - shared) / shared, 2);
}

/* Weight of the upper bound, which is looser where less is shared. */
static double
bound_weight(double shared)
{
	return 0.3 * pow(shared, 3);
}

/* Of the fraction of similar sets. */
typedef struct Bounds
{
	double upper;
	double lower;
} Bounds;

static void
widen(Bounds *bounds, const double *frequencies, int32 count, int64 overlap, double of_size)
{
	bounds->upper = Max(bounds->upper, Min(of_size, overlap_bound(frequencies, count, overlap)));
	bounds->lower = Max(bounds->lower, of_size * independent_share(frequencies, count, overlap));
}

/* For containment of the column, the greatest bounds over all limits of its size. */
static Bounds
similar_bounds(const SetStatistics *stats, Predicate predicate, const Tokenset *value,
			   bool value_is_right)
{
	int32 count = TokensetCount(value);
	double *frequencies = frequencies_of(stats, value);
	Bounds bounds = {0, 0};

	if (value_is_right && MeasureIsAsymmetric(predicate.measure))
	{
		for (double size = 1; size <= TOKENSET_MAX_TOKENS; size = Max(size + 1, floor(size * 1.1)))
		{
			int64 least = PredicateLeastOverlap(predicate, (int64) size, count);

			if (least > count)
				break;
			widen(&bounds, frequencies, count, least, SizeFraction(stats, 1, size));
		}
	}
	else
		widen(&bounds, frequencies, count, PredicateLeastOverlapOfAny(predicate, count, false),
			  SizeFraction(stats, (double) PredicateLeastSize(predicate, count),
						   (double) PredicateGreatestSize(predicate, count)));
	pfree(frequencies);
	return bounds;
}

/* Frequency of the common sets that are similar; *common: of all. */
static double
common_sets_share(const SetStatistics *stats, Predicate predicate, Datum value, bool value_is_right,
				  double *common)
{
	double share = 0;

	*common = 0;
	for (int i = 0; i < stats->sets.nvalues; i++)
	{
		Datum set = stats->sets.values[i];

		*common += stats->sets.numbers[i];
		if (value_is_right ? TokensetDatumsSimilar(predicate, set, value)
						   : TokensetDatumsSimilar(predicate, value, set))
			share += stats->sets.numbers[i];
	}
	return share;
}

static double
known_value_selectivity(const SetStatistics *stats, Predicate predicate, const Tokenset *value,
						bool value_is_right)
{
	double sets = stats->rows * (1 - stats->null_fraction);
	Bounds bounds;
	double shared;
	double lower;
	double rows;
	double common;
	double share;

	if (TokensetCount(value) == 0)
		return 0;
	bounds = similar_bounds(stats, predicate, value, value_is_right);
	rows = bounds.upper * sets;
	shared = shared_part(predicate, TokensetCount(value));
	lower = Max(bounds.lower * sets, typical_rows(shared));
	if (rows > lower)
		rows = lower * pow(rows / lower, bound_weight(shared));
	share = common_sets_share(stats, predicate, PointerGetDatum(value), value_is_right, &common);
	return share + Min(rows / stats->rows, Max(1 - stats->null_fraction - common, 0));
}

static double
unknown_value_selectivity(const SetStatistics *stats, Predicate predicate)
{
	double selectivity = typical_rows(shared_part(predicate, stats->average_size)) / stats->rows;

	for (int i = 0; i < stats->sets.nvalues; i++)
		selectivity += stats->sets.numbers[i] * stats->sets.numbers[i];
	return selectivity;
}

double
TypicalThreshold(Measure measure)
{
	if (measure == MEASURE_OVERLAP)
		return 10;
	return measure == MEASURE_HAMMING ? 5 : 0.8;
}

static Predicate
predicate_of(const SimilarityClause *clause)
{
	Predicate predicate = clause->predicate;

	if (!clause->threshold_is_known)
		predicate.threshold = TypicalThreshold(predicate.measure);
	return predicate;
}

/* Selectivity of a clause between a column and another operand. */
typedef double (*Estimator)(const SetStatistics *stats, Node *other, bool column_is_left,
							const void *clause);

static Selectivity
restriction_selectivity(PlannerInfo *root, List *args, int relation, Oid function,
						Estimator estimate, const void *clause)
{
	VariableStatData variable;
	SetStatistics stats;
	Node *other;
	bool variable_is_left;
	double selectivity = 0;

	if (!get_restriction_variable(root, args, relation, &variable, &other, &variable_is_left))
		return DEFAULT_MATCHING_SEL;
	if (!IsA(other, Const) || !((Const *) other)->constisnull)
	{
		SetStatisticsOpen(&stats, &variable, function);
		selectivity = estimate(&stats, other, variable_is_left, clause);
		SetStatisticsClose(&stats);
	}
	ReleaseVariableStats(variable);
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

static double
similar_selectivity(const SetStatistics *stats, Node *other, bool column_is_left,
					const void *clause)
{
	Predicate predicate = predicate_of(clause);

	if (!IsA(other, Const))
		return unknown_value_selectivity(stats, predicate);
	return known_value_selectivity(stats, predicate,
								   DatumGetTokenset(((Const *) other)->constvalue), column_is_left);
}

/* Each row of the smaller side finds the typical number of rows. */
static Selectivity
join_selectivity(PlannerInfo *root, const SimilarityClause *clause, SpecialJoinInfo *join)
{
	Predicate predicate = predicate_of(clause);
	VariableStatData left;
	VariableStatData right;
	bool reversed;
	SetStatistics left_stats;
	SetStatistics right_stats;
	double selectivity;

	if (join != NULL && (join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI))
		return SEMIJOIN_SHARE;
	get_join_variables(root, clause->args, join, &left, &right, &reversed);
	SetStatisticsOpen(&left_stats, &left, clause->function);
	SetStatisticsOpen(&right_stats, &right, clause->function);
	selectivity = Min(unknown_value_selectivity(&left_stats, predicate),
					  unknown_value_selectivity(&right_stats, predicate));
	SetStatisticsClose(&left_stats);
	SetStatisticsClose(&right_stats);
	ReleaseVariableStats(left);
	ReleaseVariableStats(right);
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

Selectivity
SimilaritySelectivity(PlannerInfo *root, const SimilarityClause *clause, bool is_join, int relation,
					  SpecialJoinInfo *join)
{
	/* The clause raises an error when it is evaluated. */
	if (clause->threshold_is_known &&
		!MeasureThresholdIsValid(clause->predicate.measure, clause->predicate.threshold))
		return 0;
	return is_join ? join_selectivity(root, clause, join)
				   : restriction_selectivity(root, clause->args, relation, clause->function,
											 similar_selectivity, clause);
}

double
ArgumentSize(PlannerInfo *root, Node *argument)
{
	VariableStatData variable;
	SetStatistics stats;
	double size;

	if (IsA(argument, Const))
		return ((Const *) argument)->constisnull
				   ? 0
				   : TokensetDatumCount(((Const *) argument)->constvalue);
	if (root == NULL)
		memset(&variable, 0, sizeof(variable));
	else
		examine_variable(root, argument, 0, &variable);
	SetStatisticsOpen(&stats, &variable, InvalidOid);
	size = stats.average_size;
	SetStatisticsClose(&stats);
	ReleaseVariableStats(variable);
	return size;
}

/*
 * The operator %
 */

static SimilarityClause
similar_clause(Oid op, List *args)
{
	SimilarityClause clause = {
		.predicate = {.measure = MEASURE_JACCARD, .threshold = neardup_similarity_threshold},
		.threshold_is_known = true,
		.function = get_opcode(op),
		.args = args};

	return clause;
}

Datum
tokenset_similar_sel(PG_FUNCTION_ARGS)
{
	SimilarityClause clause = similar_clause(PG_GETARG_OID(1), (List *) PG_GETARG_POINTER(2));

	PG_RETURN_FLOAT8(SimilaritySelectivity((PlannerInfo *) PG_GETARG_POINTER(0), &clause, false,
										   PG_GETARG_INT32(3), NULL));
}

Datum
tokenset_similar_joinsel(PG_FUNCTION_ARGS)
{
	SimilarityClause clause = similar_clause(PG_GETARG_OID(1), (List *) PG_GETARG_POINTER(2));

	PG_RETURN_FLOAT8(SimilaritySelectivity((PlannerInfo *) PG_GETARG_POINTER(0), &clause, true, 0,
										   (SpecialJoinInfo *) PG_GETARG_POINTER(4)));
}

/*
 * The operator @~
 */

/* A constant query, or a call with a constant measure, then with a NULL *value; else false. */
static bool
describe_query(Node *node, Predicate *predicate, const Tokenset **value, bool *value_first)
{
	List *args;
	Const *arg[4]; /* without the column */

	*value = NULL;
	if (IsA(node, Const))
	{
		TokensetQuery *query = DatumGetTokensetQuery(((Const *) node)->constvalue);

		*predicate = TokensetQueryPredicate(query);
		*value = TokensetQueryValue(query);
		*value_first = query->value_first;
		return true;
	}
	if (!IsA(node, FuncExpr))
		return false;
	args = ((FuncExpr *) node)->args;
	if (list_length(args) < (int) lengthof(arg))
		return false;
	for (int i = 0; i < (int) lengthof(arg); i++)
	{
		arg[i] = list_nth(args, i);
		if (!IsA(arg[i], Const) || arg[i]->constisnull)
			arg[i] = NULL;
	}
	if (arg[0] == NULL || arg[0]->consttype != TEXTOID || arg[3] == NULL ||
		arg[3]->consttype != BOOLOID ||
		!MeasureByName(TextDatumGetCString(arg[0]->constvalue), &predicate->measure))
		return false;
	*value_first = DatumGetBool(arg[3]->constvalue);
	predicate->threshold = arg[2] != NULL && arg[2]->consttype == FLOAT8OID
							   ? DatumGetFloat8(arg[2]->constvalue)
							   : TypicalThreshold(predicate->measure);
	return MeasureThresholdIsValid(predicate->measure, predicate->threshold);
}

double
QueryLookups(PlannerInfo *root, FuncExpr *call)
{
	double size = ArgumentSize(root, lsecond(call->args));
	int64 count = (int64) Max(size, 1);
	Predicate predicate = {.measure = MEASURE_JACCARD};
	const Tokenset *value;
	bool value_first;

	if (root != NULL && IsA(estimate_expression_value(root, (Node *) call), Const))
		return 0;
	if (list_length(call->args) < 5 ||
		!describe_query((Node *) call, &predicate, &value, &value_first))
		return size;
	return (double) Max(
		LookupCount(count, PredicateLeastOverlapOfAny(predicate, count, !value_first)), 0);
}

/* As if the tokens were independent. */
static double
any_token_share(const SetStatistics *stats, const Tokenset *value)
{
	double none = 1;

	for (int32 i = 0; i < TokensetCount(value); i++)
		none *= 1 - Min(TokenFrequency(stats, value->tokens[i]), 1);
	return 1 - none;
}

/* The rows that the index returns: for containment of a column, all that share a token. */
static double
query_selectivity(const SetStatistics *stats, Node *query, bool column_is_left,
				  const void *unused_clause)
{
	Predicate predicate = {.measure = MEASURE_JACCARD};
	bool value_first;
	const Tokenset *value;

	if (!column_is_left)
		return DEFAULT_MATCHING_SEL;
	if (!describe_query(query, &predicate, &value, &value_first))
	{
		predicate.threshold = TypicalThreshold(predicate.measure);
		return unknown_value_selectivity(stats, predicate);
	}
	if (MeasureIsAsymmetric(predicate.measure) && !value_first)
		return value == NULL ? 0.5 : any_token_share(stats, value) * (1 - stats->null_fraction);
	if (value == NULL)
		return unknown_value_selectivity(stats, predicate);
	return known_value_selectivity(stats, predicate, value, !value_first);
}

static Datum
operator_selectivity(FunctionCallInfo fcinfo, Estimator estimate, const void *clause)
{
	PG_RETURN_FLOAT8(restriction_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
											 (List *) PG_GETARG_POINTER(2), PG_GETARG_INT32(3),
											 get_opcode(PG_GETARG_OID(1)), estimate, clause));
}

Datum
tokenset_matches_sel(PG_FUNCTION_ARGS)
{
	return operator_selectivity(fcinfo, query_selectivity, NULL);
}

Datum
tokenset_matches_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);
}

/*
 * The set operators
 */

static double
overlap_selectivity(const SetStatistics *stats, Node *other, bool column_is_left,
					const void *unused_clause)
{
	if (!IsA(other, Const))
		return DEFAULT_MATCHING_SEL;
	return any_token_share(stats, DatumGetTokenset(((Const *) other)->constvalue)) *
		   (1 - stats->null_fraction);
}

/*
 * The rarest token bounds the supersets from above, independent tokens from below: the estimate is
 * the geometric mean. About one uncommon set is a subset, such as the value itself.
 */
static double
containment_selectivity(const SetStatistics *stats, Node *other, bool column_is_left,
						const void *left_contains_right)
{
	bool contains = *(const bool *) left_contains_right == column_is_left;
	const Tokenset *value;
	double least = 1;
	double product = 1;
	double common = 0;
	double share = 0;

	if (!IsA(other, Const))
		return DEFAULT_MATCHING_SEL;
	value = DatumGetTokenset(((Const *) other)->constvalue);
	for (int32 i = 0; i < TokensetCount(value); i++)
	{
		double frequency = Min(TokenFrequency(stats, value->tokens[i]), 1);

		least = Min(least, frequency);
		product *= frequency;
	}
	for (int i = 0; i < stats->sets.nvalues; i++)
	{
		Tokenset *set = DatumGetTokenset(stats->sets.values[i]);

		common += stats->sets.numbers[i];
		if (contains ? TokensetContains(set, value) : TokensetContains(value, set))
			share += stats->sets.numbers[i];
	}
	if (contains)
		return Max(share, sqrt(least * Max(product, 1 / stats->rows)) * (1 - stats->null_fraction));
	if (stats->sizes.nnumbers >= 3)
		share = Max(share, SizeFraction(stats, 0, 0));
	return share + Min(1 / stats->rows, Max(1 - stats->null_fraction - common, 0));
}

Datum
tokenset_overlaps_sel(PG_FUNCTION_ARGS)
{
	return operator_selectivity(fcinfo, overlap_selectivity, NULL);
}

Datum
tokenset_contains_sel(PG_FUNCTION_ARGS)
{
	bool contains = true;

	return operator_selectivity(fcinfo, containment_selectivity, &contains);
}

Datum
tokenset_contained_sel(PG_FUNCTION_ARGS)
{
	bool contains = false;

	return operator_selectivity(fcinfo, containment_selectivity, &contains);
}
