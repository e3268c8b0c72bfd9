/*
 * planned_sets.c
 *		What the planner knows of joins of sets.
 */
#include "postgres.h"

#include "kinds/sets/planned_sets.h"
#include "kinds/sets/set_rows.h"
#include "kernel/filters/prefix_filter.h"
#include "tokenset/selectivity.h"

static double
set_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
				SpecialJoinInfo *join)
{
	SimilarityClause similarity = {
		.predicate = {.measure = clause->measure, .threshold = threshold},
		.threshold_is_known = true,
		.function = clause->function,
		.args = list_make2(clause->x, clause->y),
	};

	return SimilaritySelectivity(root, &similarity, true, 0, join);
}

/* All sets of an input count as of mean size. */
static void
planned_add_sets(const PlannedInput *input, Predicate predicate, JoinWork *work)
{
	double size = Max(ArgumentSize(input->root, input->operand), 1);
	double prefix = (double) PrefixFilterProbing(predicate, (int64) size);

	/* Under an asymmetric measure all tokens of the right side are indexed. */
	if (MeasureIsAsymmetric(predicate.measure) && input->is_y)
		prefix = size;
	work->tokens += input->rows * size;
	work->postings += input->rows * prefix;
	work->bytes += input->rows * (64 + 12 * size) + input->rows * prefix * 20;
}

static bool
sets_need_overlap(PlannerInfo *root, const PredicateClause *clause, Predicate predicate)
{
	return predicate.measure != MEASURE_HAMMING ||
		   ArgumentSize(root, clause->x) + ArgumentSize(root, clause->y) > predicate.threshold;
}

static double
operators_of_sets(const JoinWork *work, Predicate predicate, double left)
{
	return OPERATORS_PER_POSTING * work->postings;
}

const PlannedKind planned_sets = {.rows = &set_rows,
								  .algorithm = "auto",
								  .has_candidates = true,
								  .typical_threshold = TypicalThreshold,
								  .selectivity = set_selectivity,
								  .add_work = planned_add_sets,
								  .needs_overlap = sets_need_overlap,
								  .operators = operators_of_sets};
