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

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kernel/filters/prefix_filter.h"
#include "kinds/sets/set_search.h"
#include "kinds/text_statistics.h"
#include "kinds/trigrams/pg_trgm.h"
#include "kinds/trigrams/trgm_ops.h"
#include "kinds/trigrams/trigram_rows.h"
#include "measure/single_precision.h"
#include "tokenset/support.h"

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

/* What the functions of pg_trgm return, by the numbers of TrgmFunction. */
static const KindFunction functions_of_trgm[] = {
	[TRGM_SIMILARITY] = {.measure = MEASURE_JACCARD,
						 .form = KIND_VALUE,
						 .number = COMPARED_AS_SINGLE},
	[TRGM_DISTANCE] = {.measure = MEASURE_JACCARD,
					   .form = KIND_COMPLEMENT,
					   .number = COMPARED_AS_SINGLE},
	[TRGM_SIMILAR] = {.measure = MEASURE_JACCARD,
					  .form = KIND_BY_SETTING,
					  .number = COMPARED_AS_SINGLE},
};

static const KindFunction *
find_function(Oid function)
{
	TrgmFunction found = TrgmFunctionOf(function);

	return found == TRGM_NONE ? NULL : &functions_of_trgm[found];
}

static double
trigram_selectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
					const ClausePlace *place)
{
	double distinct = Max(TextArgumentDistinct(root, clause->x, place->relation),
						  TextArgumentDistinct(root, clause->y, place->relation));
	double similar = 1 / Max(threshold * threshold, LEAST_SIMILARITY * LEAST_SIMILARITY);

	return Min(similar / Max(distinct, 1), 1);
}

/* Returns the right operand of @~, a call of trgm_query or its value; NULL for another class. */
static Node *
query_of_condition(SupportRequestIndexCondition *request, const ConditionParts *parts, Node *value)
{
	Oid types[] = {TEXTOID, TEXTOID, FLOAT8OID};
	Oid function;

	if (IndexClassSetOfText(request->opfamily) != trgm_set)
		return NULL;
	function =
		FunctionBeside(get_opfamily_proc(request->opfamily, TEXTOID, TEXTOID, INDEX_SET_FUNCTION),
					   "trgm_query", types, lengthof(types));
	if (!OidIsValid(function) || FunctionBehind(function, lengthof(types)) != trgm_query)
		return NULL;
	return QueryOfIndexCondition(request->root, function,
								 list_make3(value, parts->name, parts->threshold),
								 request->indexcollation);
}

static List *
index_condition_of_trigrams(SupportRequestIndexCondition *request, const PredicateClause *clause,
							Node *comparison)
{
	ConditionParts parts = {
		.measure = clause->measure, .name = comparison, .threshold = clause->threshold};

	return IndexConditionOf(request, &parts, query_of_condition);
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
				 : SingleComparisonThreshold(SINGLE_SIMILARITY_GE, TrgmSimilarityThreshold());

	threshold = Min(Max(threshold, 0), 1);
	return (SearchEstimate){.tokens = SEARCH_TOKENS,
							.operators_per_record =
								pow(1 - threshold, SEARCH_POWER) * SEARCH_OPERATORS};
}

const Kind trigram_kind = {.rows = &trigram_rows,
						   .find = find_function,
						   .text_measures = 1 << MEASURE_JACCARD,
						   .algorithm = "auto",
						   .has_candidates = true,
						   .setting = TrgmSimilarityThreshold,
						   .typical_threshold = TYPICAL_SIMILARITY,
						   .selectivity = trigram_selectivity,
						   .index_condition = index_condition_of_trigrams,
						   .add_work = add_trigrams,
						   .operators = operators_of_trigrams,
						   .set_of_text = trgm_set,
						   .operand = TrigramOperand,
						   .search = trigram_search};
