/*
 * set_kind.c
 *		The kind of rows that are sets of tokens.
 */
#include "postgres.h"

#include "kernel/filters/prefix_filter.h"
#include "kinds/sets/set_operand.h"
#include "kinds/sets/set_rows.h"
#include "kinds/sets/set_search.h"
#include "tokenset/selectivity.h"
#include "tokenset/similarity.h"

static const KindFunction functions_of_sets[] = {
	{tokenset_jaccard_ge, MEASURE_JACCARD, KIND_PREDICATE},
	{tokenset_cosine_ge, MEASURE_COSINE, KIND_PREDICATE},
	{tokenset_dice_ge, MEASURE_DICE, KIND_PREDICATE},
	{tokenset_containment_ge, MEASURE_CONTAINMENT, KIND_PREDICATE},
	{tokenset_overlap_ge, MEASURE_OVERLAP, KIND_PREDICATE},
	{tokenset_hamming_le, MEASURE_HAMMING, KIND_PREDICATE},
	{tokenset_jaccard, MEASURE_JACCARD, KIND_SIMILARITY},
	{tokenset_cosine, MEASURE_COSINE, KIND_SIMILARITY},
	{tokenset_dice, MEASURE_DICE, KIND_SIMILARITY},
	{tokenset_containment, MEASURE_CONTAINMENT, KIND_SIMILARITY},
	{tokenset_overlap, MEASURE_OVERLAP, KIND_SIMILARITY},
	{NULL},
};

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
	JoinWorkAddSets(work, input->rows, size, prefix);
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

const Kind set_kind = {.rows = &set_rows,
					   .functions = functions_of_sets,
					   .algorithm = "auto",
					   .has_candidates = true,
					   .selectivity = set_selectivity,
					   .add_work = planned_add_sets,
					   .needs_overlap = sets_need_overlap,
					   .operators = operators_of_sets,
					   .operand = SetOperand,
					   .search = SetSearch};
