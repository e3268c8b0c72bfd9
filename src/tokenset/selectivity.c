/*
 * selectivity.c
 *		Selectivity of similarity predicates and of the set operators, as the planner asks for it.
 *
 * How many rows are similar, similar_share.c estimates by the statistics of a column. Here conditions are
 * taken apart: which operand is a column, what is known of the other one, and of the threshold.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"

#include "settings.h"
#include "function_behind.h"
#include "tokenset/algebra.h"
#include "tokenset/heaviest_tokens.h"
#include "tokenset/lookups.h"
#include "tokenset/tokenset_query.h"
#include "tokenset/selectivity.h"
#include "tokenset/similar_share.h"
#include "tokenset/statistics.h"

PG_FUNCTION_INFO_V1(tokenset_similar_sel);
PG_FUNCTION_INFO_V1(tokenset_similar_joinsel);
PG_FUNCTION_INFO_V1(tokenset_matches_sel);
PG_FUNCTION_INFO_V1(tokenset_matches_joinsel);
PG_FUNCTION_INFO_V1(tokenset_overlaps_sel);
PG_FUNCTION_INFO_V1(tokenset_overlaps_joinsel);
PG_FUNCTION_INFO_V1(tokenset_contains_sel);
PG_FUNCTION_INFO_V1(tokenset_contains_joinsel);
PG_FUNCTION_INFO_V1(tokenset_contained_sel);
PG_FUNCTION_INFO_V1(tokenset_contained_joinsel);

double
TypicalThreshold(Measure measure)
{
	if (measure == MEASURE_OVERLAP)
		return 10;
	return measure == MEASURE_HAMMING ? 5 : 0.8;
}

/* Returns the predicate of a clause, with a typical threshold if that is not known. */
static Predicate
clause_predicate(const SimilarityClause *clause)
{
	Predicate predicate = clause->predicate;

	if (!clause->threshold_is_known)
		predicate.threshold = TypicalThreshold(predicate.measure);
	return predicate;
}

/*
 * Returns the selectivity of a clause between a column, whose statistics are given, and another
 * operand.
 */
typedef double (*Estimator)(SetStatistics *stats, Node *other, bool column_is_left,
							const void *clause);

/*
 * Returns the selectivity of a clause over one relation, by an estimator; a default if it is not
 * between a column and something else, 0 for a constant NULL.
 */
static Selectivity
estimate_restriction(PlannerInfo *root, List *args, int relation, Oid function, Estimator estimate,
					 const void *clause)
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

/* The estimator of a similarity predicate. */
static double
similar_selectivity(SetStatistics *stats, Node *other, bool column_is_left, const void *clause)
{
	Predicate predicate = clause_predicate(clause);

	if (!IsA(other, Const))
		return SimilarToUnknown(stats, predicate);
	return SimilarToKnown(stats, predicate, DatumGetTokenset(((Const *) other)->constvalue),
						  column_is_left);
}

/* Returns whether both variables are of the same table. */
static bool
of_same_table(PlannerInfo *root, const VariableStatData *left, const VariableStatData *right)
{
	return left->rel != NULL && right->rel != NULL && left->rel->rtekind == RTE_RELATION &&
		   right->rel->rtekind == RTE_RELATION &&
		   planner_rt_fetch(left->rel->relid, root)->relid ==
			   planner_rt_fetch(right->rel->relid, root)->relid;
}

/*
 * Returns the selectivity of a join clause. That of a semijoin is the fraction of the rows of its left
 * side that have a similar one.
 */
static Selectivity
similarity_join_selectivity(PlannerInfo *root, const SimilarityClause *clause,
							SpecialJoinInfo *join)
{
	Predicate predicate = clause_predicate(clause);
	VariableStatData left;
	VariableStatData right;
	bool reversed;
	SetStatistics left_stats;
	SetStatistics right_stats;
	double selectivity;

	get_join_variables(root, clause->args, join, &left, &right, &reversed);
	SetStatisticsOpen(&left_stats, &left, clause->function);
	SetStatisticsOpen(&right_stats, &right, clause->function);
	if (join != NULL && (join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI))
		selectivity = ShareWithSimilar(reversed ? &right_stats : &left_stats,
									   reversed ? &left_stats : &right_stats, predicate,
									   of_same_table(root, &left, &right));
	else
		selectivity = SimilarInPairs(&left_stats, &right_stats, predicate);
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
	return is_join ? similarity_join_selectivity(root, clause, join)
				   : estimate_restriction(root, clause->args, relation, clause->function,
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

double
PostingsPerRow(PlannerInfo *root, Node *column, const Tokenset *value)
{
	VariableStatData variable;
	SetStatistics stats;
	double postings = 0;
	bool is_known;

	examine_variable(root, column, 0, &variable);
	SetStatisticsOpen(&stats, &variable, InvalidOid);
	SetStatisticsRead(&stats);
	is_known = SetStatisticsAreKnown(&stats);
	if (value == NULL)
		postings = is_known ? MeanCommonTokens(&stats, &stats) : stats.average_size;
	for (int32 i = 0; value != NULL && i < TokensetCount(value); i++)
		postings += is_known ? TokenFrequency(&stats, value->tokens[i]) : 1;
	SetStatisticsClose(&stats);
	ReleaseVariableStats(variable);
	return postings;
}

/*
 * The operator %
 */

/* Returns the clause of a % b, by the setting's present value. */
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

bool
QueryConditionEstimate(Node *name, Node *threshold, Predicate *predicate)
{
	const Const *condition = (const Const *) name;
	const Const *number = (const Const *) threshold;
	bool is_known = IsA(number, Const) && !number->constisnull && number->consttype == FLOAT8OID;
	ComparisonReach reach;

	if (!IsA(condition, Const) || condition->constisnull || condition->consttype != TEXTOID ||
		!QueryConditionRead(TextDatumGetCString(condition->constvalue),
							is_known ? DatumGetFloat8(number->constvalue) : 0, predicate, &reach))
		return false;
	if (!is_known)
		predicate->threshold = TypicalThreshold(MeasureUnweighted(predicate->measure));
	return true;
}

/*
 * Describes a call of heaviest_tokens_query(measure, value, threshold, weights) as if all weights
 * were equal, like estimate_predicate_selectivity in support.c. *value stays NULL if the value is
 * not known. Returns false if the measure is not known, or the threshold is out of range.
 */
static bool
describe_weighted_query(List *args, Predicate *predicate, const Tokenset **value)
{
	const Const *set = lsecond(args);

	if (!QueryConditionEstimate(linitial(args), lthird(args), predicate))
		return false;
	predicate->measure = MeasureUnweighted(predicate->measure);
	if (IsA(set, Const) && !set->constisnull)
		*value = DatumGetTokenset(set->constvalue);
	return TokensetQueryThresholdIsValid(*predicate);
}

/*
 * Describes the right operand of @~, which is a constant, a call of heaviest_tokens_query, or one of
 * tokenset_query(measure, value, threshold, value_first [, column]). Of the latter, the measure must
 * be a constant, *value becomes NULL, and a threshold that is not known becomes a typical one.
 * Returns false for anything else.
 */
static bool
describe_query(Node *node, Predicate *predicate, const Tokenset **value, bool *value_first)
{
	List *args;
	const Const *first;

	*value = NULL;
	if (IsA(node, Const))
	{
		TokensetQuery *query = DatumGetTokensetQuery(((Const *) node)->constvalue);

		*predicate = TokensetQueryPredicate(query);
		*value = TokensetQueryValue(query);
		*value_first = query->value_first;
		return true;
	}
	args = ArgumentsOfCall(node, heaviest_tokens_query, 4);
	if (args != NIL)
	{
		*value_first = false;
		return describe_weighted_query(args, predicate, value);
	}
	if (!IsA(node, FuncExpr))
		return false;
	args = ((FuncExpr *) node)->args;
	if (list_length(args) < 4 || !QueryConditionEstimate(linitial(args), lthird(args), predicate) ||
		MeasureIsWeighted(predicate->measure))
		return false;
	first = lfourth(args);
	if (!IsA(first, Const) || first->constisnull || first->consttype != BOOLOID)
		return false;
	*value_first = DatumGetBool(first->constvalue);
	return TokensetQueryThresholdIsValid(*predicate);
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

/* Returns whether a query, a constant or a call, names a column, as an index condition for GIN does. */
static bool
names_column(const Node *query)
{
	if (IsA(query, Const))
		return TokensetQueryRest(DatumGetTokensetQuery(((const Const *) query)->constvalue)) !=
			   NULL;
	return IsA(query, FuncExpr) && list_length(((const FuncExpr *) query)->args) > 4;
}

/*
 * The estimator of @~: the fraction of rows that an index returns. For containment of a column's
 * set, GIN requires one token, so that these are all rows that share one.
 */
static double
query_selectivity(SetStatistics *stats, Node *query, bool column_is_left, const void *unused_clause)
{
	Predicate predicate = {.measure = MEASURE_JACCARD};
	bool value_first;
	const Tokenset *value;

	if (!column_is_left)
		return DEFAULT_MATCHING_SEL;
	if (!describe_query(query, &predicate, &value, &value_first))
	{
		predicate.threshold = TypicalThreshold(predicate.measure);
		return SimilarToUnknown(stats, predicate);
	}
	if (PredicateHoldsForAll(predicate))
		return 1 - stats->null_fraction;
	if (MeasureIsDirected(predicate.measure) && !value_first && names_column(query))
		return value == NULL ? 0.5 : AnyTokenShare(stats, value) * (1 - stats->null_fraction);
	if (value == NULL)
		return SimilarToUnknown(stats, predicate);
	if (TokensetCount(value) > 0 && ArgumentsOfCall(query, heaviest_tokens_query, 4) != NIL)
		return RarestTokensShare(stats, predicate, value) * (1 - stats->null_fraction);
	return SimilarToKnown(stats, predicate, value, !value_first);
}

/* Returns the restriction selectivity of an operator, by an estimator. */
static Datum
operator_selectivity(FunctionCallInfo fcinfo, Estimator estimate, const void *clause)
{
	PG_RETURN_FLOAT8(estimate_restriction((PlannerInfo *) PG_GETARG_POINTER(0),
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

/* The estimator of &&. */
static double
overlap_selectivity(SetStatistics *stats, Node *other, bool column_is_left,
					const void *unused_clause)
{
	if (!IsA(other, Const))
		return SimilarToUnknown(stats, (Predicate){.measure = MEASURE_OVERLAP, .threshold = 1});
	return AnyTokenShare(stats, DatumGetTokenset(((Const *) other)->constvalue)) *
		   (1 - stats->null_fraction);
}

/*
 * The estimator of @> and <@. There are at most as many supersets of the value as rows with its
 * rarest token, and at least as many as independent tokens would bring: the estimate is the
 * geometric mean. Subsets are counted among the most common sets, and one more row is assumed, such
 * as the row of the value itself.
 */
static double
containment_selectivity(SetStatistics *stats, Node *other, bool column_is_left,
						const void *left_contains_right)
{
	bool contains = *(const bool *) left_contains_right == column_is_left;
	const Tokenset *value;
	double least = 1;
	double product = 1;
	double common = 0;
	double share = 0;

	if (!IsA(other, Const))
		return SimilarToUnknown(stats, (Predicate){.measure = MEASURE_CONTAINMENT, .threshold = 1});
	SetStatisticsRead(stats);
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

/* Returns the join selectivity of a set operator as that of a predicate whose threshold is 1. */
static Datum
algebra_join_selectivity(FunctionCallInfo fcinfo, Measure measure)
{
	SimilarityClause clause = {.predicate = {.measure = measure, .threshold = 1},
							   .threshold_is_known = true,
							   .function = get_opcode(PG_GETARG_OID(1)),
							   .args = (List *) PG_GETARG_POINTER(2)};

	PG_RETURN_FLOAT8(SimilaritySelectivity((PlannerInfo *) PG_GETARG_POINTER(0), &clause, true, 0,
										   (SpecialJoinInfo *) PG_GETARG_POINTER(4)));
}

Datum
tokenset_overlaps_joinsel(PG_FUNCTION_ARGS)
{
	return algebra_join_selectivity(fcinfo, MEASURE_OVERLAP);
}

/* Sets of equal size are as often contained the one way as the other. */
Datum
tokenset_contains_joinsel(PG_FUNCTION_ARGS)
{
	return algebra_join_selectivity(fcinfo, MEASURE_CONTAINMENT);
}

Datum
tokenset_contained_joinsel(PG_FUNCTION_ARGS)
{
	return algebra_join_selectivity(fcinfo, MEASURE_CONTAINMENT);
}
