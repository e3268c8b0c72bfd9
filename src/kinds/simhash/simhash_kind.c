/*
 * simhash_kind.c
 *		The kind of rows that are simhashes.
 */
#include "postgres.h"

#include "kernel/hamming/hamming_join.h"
#include "kinds/predicate_clause.h"
#include "kinds/simhash/simhash_rows.h"
#include "simhash/distance.h"
#include "simhash/selectivity.h"
#include "simhash/simhash.h"
#include "simhash/support.h"

#define NANOSECONDS_PER_OPERATOR 10

static const KindFunction functions_of_simhashes[] = {
	KIND_FUNCTION(simhash_within, MEASURE_HAMMING, KIND_PREDICATE),
	KIND_VALUE_FUNCTION(simhash_distance, MEASURE_HAMMING, KIND_VALUE),
	KIND_VALUE_FUNCTION(simhash_distance_float8, MEASURE_HAMMING, KIND_VALUE),
	{0},
};

static double
simhash_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
					const ClausePlace *place)
{
	DistanceClause distance = {
		.function = clause->function,
		.args = list_make2(clause->x, clause->y),
		.distance_is_known = true,
		.distance = (int32) threshold,
	};

	return DistanceSelectivity(root, &distance, place->is_join, place->relation, place->join);
}

static List *
index_condition_of_simhashes(SupportRequestIndexCondition *request, const PredicateClause *clause,
							 Node *comparison)
{
	Node *distance = DistanceBoundOf(clause->function, comparison, clause->threshold);

	return distance == NULL ? NIL : SimhashIndexCondition(request, distance);
}

static void
add_simhashes(const PlannedInput *input, Predicate predicate, JoinWork *work)
{
	work->bytes += input->rows * HAMMING_BYTES_PER_VALUE;
}

static double
operators_of_simhashes(const JoinWork *work, Predicate predicate, double left)
{
	return HammingJoinCost(left, work->rows, (int) Min(predicate.threshold, SIMHASH_BITS)) /
		   NANOSECONDS_PER_OPERATOR;
}

const Kind simhash_kind = {.rows = &simhash_rows,
						   .functions = functions_of_simhashes,
						   .algorithm = "block permutation",
						   .finds_all_at_once = true,
						   .typical_threshold = TYPICAL_DISTANCE,
						   .selectivity = simhash_selectivity,
						   .index_condition = index_condition_of_simhashes,
						   .add_work = add_simhashes,
						   .operators = operators_of_simhashes};
