/*
 * selectivity.c
 *		Selectivity of similarity predicates and of the set operators.
 *
 * How many rows have a set that is similar to a given one? The estimate is the sum of three numbers.
 *
 * Copies. Tokens of similar sets occur together, in copies of one text. ANALYZE has found the
 * families of near-duplicate sets, and how large they are. The value is compared with all of them
 * (set_families.c).
 *
 * Chance. Sets of few or of frequent tokens are also similar without being copies. A set of b
 * tokens is taken to have each token of the value independently, with the token's frequency times
 * b / mean size. The number of these tokens that it has is then a sum of independent ones, whose
 * distribution is computed token by token. The set is similar if the number is α or more, for the α
 * of the two sizes; this is done for some sizes that the column has.
 *
 * That the tokens of the value are independent is least true of frequent ones, so the chance is
 * bounded. Each similar row has at least α of the value's q tokens. So it has at least c = α - q + k
 * of the k rarest, whose frequencies are f1, ..., fk. Count, over all rows, the occurrences of these
 * k tokens: they are f1 + ... + fk times the number of rows, and each similar row takes at least c
 * of them. So the fraction of similar rows is at most
 *
 *		(f1 + ... + fk) / c
 *
 * for each k with which c is positive, and the least of these is taken. For example, of five tokens
 * with the frequencies 0.001, 0.01, 0.1, 0.2 and 0.5, with α = 4, a row must have one of the two
 * rarest: at most 0.011.
 *
 * The value's own row, and the mean number of similar rows in the families that are too small to be
 * kept.
 *
 * The most common sets are compared with the value as well; there are no fewer similar rows than
 * rows that have one of these which is similar.
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
#include "statistics_row.h"
#include "tokenset/algebra.h"
#include "tokenset/heaviest_tokens.h"
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
PG_FUNCTION_INFO_V1(tokenset_overlaps_joinsel);
PG_FUNCTION_INFO_V1(tokenset_contains_sel);
PG_FUNCTION_INFO_V1(tokenset_contains_joinsel);
PG_FUNCTION_INFO_V1(tokenset_contained_sel);
PG_FUNCTION_INFO_V1(tokenset_contained_joinsel);

/* Sizes for which chance is computed, and of how many of the value's tokens at most. */
#define SIZE_CLASSES 10
#define CHANCE_TOKENS 64

/* A chance that makes less than so many rows similar is neglected. */
#define NEGLIGIBLE_ROWS 0.1

/* Sets whose Jaccard similarity is 0.6, the least one of a family, share this part of tokens. */
#define FAMILY_LEAST_SHARED 0.75

static int
compare_doubles(const void *a, const void *b)
{
	double x = *(const double *) a;
	double y = *(const double *) b;

	return x < y ? -1 : x > y;
}

/* Returns the frequencies of a set's tokens in a new array, ascending. */
static double *
ascending_frequencies(SetStatistics *stats, const Tokenset *set)
{
	int32 count = TokensetCount(set);
	double *frequencies = palloc_extended(Max(count, 1) * sizeof(double), MCXT_ALLOC_HUGE);

	for (int32 i = 0; i < count; i++)
		frequencies[i] = TokenFrequency(stats, set->tokens[i]);
	qsort(frequencies, count, sizeof(double), compare_doubles);
	return frequencies;
}

/*
 * Returns an upper bound of the fraction of sets that have at least `overlap` of `count` tokens,
 * whose frequencies ascend, as the head of this file explains.
 */
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
 * Returns which part of their tokens similar sets of this size share at least, from 0.2 to 1. It
 * says how strict a predicate is, whatever its measure.
 */
static double
shared_part(Predicate predicate, double size)
{
	int64 count = (int64) Max(size, 1);
	double shared = (double) PredicateLeastOverlap(predicate, count, count) / (double) count;

	return Min(Max(shared, 0.2), 1);
}

/*
 * Returns the typical number of rows that are similar to a row's set, itself included, where
 * nothing is known of the column's families. It is 1 where all tokens must be shared.
 */
static double
typical_rows(double shared)
{
	return pow((2 - shared) / shared, 2);
}

/*
 * Returns the fraction of pairs of different sets that are similar. *others becomes the part of
 * families that are not kept. Families have no members below some similarity; typical numbers of
 * rows tell how many pairs more there are at a lower one.
 */
static double
similar_pairs(SetStatistics *stats, Predicate predicate, double *others)
{
	const SetFamilies *families = SetStatisticsFamilies(stats);
	double shared = shared_part(predicate, stats->average_size);
	double pairs;
	double more;

	*others = (typical_rows(shared) - 1) / stats->rows;
	if (families == NULL)
		return 0;
	more = typical_rows(shared) / typical_rows(FAMILY_LEAST_SHARED);
	pairs = FamiliesSimilarPairs(families, shared / (2 - shared), others);
	*others *= Max(more, 1);
	return pairs * Max(more, 1);
}

/* Returns the probability that at least `least` of independent events occur, of some at most. */
static double
probability_of_some(const double *probabilities, int count, int least)
{
	double exactly[CHANCE_TOKENS + 1] = {1}; /* this many of the first i events */
	double sum = 0;

	for (int i = 0; i < count; i++)
	{
		double p = probabilities[i];

		exactly[i + 1] = exactly[i] * p;
		for (int k = i; k > 0; k--)
			exactly[k] = exactly[k] * (1 - p) + exactly[k - 1] * p;
		exactly[0] *= 1 - p;
	}
	for (int k = count; k >= Max(least, 0); k--)
		sum += exactly[k];
	return Min(sum, 1);
}

/*
 * Returns the probability that a set has `overlap` of `count` tokens by chance, if it has each with
 * `factor` times its frequency. Of many tokens only each so many-th is looked at. Where the bound of
 * Chernoff is below `negligible`, the probability is taken to be 0.
 */
static double
chance_of_overlap(const double *frequencies, int32 count, int64 overlap, double factor,
				  double negligible)
{
	double probabilities[CHANCE_TOKENS];
	int taken = Min(count, CHANCE_TOKENS);
	double least = (double) overlap * taken / count;
	double mean = 0;

	for (int i = 0; i < taken; i++)
	{
		probabilities[i] = Min(frequencies[(int64) i * count / taken] * factor, 1);
		mean += probabilities[i];
	}
	if (mean <= 0 || (least > mean && exp(least - mean + least * log(mean / least)) < negligible))
		return 0;
	return probability_of_some(probabilities, taken, (int) ceil(least));
}

/* Returns the fraction of sets that are similar to a value by chance, as the head explains. */
static double
similar_by_chance(SetStatistics *stats, Predicate predicate, const Tokenset *value,
				  bool value_is_right)
{
	int32 count = TokensetCount(value);
	double *frequencies = ascending_frequencies(stats, value);
	double negligible = NEGLIGIBLE_ROWS / stats->rows;
	double share = 0;

	for (int i = 0; i < SIZE_CLASSES; i++)
	{
		int64 size = (int64) SizeOfClass(stats, i, SIZE_CLASSES);
		double factor = size / Max(stats->average_size, 1);
		int64 overlap;
		double chance;

		if (size == 0)
			continue;
		overlap = value_is_right ? PredicateLeastOverlap(predicate, size, count)
								 : PredicateLeastOverlap(predicate, count, size);
		if (overlap > Min(size, count))
			continue;
		chance =
			overlap <= 0 ? 1 : chance_of_overlap(frequencies, count, overlap, factor, negligible);
		if (chance > negligible)
			chance = Min(chance, factor * overlap_bound(frequencies, count, overlap));
		share += chance / SIZE_CLASSES;
	}
	pfree(frequencies);
	return share;
}

/* Returns the fraction of rows that have one of the most common sets, and a similar one. */
static double
common_sets_share(SetStatistics *stats, Predicate predicate, Datum value, bool value_is_right)
{
	double share = 0;

	for (int i = 0; i < stats->sets.nvalues; i++)
	{
		Datum set = stats->sets.values[i];

		if (value_is_right ? TokensetDatumsSimilar(predicate, set, value)
						   : TokensetDatumsSimilar(predicate, value, set))
			share += stats->sets.numbers[i];
	}
	return share;
}

/* Returns the fraction of rows that are similar to a value. */
static double
similar_to_known(SetStatistics *stats, Predicate predicate, const Tokenset *value,
				 bool value_is_right)
{
	const SetFamilies *families = SetStatisticsFamilies(stats);
	double share;
	double common;
	double others;

	if (TokensetCount(value) == 0)
		return 0;
	SetStatisticsRead(stats);
	share = similar_by_chance(stats, predicate, value, value_is_right);
	if (families != NULL)
		share += FamiliesSimilarTo(families, predicate, value, value_is_right);
	share *= 1 - stats->null_fraction;
	common = common_sets_share(stats, predicate, PointerGetDatum(value), value_is_right);
	similar_pairs(stats, predicate, &others);
	return Min(Max(Max(share, common), 1 / stats->rows) + others, 1 - stats->null_fraction);
}

/*
 * Returns how many tokens a set of each column has in common on average, if both draw theirs
 * independently. A token that only one column lists is in the other as often as an unlisted one. Both
 * lists ascend, and are read side by side.
 */
static double
mean_common_tokens(const SetStatistics *x, const SetStatistics *y)
{
	double common = 0;
	double unlisted = x->average_size;
	int place = 0;

	for (int i = 0; i < x->tokens.nvalues; i++)
	{
		Token token = DatumGetInt64(x->tokens.values[i]);
		double frequency = x->tokens.numbers[i];
		bool is_listed;

		while (place < y->tokens.nvalues && DatumGetInt64(y->tokens.values[place]) < token)
			place++;
		is_listed = place < y->tokens.nvalues && DatumGetInt64(y->tokens.values[place]) == token;
		common += frequency * (is_listed ? y->tokens.numbers[place] : y->rest_frequency);
		unlisted -= frequency;
	}
	return common + Max(unlisted, 0) * y->rest_frequency;
}

/*
 * Sets the fraction of pairs of sets that share a token, which is mostly chance: the number of common
 * tokens is taken for that of a Poisson distribution. Returns false for a predicate that asks for more,
 * and where a column has no statistics.
 */
static bool
share_by_one_token(SetStatistics *x, SetStatistics *y, Predicate predicate, double *share)
{
	if (predicate.measure != MEASURE_OVERLAP || predicate.threshold > 1)
		return false;
	SetStatisticsRead(x);
	SetStatisticsRead(y);
	if (!SetStatisticsAreKnown(x) || !SetStatisticsAreKnown(y))
		return false;
	*share = (1 - exp(-mean_common_tokens(x, y))) * (1 - x->null_fraction) * (1 - y->null_fraction);
	return true;
}

/* Computes the fraction of rows that are similar to a value that is not known. */
static double
compute_similar_to_unknown(SetStatistics *stats, Predicate predicate)
{
	double others;
	double selectivity = similar_pairs(stats, predicate, &others);
	double common = 0;

	if (share_by_one_token(stats, stats, predicate, &selectivity))
		return selectivity;
	SetStatisticsRead(stats);
	for (int i = 0; i < stats->sets.nvalues; i++)
		common += stats->sets.numbers[i] * stats->sets.numbers[i];
	selectivity = (selectivity + others) * (1 - stats->null_fraction);
	return Max(selectivity, common) + 1 / stats->rows;
}

/* A fraction that is kept, since the planner asks for it again for each order in which tables join. */
typedef struct KeptShare
{
	StatisticsRow row;
	double rows;
	Predicate predicate;
	double share;
} KeptShare;

#define KEPT_SHARES 16

/*
 * Returns the fraction of rows that are similar to a value that is not known. It is assumed to be
 * drawn from the column: a set with many similar ones is sought as often as it occurs.
 */
static double
similar_to_unknown(SetStatistics *stats, Predicate predicate)
{
	static KeptShare kept[KEPT_SHARES];
	static int next = 0;
	StatisticsRow row = StatisticsRowOf(stats->row);
	double share;

	for (int i = 0; i < KEPT_SHARES; i++)
	{
		if (StatisticsRowIsSame(&kept[i].row, &row) && kept[i].rows == stats->rows &&
			kept[i].predicate.measure == predicate.measure &&
			kept[i].predicate.threshold == predicate.threshold)
			return kept[i].share;
	}
	share = compute_similar_to_unknown(stats, predicate);
	kept[next] =
		(KeptShare){.row = row, .rows = stats->rows, .predicate = predicate, .share = share};
	next = (next + 1) % KEPT_SHARES;
	return share;
}

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
		return similar_to_unknown(stats, predicate);
	return similar_to_known(stats, predicate, DatumGetTokenset(((Const *) other)->constvalue),
							column_is_left);
}

/*
 * Returns the fraction of rows of a table that have another similar one in it, by the families of its
 * sets; -1 if nothing is known of them.
 */
static double
share_with_other(SetStatistics *stats, Predicate predicate)
{
	const SetFamilies *families = SetStatisticsFamilies(stats);
	double shared = shared_part(predicate, stats->average_size);

	if (families == NULL)
		return -1;
	return FamiliesWithOther(families, shared / (2 - shared)) * (1 - stats->null_fraction) +
		   1 / stats->rows;
}

/*
 * Returns the fraction of all pairs of rows that are similar. Both sides give an estimate for the number
 * of rows that are similar to a set; the lower fraction is taken, which is usually that of the larger
 * table. Of sets that need one common token alone, both sides together tell.
 */
static double
similar_in_pairs(SetStatistics *left, SetStatistics *right, Predicate predicate)
{
	double share;

	if (share_by_one_token(left, right, predicate, &share))
		return share;
	return Min(similar_to_unknown(left, predicate), similar_to_unknown(right, predicate));
}

/*
 * Returns the fraction of rows of the left side of a semijoin that have a similar one on the right. Rows
 * of another table are taken to be like those of the right one: as many as there have another similar
 * row, but not fewer than usual.
 */
static double
share_with_similar(SetStatistics *left, SetStatistics *right, Predicate predicate, bool same_table)
{
	double share = share_with_other(same_table ? left : right, predicate);

	return same_table && share >= 0 ? share : Max(share, SEMIJOIN_SHARE);
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
		selectivity = share_with_similar(reversed ? &right_stats : &left_stats,
										 reversed ? &left_stats : &right_stats, predicate,
										 of_same_table(root, &left, &right));
	else
		selectivity = similar_in_pairs(&left_stats, &right_stats, predicate);
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
		postings = is_known ? mean_common_tokens(&stats, &stats) : stats.average_size;
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

/*
 * Returns the fraction of sets of which an index returns the rows for a call of
 * heaviest_tokens_query: sets that have some of the value's rarest tokens, also without being
 * similar by weights.
 */
static double
rarest_tokens_share(SetStatistics *stats, Predicate predicate, const Tokenset *value)
{
	int32 count = TokensetCount(value);
	double *frequencies;
	double share;

	SetStatisticsRead(stats);
	frequencies = ascending_frequencies(stats, value);
	share = overlap_bound(frequencies, count, PredicateLeastOverlapOfAny(predicate, count, false));

	pfree(frequencies);
	return share;
}

/* Returns the fraction of sets that share a token with a value, as if tokens were independent. */
static double
any_token_share(SetStatistics *stats, const Tokenset *value)
{
	double none = 1;

	SetStatisticsRead(stats);
	for (int32 i = 0; i < TokensetCount(value); i++)
		none *= 1 - Min(TokenFrequency(stats, value->tokens[i]), 1);
	return 1 - none;
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
		return similar_to_unknown(stats, predicate);
	}
	if (PredicateHoldsForAll(predicate))
		return 1 - stats->null_fraction;
	if (MeasureIsDirected(predicate.measure) && !value_first && names_column(query))
		return value == NULL ? 0.5 : any_token_share(stats, value) * (1 - stats->null_fraction);
	if (value == NULL)
		return similar_to_unknown(stats, predicate);
	if (TokensetCount(value) > 0 && ArgumentsOfCall(query, heaviest_tokens_query, 4) != NIL)
		return rarest_tokens_share(stats, predicate, value) * (1 - stats->null_fraction);
	return similar_to_known(stats, predicate, value, !value_first);
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
		return similar_to_unknown(stats, (Predicate){.measure = MEASURE_OVERLAP, .threshold = 1});
	return any_token_share(stats, DatumGetTokenset(((Const *) other)->constvalue)) *
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
		return similar_to_unknown(stats,
								  (Predicate){.measure = MEASURE_CONTAINMENT, .threshold = 1});
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
