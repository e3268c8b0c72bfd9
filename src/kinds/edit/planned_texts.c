/*
 * planned_texts.c
 *		What the planner knows of joins of texts within an edit distance.
 *
 * The planner knows lengths in bytes, which are taken for numbers of characters.
 */
#include "postgres.h"

#include "kinds/edit/planned_texts.h"
#include "kinds/edit/text_rows.h"
#include "kernel/edit/edit_grams.h"
#include "kernel/edit/edit_records.h"
#include "kinds/edit/edit_selectivity.h"

/* How many pairs of a posting and a row make a candidate, and the cost of its distance. */
#define ROWS_PER_CANDIDATE 10000
#define OPERATORS_PER_DISTANCE 20

static double
typical_edit_distance(Measure measure)
{
	return TYPICAL_EDIT_DISTANCE;
}

static double
text_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
				 SpecialJoinInfo *join)
{
	return EditSelectivity(root, clause->x, clause->y, threshold, 0);
}

static void
add_texts(const PlannedInput *input, Predicate predicate, JoinWork *work)
{
	double grams = TextArgumentLength(input->root, input->operand) + EDIT_MAX_GRAM_LENGTH - 1;
	double prefix = EDIT_MAX_GRAM_LENGTH * predicate.threshold + 1;

	work->tokens += input->rows * grams;
	work->postings += input->rows * Min(prefix, grams);
	work->bytes += input->rows * (64 + EDIT_BYTES_PER_CHARACTER * grams);
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
	double candidates = work->postings * work->rows / ROWS_PER_CANDIDATE;

	return OPERATORS_PER_POSTING * work->postings + candidates * OPERATORS_PER_DISTANCE;
}

const PlannedKind planned_texts = {.rows = &text_rows,
								   .algorithm = "q-grams",
								   .has_candidates = true,
								   .typical_threshold = typical_edit_distance,
								   .selectivity = text_selectivity,
								   .add_work = add_texts,
								   .needs_overlap = texts_need_overlap,
								   .operators = operators_of_texts};
