/*
 * edit_kind.c
 *		The kind of rows that are texts, compared by edit distance.
 *
 * The planner knows lengths in bytes, which are taken for numbers of characters.
 */
#include "postgres.h"

#include <math.h>

#include "kernel/edit/edit_grams.h"
#include "kernel/edit/edit_records.h"
#include "kinds/edit/edit_ops.h"
#include "kinds/edit/edit_selectivity.h"
#include "kinds/edit/edit_support.h"
#include "kinds/edit/text_rows.h"
#include "kinds/predicate_clause.h"
#include "kinds/sets/set_operand.h"
#include "kinds/sets/set_search.h"
#include "kinds/text_statistics.h"
#include "strings/strings.h"

/*
 * Pairs that share a gram are passed over by their signatures: for each posting of a row, one pair of rows
 * in this many costs an operator. The fewer grams texts have for each edit, the more pairs are compared:
 * of all pairs, edits / grams to this power.
 */
#define PAIRS_PER_SIGNATURE 5000
#define CANDIDATE_POWER 5
#define OPERATORS_PER_DISTANCE 50

static const KindFunction functions_of_texts[] = {
	KIND_FUNCTION(edit_within, MEASURE_EDIT, KIND_PREDICATE),
	KIND_VALUE_FUNCTION(edit_distance, MEASURE_EDIT, KIND_VALUE),
	{0},
};

static double
text_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
				 const ClausePlace *place)
{
	return EditSelectivity(root, clause->x, clause->y, threshold, place->relation,
						   place->is_join ? place->join : NULL);
}

static List *
index_condition_of_texts(SupportRequestIndexCondition *request, const PredicateClause *clause,
						 Node *comparison)
{
	ConditionParts parts = {.measure = MEASURE_EDIT};

	parts.threshold = DistanceBoundOf(clause->function, comparison, clause->threshold);
	return parts.threshold == NULL ? NIL : IndexConditionOf(request, &parts, EditQueryOfCondition);
}

static void
add_texts(const PlannedInput *input, Predicate predicate, JoinWork *work)
{
	double grams = TextArgumentLength(input->root, input->operand) + EDIT_MAX_GRAM_LENGTH - 1;
	double prefix = EDIT_MAX_GRAM_LENGTH * predicate.threshold + 1;

	work->tokens += input->rows * grams;
	work->postings += input->rows * Min(prefix, grams);
	work->bytes += input->rows * (EDIT_BYTES_PER_TEXT + EDIT_BYTES_PER_CHARACTER * grams);
}

static bool
texts_need_overlap(PlannerInfo *root, const PredicateClause *clause, Predicate predicate)
{
	double length = (TextArgumentLength(root, clause->x) + TextArgumentLength(root, clause->y)) / 2;

	return length / EDIT_MIN_GRAM_LENGTH > predicate.threshold;
}

static double
operators_of_texts(const JoinWork *work, Predicate predicate, double left)
{
	double rows = Max(work->rows, 1);
	double grams = Max(work->tokens / rows, 1);
	double compared = Min(pow(predicate.threshold / grams, CANDIDATE_POWER), 1);

	return work->postings * (OPERATORS_PER_POSTING + work->pairs / rows / PAIRS_PER_SIGNATURE) +
		   work->pairs * compared * OPERATORS_PER_DISTANCE;
}

static SearchEstimate
edit_search(PlannerInfo *root, const OpExpr *clause, Oid opfamily)
{
	EditOperand edit = EditOperandOf(root, lsecond(clause->args));

	return SetSearchFor(edit.predicate, edit.length + EDIT_INDEX_GRAM_LENGTH - 1);
}

const Kind edit_kind = {.rows = &text_rows,
						.functions = functions_of_texts,
						.algorithm = "q-grams",
						.has_candidates = true,
						.typical_threshold = TYPICAL_EDIT_DISTANCE,
						.text_measures = 1 << MEASURE_EDIT,
						.selectivity = text_selectivity,
						.index_condition = index_condition_of_texts,
						.add_work = add_texts,
						.needs_overlap = texts_need_overlap,
						.operators = operators_of_texts,
						.set_of_text = edit_tokens,
						.operand = SetOperand,
						.search = edit_search};
