/*
 * trigram_kind.c
 *		The kind of rows that are texts, compared by the trigrams of pg_trgm.
 *
 * Statistics of texts say nothing about their trigrams. A text has about as many as it has bytes.
 * With n distinct texts, 1/t^2 of them are taken to reach the threshold t for each: for sets of
 * equal size this is the estimate of typical_rows in tokenset/selectivity.c.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "kernel/filters/prefix_filter.h"
#include "kinds/sets/set_search.h"
#include "kinds/text_statistics.h"
#include "kinds/trigrams/pg_trgm.h"
#include "kinds/trigrams/single_precision.h"
#include "kinds/trigrams/trgm_ops.h"
#include "kinds/trigrams/trigram_condition.h"
#include "kinds/trigrams/trigram_path.h"
#include "kinds/trigrams/trigram_rows.h"

/* The threshold to assume, which is pg_trgm's default, and the least one that estimates take. */
#define TYPICAL_SIMILARITY 0.3
#define LEAST_SIMILARITY 0.05

/* The cost of extracting a trigram. */
#define OPERATORS_PER_TRIGRAM 2

/* One pair of a posting and a row in this many costs an operator more, to compare a candidate. */
#define ROWS_PER_TRIGRAM_CANDIDATE 20000

/*
 * An index search: how its work falls with the threshold, its operators, and the tokens of its
 * operand.
 */
#define SEARCH_POWER 6
#define SEARCH_OPERATORS 12
#define SEARCH_TOKENS 20

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
	JoinWorkAddSets(work, input->rows, size, prefix);
}

static double
operators_of_trigrams(const JoinWork *work, Predicate predicate, double left)
{
	return OPERATORS_PER_POSTING * work->postings +
		   work->postings * work->rows / ROWS_PER_TRIGRAM_CANDIDATE;
}

/*
 * There are few different trigrams, so that even the rarest of a text have long lists, and the
 * records that come grow faster with lower thresholds. The estimate is fitted to names and to
 * summaries of packages.
 */
static SearchEstimate
trigram_search(PlannerInfo *root, const OpExpr *clause, Oid opfamily)
{
	bool is_query = get_op_opfamily_strategy(clause->opno, opfamily) == INDEX_MATCHES;
	double threshold =
		is_query ? SetSearchPredicate(root, lsecond(clause->args)).threshold
				 : SingleComparisonThreshold(COMPARED_BY_SETTING, TrgmSimilarityThreshold());

	threshold = Min(Max(threshold, 0), 1);
	return (SearchEstimate){.tokens = SEARCH_TOKENS,
							.operators_per_record =
								pow(1 - threshold, SEARCH_POWER) * SEARCH_OPERATORS};
}

const Kind trigram_kind = {.rows = &trigram_rows,
						   .clause = TrigramClauseOf,
						   .algorithm = "auto",
						   .has_candidates = true,
						   .setting = TrgmSimilarityThreshold,
						   .threshold = SingleComparisonThreshold,
						   .typical_threshold = TYPICAL_SIMILARITY,
						   .selectivity = trigram_selectivity,
						   .add_work = add_trigrams,
						   .operators = operators_of_trigrams,
						   .set_of_text = trgm_set,
						   .operand = TrigramOperand,
						   .search = trigram_search,
						   .init = TrigramPathInit};
