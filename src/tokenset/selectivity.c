/*
 * selectivity.c
 *		How many sets are similar: estimates for the planner.
 *
 * Tokens of similar sets are anything but independent, so products of
 * frequencies would say that nothing is ever similar. Two other figures stand
 * around the truth.
 *
 * From above: each row that is similar to a set of q tokens has at least α of
 * them, hence at least α - (q - k) of the k rarest. So the k rarest tokens
 * together occur that many times as often as there are such rows:
 *
 *		rows <= (f1 + ... + fk) / (α - q + k), for each k > q - α,
 *
 * and the least of these is the bound. Neither are there more than have a
 * size that the predicate allows.
 *
 * From below: as many as independent tokens would bring together; and what is
 * looked up comes as a rule from data of the same kind, where a set has a few
 * others like it, the more the lower the threshold.
 *
 * The estimate is a weighted geometric mean of both; the weights were found on
 * sets of words of package descriptions and of titles of papers. Sets that are so common that
 * statistics list them are compared themselves.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"

#include "neardup.h"
#include "tokenset/query.h"
#include "tokenset/selectivity.h"
#include "tokenset/statistics.h"

PG_FUNCTION_INFO_V1(tokenset_similar_sel);
PG_FUNCTION_INFO_V1(tokenset_similar_joinsel);
PG_FUNCTION_INFO_V1(tokenset_matches_sel);
PG_FUNCTION_INFO_V1(tokenset_matches_joinsel);
PG_FUNCTION_INFO_V1(tokenset_overlaps_sel);
PG_FUNCTION_INFO_V1(tokenset_contains_sel);
PG_FUNCTION_INFO_V1(tokenset_contained_sel);

/* Share of the rows of one side of a semijoin that find a partner. */
#define SEMIJOIN_SHARE 0.2

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static Selectivity
clamp(double selectivity)
{
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

/* The frequencies of the set's tokens, ascending. */
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

/* No more sets than this fraction have at least `overlap` of the tokens. */
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

/*
 * The fraction of the sets that would have at least `overlap` of the tokens
 * if each were in a set with the average probability, independently.
 */
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

/* The least overlap of two similar sets of this size, as a share of it. */
static double
shared_part(Predicate predicate, double size)
{
	int64 count = (int64) Max(size, 1);
	double shared = (double) PredicateLeastOverlap(predicate, count, count) / (double) count;

	return Min(Max(shared, 0.2), 1);
}

/*
 * How many sets are like a given one, in data of the kind that have
 * near-duplicates: 1 at a Jaccard similarity of 1, 1.6 at 0.8, 4 at 0.5.
 */
static double
typical_rows(double shared)
{
	return pow((2 - shared) / shared, 2);
}

/* The weight of the upper bound, which is the looser the less is shared. */
static double
bound_weight(double shared)
{
	return 0.3 * pow(shared, 3);
}

/* Fractions of the sets, around that which is similar. */
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

/*
 * By size and by tokens. Where the least overlap falls with the other set's
 * size, as for the containment of other sets in this one, sizes are taken
 * together from the least on.
 */
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

/* The share of the most common sets that are similar; *common becomes the share of all of them. */
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

/* The value is one of those in the column, or like them. */
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

static Selectivity
restriction_selectivity(PlannerInfo *root, const SimilarityClause *clause, int relation)
{
	Predicate predicate = predicate_of(clause);
	VariableStatData variable;
	SetStatistics stats;
	Node *other;
	bool variable_is_left;
	double selectivity;

	if (!get_restriction_variable(root, clause->args, relation, &variable, &other,
								  &variable_is_left))
		return DEFAULT_MATCHING_SEL;
	SetStatisticsOpen(&stats, &variable, clause->function);
	if (IsA(other, Const) && ((Const *) other)->constisnull)
		selectivity = 0;
	else if (IsA(other, Const))
		selectivity = known_value_selectivity(
			&stats, predicate, DatumGetTokenset(((Const *) other)->constvalue), variable_is_left);
	else
		selectivity = unknown_value_selectivity(&stats, predicate);
	SetStatisticsClose(&stats);
	ReleaseVariableStats(variable);
	return clamp(selectivity);
}

/* Each row of the smaller side finds what is typical. */
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
	return clamp(selectivity);
}

Selectivity
SimilaritySelectivity(PlannerInfo *root, const SimilarityClause *clause, bool is_join, int relation,
					  SpecialJoinInfo *join)
{
	/* Thresholds that are out of range raise an error when the clause is evaluated. */
	if (clause->threshold_is_known &&
		!SimilarityThresholdIsValid(clause->predicate.measure, clause->predicate.threshold))
		return 0;
	return is_join ? join_selectivity(root, clause, join)
				   : restriction_selectivity(root, clause, relation);
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

typedef struct RankedToken
{
	double frequency;
	Token token;
} RankedToken;

static int
compare_ranked(const void *a, const void *b)
{
	const RankedToken *x = (const RankedToken *) a;
	const RankedToken *y = (const RankedToken *) b;

	if (x->frequency != y->frequency)
		return x->frequency < y->frequency ? -1 : 1;
	return x->token < y->token ? -1 : x->token > y->token;
}

/*
 * Of the k rarest tokens a match has at least α - q + k. Were that one, all
 * that shares a token of the prefix would be fetched; each token more lets
 * fewer pass. A third of α, and at least four, was found to leave few
 * candidates that all tokens would have kept out.
 */
#define LEAST_LOOKUP_OVERLAP 4
#define LOOKUP_OVERLAP_PART 3

Tokenset *
TokensToLookUp(PlannerInfo *root, Node *column, Predicate predicate, const Tokenset *value,
			   bool value_is_right)
{
	int32 count = TokensetCount(value);
	VariableStatData variable;
	SetStatistics stats;
	RankedToken *ranked;
	Token *tokens;
	int64 overlap;
	int64 kept;
	bool known;

	if (count == 0)
		return NULL;
	overlap = PredicateLeastOverlapOfAny(predicate, count, value_is_right);
	kept = count - overlap + Max(LEAST_LOOKUP_OVERLAP, overlap / LOOKUP_OVERLAP_PART);
	if (overlap <= 0 || overlap > count || kept >= count)
		return NULL;

	examine_variable(root, column, 0, &variable);
	SetStatisticsOpen(&stats, &variable, InvalidOid);
	known = stats.tokens.nvalues > 0;
	ranked = palloc_extended(count * sizeof(RankedToken), MCXT_ALLOC_HUGE);
	tokens = palloc_extended(kept * sizeof(Token), MCXT_ALLOC_HUGE);
	for (int32 i = 0; i < count; i++)
	{
		ranked[i].token = value->tokens[i];
		ranked[i].frequency = TokenFrequency(&stats, value->tokens[i]);
	}
	SetStatisticsClose(&stats);
	ReleaseVariableStats(variable);
	qsort(ranked, count, sizeof(RankedToken), compare_ranked);
	for (int64 i = 0; i < kept; i++)
		tokens[i] = ranked[i].token;
	pfree(ranked);
	return known ? TokensetFromTokens(tokens, kept) : NULL;
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

/*
 * What the query is as far as it is known: a constant, or a call whose
 * measure and threshold are. False where not even the measure is known.
 */
static bool
describe_query(Node *node, Predicate *predicate, bool *threshold_is_known, const Tokenset **value,
			   bool *value_first)
{
	List *args;
	Const *arg[4];

	*value = NULL;
	*threshold_is_known = true;
	if (IsA(node, Const))
	{
		TokensetQuery *query;

		if (((Const *) node)->constisnull)
			return false;
		query = DatumGetTokensetQuery(((Const *) node)->constvalue);
		*predicate = TokensetQueryPredicate(query);
		*value = TokensetQueryValue(query);
		*value_first = query->value_first;
		return true;
	}
	if (!IsA(node, FuncExpr))
		return false;
	args = ((FuncExpr *) node)->args;
	if (list_length(args) != lengthof(arg))
		return false;
	for (int i = 0; i < (int) lengthof(arg); i++)
	{
		Node *argument = list_nth(args, i);

		arg[i] =
			IsA(argument, Const) && !((Const *) argument)->constisnull ? (Const *) argument : NULL;
	}
	if (arg[0] == NULL || arg[0]->consttype != TEXTOID || arg[3] == NULL ||
		arg[3]->consttype != BOOLOID ||
		!MeasureByName(TextDatumGetCString(arg[0]->constvalue), &predicate->measure))
		return false;
	*threshold_is_known = arg[2] != NULL && arg[2]->consttype == FLOAT8OID;
	predicate->threshold = *threshold_is_known ? DatumGetFloat8(arg[2]->constvalue)
											   : TypicalThreshold(predicate->measure);
	if (!SimilarityThresholdIsValid(predicate->measure, predicate->threshold))
		return false;
	*value_first = DatumGetBool(arg[3]->constvalue);
	return true;
}

/* The share of the sets that have any of the tokens. */
static double
any_token_share(const SetStatistics *stats, const Tokenset *value)
{
	double none = 1;

	for (int32 i = 0; i < TokensetCount(value); i++)
		none *= 1 - Min(TokenFrequency(stats, value->tokens[i]), 1);
	return 1 - none;
}

/*
 * This is what the index is asked for, so it says how many rows the index
 * returns: for the containment of a column in the value that is every row
 * that shares a token.
 */
static double
query_selectivity(const SetStatistics *stats, Node *query)
{
	Predicate predicate = {.measure = MEASURE_JACCARD};
	bool threshold_is_known;
	bool value_first = false;
	const Tokenset *value;
	bool described = describe_query(query, &predicate, &threshold_is_known, &value, &value_first);

	if (!described)
	{
		predicate.threshold = TypicalThreshold(predicate.measure);
		return IsA(query, Const) ? 0 : unknown_value_selectivity(stats, predicate);
	}
	if (MeasureIsAsymmetric(predicate.measure) && !value_first)
		return value == NULL ? 0.5 : any_token_share(stats, value) * (1 - stats->null_fraction);
	if (value == NULL)
		return unknown_value_selectivity(stats, predicate);
	return known_value_selectivity(stats, predicate, value, !value_first);
}

Datum
tokenset_matches_sel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	List *args = (List *) PG_GETARG_POINTER(2);
	VariableStatData variable;
	SetStatistics stats;
	Node *other;
	bool variable_is_left;
	double selectivity;

	if (!get_restriction_variable(root, args, PG_GETARG_INT32(3), &variable, &other,
								  &variable_is_left))
		PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);
	SetStatisticsOpen(&stats, &variable, get_opcode(PG_GETARG_OID(1)));
	selectivity = variable_is_left ? query_selectivity(&stats, other) : DEFAULT_MATCHING_SEL;
	SetStatisticsClose(&stats);
	ReleaseVariableStats(variable);
	PG_RETURN_FLOAT8(clamp(selectivity));
}

/* A table of queries: nothing is known of them. */
Datum
tokenset_matches_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);
}

/*
 * The set operators
 */

typedef enum SetRelation
{
	SETS_OVERLAP,
	SET_CONTAINS,
	SET_IS_CONTAINED
} SetRelation;

/*
 * Of the sets that contain all tokens, or overlap. Tokens of one set attract
 * each other: the frequency of the rarest bounds the share of the sets that
 * contain it from above, that of independent tokens from below.
 */
static double
set_relation_selectivity(const SetStatistics *stats, SetRelation relation, const Tokenset *value)
{
	int32 count = TokensetCount(value);
	double least = 1;
	double product = 1;
	double common = 0;
	double share = 0;

	for (int32 i = 0; i < count; i++)
	{
		double frequency = Min(TokenFrequency(stats, value->tokens[i]), 1);

		least = Min(least, frequency);
		product *= frequency;
	}
	for (int i = 0; i < stats->sets.nvalues; i++)
	{
		Tokenset *set = DatumGetTokenset(stats->sets.values[i]);
		bool related = relation == SETS_OVERLAP	  ? TokensetOverlaps(set, value)
					   : relation == SET_CONTAINS ? TokensetContains(set, value)
												  : TokensetContains(value, set);

		common += stats->sets.numbers[i];
		if (related)
			share += stats->sets.numbers[i];
	}
	switch (relation)
	{
		case SETS_OVERLAP:
			return any_token_share(stats, value) * (1 - stats->null_fraction);
		case SET_CONTAINS:
			return Max(share,
					   sqrt(least * Max(product, 1 / stats->rows)) * (1 - stats->null_fraction));
		default:
			/* Of the uncommon sets about one, a subset such as the value itself. */
			if (stats->sizes.nnumbers >= 3)
				share = Max(share, SizeFraction(stats, 0, 0));
			return share + Min(1 / stats->rows, Max(1 - stats->null_fraction - common, 0));
	}
}

static Datum
set_operator_selectivity(FunctionCallInfo fcinfo, SetRelation relation)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	List *args = (List *) PG_GETARG_POINTER(2);
	VariableStatData variable;
	SetStatistics stats;
	Node *other;
	bool variable_is_left;
	double selectivity = DEFAULT_MATCHING_SEL;

	if (!get_restriction_variable(root, args, PG_GETARG_INT32(3), &variable, &other,
								  &variable_is_left))
		PG_RETURN_FLOAT8(DEFAULT_MATCHING_SEL);
	if (!variable_is_left && relation != SETS_OVERLAP)
		relation = relation == SET_CONTAINS ? SET_IS_CONTAINED : SET_CONTAINS;
	if (IsA(other, Const) && ((Const *) other)->constisnull)
		selectivity = 0;
	else if (IsA(other, Const))
	{
		SetStatisticsOpen(&stats, &variable, get_opcode(PG_GETARG_OID(1)));
		selectivity = set_relation_selectivity(&stats, relation,
											   DatumGetTokenset(((Const *) other)->constvalue));
		SetStatisticsClose(&stats);
	}
	ReleaseVariableStats(variable);
	PG_RETURN_FLOAT8(clamp(selectivity));
}

Datum
tokenset_overlaps_sel(PG_FUNCTION_ARGS)
{
	return set_operator_selectivity(fcinfo, SETS_OVERLAP);
}

Datum
tokenset_contains_sel(PG_FUNCTION_ARGS)
{
	return set_operator_selectivity(fcinfo, SET_CONTAINS);
}

Datum
tokenset_contained_sel(PG_FUNCTION_ARGS)
{
	return set_operator_selectivity(fcinfo, SET_IS_CONTAINED);
}
