/*
 * planned_simhashes.c
 *		What the planner knows of joins of simhashes.
 */
#include "postgres.h"

#include "kinds/simhash/planned_simhashes.h"
#include "kinds/simhash/simhash_rows.h"
#include "kernel/hamming/hamming_join.h"
#include "simhash/selectivity.h"
#include "simhash/simhash.h"

#define NANOSECONDS_PER_OPERATOR 10

static double
typical_simhash_distance(Measure measure)
{
	return TYPICAL_DISTANCE;
}

static double
simhash_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
					SpecialJoinInfo *join)
{
	DistanceClause distance = {
		.function = clause->function,
		.args = list_make2(clause->x, clause->y),
		.distance_is_known = true,
		.distance = (int32) threshold,
	};

	return DistanceSelectivity(root, &distance, true, 0, join);
}

static void
add_simhashes(const PlannedInput *input, Predicate predicate, JoinWork *work)
{
	work->bytes += input->rows * HAMMING_BYTES_PER_VALUE;
}

/* There are no pairs that are found by size alone. */
static bool
simhashes_need_overlap(PlannerInfo *root, const PredicateClause *clause, Predicate predicate)
{
	return true;
}

static double
operators_of_simhashes(const JoinWork *work, Predicate predicate, double left)
{
	return HammingJoinCost(left, work->rows, (int) Min(predicate.threshold, SIMHASH_BITS)) /
		   NANOSECONDS_PER_OPERATOR;
}

const PlannedKind planned_simhashes = {.rows = &simhash_rows,
									   .algorithm = "block permutation",
									   .finds_all_at_once = true,
									   .typical_threshold = typical_simhash_distance,
									   .selectivity = simhash_selectivity,
									   .add_work = add_simhashes,
									   .needs_overlap = simhashes_need_overlap,
									   .operators = operators_of_simhashes};
