/*
 * selectivity.c
 *		Estimates of the number of near simhashes.
 *
 * The bits of a simhash are not independent of each other, and data with near-duplicates have
 * clusters of near values, of which a histogram shows nothing. The estimate for a value is made of
 * what is known:
 *
 * - The most common values are compared themselves, and count with their frequencies.
 * - Of all others, a value is assumed to have a few near ones, more at greater distances:
 *   1 + k^2 / 64 distinct values, itself included, within distance k.
 * - The share of the histogram's bounds that are near the value, less one bound, which may be the
 *   value itself, is a lower limit. So is the share of random values that are within the distance.
 *
 * A join takes the typical number for each row of the side with fewer matches.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "simhash/ball.h"
#include "simhash/selectivity.h"
#include "tokenset/similar_share.h"

PG_FUNCTION_INFO_V1(simhash_contained_sel);
PG_FUNCTION_INFO_V1(simhash_contained_joinsel);

double
BinomialCdf(double n, int k)
{
	double share = 0;

	if (k >= n)
		return 1;
	for (int i = 0; i <= k; i++)
		share += exp(lgamma(n + 1) - lgamma(i + 1.0) - lgamma(n - i + 1) - n * M_LN2);
	return Min(share, 1);
}

/*
 * Returns how many distinct values are assumed within a distance of one of them, itself included.
 */
static double
typical_values(int32 distance)
{
	return 1 + distance * distance / 64.0;
}

/* The statistics of a column. The slots are empty where there are none. */
typedef struct ValueStatistics
{
	double rows;
	double null_fraction;
	double distinct;
	AttStatsSlot common;
	AttStatsSlot histogram;
} ValueStatistics;

/*
 * Reads the statistics of a variable. Without any, or where the user must not see the values and
 * the function is not leakproof, only the numbers of rows and of distinct values and the fraction
 * of NULLs are known.
 */
static void
statistics_open(ValueStatistics *stats, VariableStatData *variable, Oid function)
{
	bool is_default;

	memset(stats, 0, sizeof(ValueStatistics));
	stats->rows = variable->rel == NULL ? 1000 : Max(variable->rel->tuples, 1);
	stats->distinct = get_variable_numdistinct(variable, &is_default);
	if (is_default)
		stats->distinct = stats->rows;
	if (!HeapTupleIsValid(variable->statsTuple))
		return;
	stats->null_fraction = ((Form_pg_statistic) GETSTRUCT(variable->statsTuple))->stanullfrac;
	if (!statistic_proc_security_check(variable, function))
		return;
	get_attstatsslot(&stats->common, variable->statsTuple, STATISTIC_KIND_MCV, InvalidOid,
					 ATTSTATSSLOT_VALUES | ATTSTATSSLOT_NUMBERS);
	get_attstatsslot(&stats->histogram, variable->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
					 ATTSTATSSLOT_VALUES);
}

static void
statistics_close(ValueStatistics *stats)
{
	free_attstatsslot(&stats->common);
	free_attstatsslot(&stats->histogram);
}

/* Returns the fraction of rows that have one of the most common values. */
static double
common_share(const ValueStatistics *stats)
{
	double share = 0;

	for (int i = 0; i < stats->common.nnumbers; i++)
		share += stats->common.numbers[i];
	return share;
}

/* Returns the fraction of rows that are near a value and have none of the most common values. */
static double
near_rest(const ValueStatistics *stats, int32 distance)
{
	double rest = Max(1 - stats->null_fraction - common_share(stats), 0);
	double distinct = Max(stats->distinct - stats->common.nvalues, 1);
	double near = Min(typical_values(distance) / distinct, 1);

	return rest * Max(near, BinomialCdf(SIMHASH_BITS, distance));
}

/*
 * Returns the fraction of rows near a value that is not known. A value that is common is assumed to
 * be sought as often as it occurs.
 */
static double
near_unknown_value(const ValueStatistics *stats, int32 distance)
{
	double selectivity = near_rest(stats, distance);

	for (int i = 0; i < stats->common.nnumbers; i++)
		selectivity += (double) stats->common.numbers[i] * stats->common.numbers[i];
	return selectivity;
}

/* Returns the fraction of rows near a value. */
static double
near_known_value(const ValueStatistics *stats, Simhash value, int32 distance)
{
	double selectivity = near_rest(stats, distance);
	double rest = Max(1 - stats->null_fraction - common_share(stats), 0);
	int near = 0;

	for (int i = 0; i < stats->histogram.nvalues; i++)
		near += SimhashDistance(DatumGetSimhash(stats->histogram.values[i]), value) <= distance;
	if (near > 1)
		selectivity = Max(selectivity, rest * (near - 1) / stats->histogram.nvalues);
	for (int i = 0; i < Min(stats->common.nvalues, stats->common.nnumbers); i++)
	{
		if (SimhashDistance(DatumGetSimhash(stats->common.values[i]), value) <= distance)
			selectivity += stats->common.numbers[i];
	}
	return selectivity;
}

/* Returns the selectivity of a clause over one relation. */
static Selectivity
distance_restriction(PlannerInfo *root, const DistanceClause *clause, int relation)
{
	VariableStatData variable;
	ValueStatistics stats;
	Node *other;
	bool variable_is_left;
	double selectivity;

	if (!get_restriction_variable(root, clause->args, relation, &variable, &other,
								  &variable_is_left))
		return DEFAULT_MATCHING_SEL;
	statistics_open(&stats, &variable, clause->function);
	if (!IsA(other, Const))
		selectivity = near_unknown_value(&stats, clause->distance);
	else if (((Const *) other)->constisnull)
		selectivity = 0;
	else
		selectivity = near_known_value(&stats, DatumGetSimhash(((Const *) other)->constvalue),
									   clause->distance);
	statistics_close(&stats);
	ReleaseVariableStats(variable);
	return selectivity;
}

/*
 * Returns the selectivity of a join clause. Both sides give an estimate for the number of rows near
 * a value; the lower fraction is taken, which is usually that of the larger table.
 */
static Selectivity
distance_join(PlannerInfo *root, const DistanceClause *clause, SpecialJoinInfo *join)
{
	VariableStatData left;
	VariableStatData right;
	bool reversed;
	ValueStatistics left_stats;
	ValueStatistics right_stats;
	double selectivity;

	if (join != NULL && (join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI))
		return SEMIJOIN_SHARE;
	get_join_variables(root, clause->args, join, &left, &right, &reversed);
	statistics_open(&left_stats, &left, clause->function);
	statistics_open(&right_stats, &right, clause->function);
	selectivity = Min(near_unknown_value(&left_stats, clause->distance),
					  near_unknown_value(&right_stats, clause->distance));
	statistics_close(&left_stats);
	statistics_close(&right_stats);
	ReleaseVariableStats(left);
	ReleaseVariableStats(right);
	return selectivity;
}

Selectivity
DistanceSelectivity(PlannerInfo *root, const DistanceClause *clause, bool is_join, int relation,
					SpecialJoinInfo *join)
{
	DistanceClause known = *clause;
	Selectivity selectivity;

	if (!known.distance_is_known)
		known.distance = TYPICAL_DISTANCE;
	/* A negative distance raises an error at execution. */
	if (known.distance < 0)
		return 0;
	known.distance = Min(known.distance, SIMHASH_BITS);
	selectivity =
		is_join ? distance_join(root, &known, join) : distance_restriction(root, &known, relation);
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

/*
 * Returns the clause over two values that is equivalent to value <@ ball, or to ball @> value. The
 * ball may be a constant or a call of simhash_ball(); the center of any other is not known, and the
 * ball stands in its place.
 */
static DistanceClause
clause_of_ball(PlannerInfo *root, Oid op, List *args)
{
	DistanceClause clause = {.function = get_opcode(op)};
	int side = get_typlen(exprType(linitial(args))) == sizeof(SimhashBall) ? 0 : 1;
	Node *value = list_nth(args, 1 - side);
	Node *ball = estimate_expression_value(root, list_nth(args, side));
	Oid value_type = exprType(value);
	Node *center = ball;

	if (IsA(ball, Const) && !((Const *) ball)->constisnull)
	{
		const SimhashBall *constant = DatumGetSimhashBall(((Const *) ball)->constvalue);

		center = (Node *) makeConst(value_type, -1, InvalidOid, sizeof(Simhash),
									SimhashGetDatum(constant->center), false, FLOAT8PASSBYVAL);
		clause.distance = constant->radius;
		clause.distance_is_known = true;
	}
	else if (is_funcclause(ball) && list_length(((FuncExpr *) ball)->args) == 2 &&
			 exprType(linitial(((FuncExpr *) ball)->args)) == value_type)
	{
		Node *radius = lsecond(((FuncExpr *) ball)->args);

		center = linitial(((FuncExpr *) ball)->args);
		if (IsA(radius, Const) && !((Const *) radius)->constisnull)
		{
			clause.distance = DatumGetInt32(((Const *) radius)->constvalue);
			clause.distance_is_known = true;
		}
	}
	clause.args = list_make2(value, center);
	return clause;
}

/* The restriction selectivity of <@ and @>. */
Datum
simhash_contained_sel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	DistanceClause clause = clause_of_ball(root, PG_GETARG_OID(1), (List *) PG_GETARG_POINTER(2));

	PG_RETURN_FLOAT8(DistanceSelectivity(root, &clause, false, PG_GETARG_INT32(3), NULL));
}

/* The join selectivity of <@ and @>. */
Datum
simhash_contained_joinsel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	DistanceClause clause = clause_of_ball(root, PG_GETARG_OID(1), (List *) PG_GETARG_POINTER(2));

	PG_RETURN_FLOAT8(
		DistanceSelectivity(root, &clause, true, 0, (SpecialJoinInfo *) PG_GETARG_POINTER(4)));
}
