/*
 * set_kind.c
 *		The kind of rows that are sets of tokens.
 */
#include "postgres.h"

#include "kernel/filters/prefix_filter.h"
#include "kinds/sets/set_operand.h"
#include "kinds/sets/set_rows.h"
#include "kinds/sets/set_search.h"
#include "tokenset/algebra.h"
#include "tokenset/selectivity.h"
#include "tokenset/similarity.h"
#include "tokenset/support.h"
#include "tokenset/weighted_similarity.h"

static const KindFunction functions_of_sets[] = {
	KIND_FUNCTION(tokenset_jaccard_ge, MEASURE_JACCARD, KIND_PREDICATE),
	KIND_FUNCTION(tokenset_cosine_ge, MEASURE_COSINE, KIND_PREDICATE),
	KIND_FUNCTION(tokenset_dice_ge, MEASURE_DICE, KIND_PREDICATE),
	KIND_FUNCTION(tokenset_containment_ge, MEASURE_CONTAINMENT, KIND_PREDICATE),
	KIND_FUNCTION(tokenset_overlap_ge, MEASURE_OVERLAP, KIND_PREDICATE),
	KIND_FUNCTION(tokenset_hamming_le, MEASURE_HAMMING, KIND_PREDICATE),
	KIND_FUNCTION(tokenset_overlaps, MEASURE_OVERLAP, KIND_OF_ALGEBRA),
	KIND_FUNCTION(tokenset_contains, MEASURE_CONTAINMENT, KIND_OF_ALGEBRA, .is_exchanged = true),
	KIND_FUNCTION(tokenset_contained, MEASURE_CONTAINMENT, KIND_OF_ALGEBRA),
	KIND_VALUE_FUNCTION(tokenset_jaccard, MEASURE_JACCARD, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_cosine, MEASURE_COSINE, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_dice, MEASURE_DICE, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_containment, MEASURE_CONTAINMENT, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_overlap, MEASURE_OVERLAP, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_hamming, MEASURE_HAMMING, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_idf_jaccard, MEASURE_IDF_JACCARD, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_idf_cosine, MEASURE_IDF_COSINE, KIND_VALUE),
	KIND_VALUE_FUNCTION(tokenset_jaccard_distance, MEASURE_JACCARD, KIND_COMPLEMENT),
	KIND_VALUE_FUNCTION(tokenset_cosine_distance, MEASURE_COSINE, KIND_COMPLEMENT),
	KIND_VALUE_FUNCTION(tokenset_contains_distance, MEASURE_CONTAINMENT, KIND_COMPLEMENT,
						.is_exchanged = true),
	KIND_VALUE_FUNCTION(tokenset_contained_distance, MEASURE_CONTAINMENT, KIND_COMPLEMENT),
	{0},
};

static double
set_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
				const ClausePlace *place)
{
	/* A weighted measure counts as if all weights were equal. */
	SimilarityClause similarity = {
		.predicate = {.measure = MeasureUnweighted(clause->measure), .threshold = threshold},
		.threshold_is_known = true,
		.function = clause->function,
		.args = list_make2(clause->x, clause->y),
	};

	return SimilaritySelectivity(root, &similarity, place->is_join, place->relation, place->join);
}

static double
operators_of_value(PlannerInfo *root, const PredicateClause *clause)
{
	return clause->weights != NULL ? 0 : OperatorsOfSets(root, clause->x, clause->y);
}

static List *
index_condition_of_sets(SupportRequestIndexCondition *request, const PredicateClause *clause,
						Node *comparison)
{
	ConditionParts parts = {.measure = clause->measure,
							.name = comparison,
							.threshold = clause->threshold,
							.weights = clause->weights};

	return IndexConditionOf(request, &parts, TokensetQueryOfCondition);
}

/* All sets of an input count as of mean size. */
static void
planned_add_sets(const PlannedInput *input, Predicate predicate, JoinWork *work)
{
	double size = Max(ArgumentSize(input->root, input->operand), 1);
	double prefix = (double) PrefixFilterOfSide(predicate, (int64) size, input->is_y);

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
					   .value_operators = operators_of_value,
					   .index_condition = index_condition_of_sets,
					   .add_work = planned_add_sets,
					   .needs_overlap = sets_need_overlap,
					   .operators = operators_of_sets,
					   .operand = SetOperand,
					   .search = SetSearch};
