/*
 * planned_trigrams.c
 *		What the planner knows of joins of texts by their trigrams.
 *
 * Statistics of texts say nothing about their trigrams. A text has about as many as it has bytes.
 * With n distinct texts, 1/t^2 of them are taken to reach the threshold t for each: for sets of
 * equal size this is the estimate of typical_rows in tokenset/selectivity.c.
 */
#include "postgres.h"

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "kinds/trigrams/planned_trigrams.h"
#include "kinds/trigrams/trigram_rows.h"
#include "kernel/filters/prefix_filter.h"
#include "kinds/edit/edit_selectivity.h"
#include "kinds/trigrams/trigram_condition.h"

/* The threshold to assume, which is pg_trgm's default, and the least one that estimates take. */
#define TYPICAL_SIMILARITY 0.3
#define LEAST_SIMILARITY 0.05

/* The cost of extracting a trigram. */
#define OPERATORS_PER_TRIGRAM 2

/* How many pairs of a posting and a row make a candidate, and the cost of comparing it. */
#define ROWS_PER_TRIGRAM_CANDIDATE 20000

bool
TrigramClauseOf(Node *expression, PredicateClause *clause)
{
	TrigramCondition condition;

	if (!TrigramConditionOf(expression, &condition))
		return false;
	*clause = (PredicateClause){.kind = &planned_trigrams,
								.measure = MEASURE_JACCARD,
								.x = condition.x,
								.y = condition.y,
								.function = condition.function,
								.threshold = condition.threshold,
								.comparison = condition.comparison};
	return true;
}

static double
typical_similarity(Measure measure)
{
	return TYPICAL_SIMILARITY;
}

static double
trigram_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
					SpecialJoinInfo *join)
{
	double distinct =
		Max(TextArgumentDistinct(root, clause->x, 0), TextArgumentDistinct(root, clause->y, 0));
	double similar = 1 / Max(threshold * threshold, LEAST_SIMILARITY * LEAST_SIMILARITY);

	return Min(similar / Max(distinct, 1), 1);
}

static void
add_trigrams(const PlannedInput *input, Predicate predicate, JoinWork *work)
{
	double size = TextArgumentLength(input->root, input->operand) + 1;
	double prefix = (double) PrefixFilterProbing(predicate, (int64) size);

	work->operands += input->rows * size * OPERATORS_PER_TRIGRAM * cpu_operator_cost;
	work->tokens += input->rows * size;
	work->postings += input->rows * prefix;
	work->bytes += input->rows * (64 + 12 * size) + input->rows * prefix * 20;
}

static bool
trigrams_need_overlap(PlannerInfo *root, const PredicateClause *clause, Predicate predicate)
{
	return true;
}

static double
operators_of_trigrams(const JoinWork *work, Predicate predicate, double left)
{
	return OPERATORS_PER_POSTING * work->postings +
		   work->postings * work->rows / ROWS_PER_TRIGRAM_CANDIDATE;
}

const PlannedKind planned_trigrams = {.rows = &trigram_rows,
									  .algorithm = "auto",
									  .has_candidates = true,
									  .threshold = TrigramJaccardThreshold,
									  .typical_threshold = typical_similarity,
									  .selectivity = trigram_selectivity,
									  .add_work = add_trigrams,
									  .needs_overlap = trigrams_need_overlap,
									  .operators = operators_of_trigrams};
