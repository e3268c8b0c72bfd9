/*
 * trigram_kind.c
 *		The kind of rows that are texts, compared by the trigrams of pg_trgm.
 *
 * A text has about as many trigrams as it has bytes.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
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
#include "kinds/trigrams/trigram_selectivity.h"
#include "tokenset/selectivity.h"
#include "tokenset/support.h"
#include "tokenset/tokenset_query.h"

/* The threshold to assume, which is pg_trgm's default. */
#define TYPICAL_SIMILARITY 0.3

/*
 * The cost of a value of pg_trgm, in operators: of a call, and for each byte of both texts, whose
 * trigrams it makes again for each pair.
 */
#define OPERATORS_PER_VALUE 20
#define OPERATORS_PER_BYTE 3

/* The cost of extracting a trigram. */
#define OPERATORS_PER_TRIGRAM 2

/* For each posting of a row, one pair of rows in this many costs an operator, to compare a candidate. */
#define PAIRS_PER_TRIGRAM_CANDIDATE 10000

/*
 * An index search: how its work falls with the threshold, its operators, and the tokens of its
 * operand.
 */
#define SEARCH_POWER 6
#define SEARCH_OPERATORS 12
#define SEARCH_TOKENS 20

/*
 * What the functions of pg_trgm return, by the numbers of TrgmFunction.
 *
 * word_similarity(x, y) is the greatest similarity of the trigrams of x and those of an extent of y: a
 * sequence of the trigrams of y, which begins and ends with words in strict_word_similarity. If x has a
 * different trigrams, and an extent b, of which c are among those of x, the similarity is
 *
 *		c / (a + b - c)
 *
 * in single precision. Since b is at least c, and c at most what x and y have in common, this is at
 * most the containment of x in y in single precision: rounding keeps the order. So a comparison with
 * a word similarity implies one with the containment as if this were rounded, and decides itself.
 */
#define JACCARD_OF_TRIGRAMS .measure = MEASURE_JACCARD, .number = COMPARED_AS_SINGLE
#define BOUND_OF_WORDS .measure = MEASURE_CONTAINMENT, .number = COMPARED_ROUNDED

static const KindFunction functions_of_trgm[] = {
	[TRGM_SIMILARITY] = {JACCARD_OF_TRIGRAMS, .form = KIND_VALUE},
	[TRGM_DISTANCE] = {JACCARD_OF_TRIGRAMS, .form = KIND_COMPLEMENT},
	[TRGM_SIMILAR] = {JACCARD_OF_TRIGRAMS, .form = KIND_BY_SETTING,
					  .setting = TRGM_SIMILARITY_THRESHOLD},
	[TRGM_WORD] = {BOUND_OF_WORDS, .form = KIND_VALUE},
	[TRGM_WORD_DISTANCE] = {BOUND_OF_WORDS, .form = KIND_COMPLEMENT},
	[TRGM_WORD_DISTANCE_REVERSED] = {BOUND_OF_WORDS, .form = KIND_COMPLEMENT, .is_exchanged = true},
	[TRGM_WORD_SIMILAR] = {BOUND_OF_WORDS, .form = KIND_BY_SETTING,
						   .setting = TRGM_WORD_SIMILARITY_THRESHOLD},
	[TRGM_WORD_SIMILAR_REVERSED] = {BOUND_OF_WORDS, .form = KIND_BY_SETTING, .is_exchanged = true,
									.setting = TRGM_WORD_SIMILARITY_THRESHOLD},
	[TRGM_STRICT_WORD] = {BOUND_OF_WORDS, .form = KIND_VALUE},
	[TRGM_STRICT_WORD_DISTANCE] = {BOUND_OF_WORDS, .form = KIND_COMPLEMENT},
	[TRGM_STRICT_WORD_DISTANCE_REVERSED] = {BOUND_OF_WORDS, .form = KIND_COMPLEMENT,
											.is_exchanged = true},
	[TRGM_STRICT_WORD_SIMILAR] = {BOUND_OF_WORDS, .form = KIND_BY_SETTING,
								  .setting = TRGM_STRICT_WORD_SIMILARITY_THRESHOLD},
	[TRGM_STRICT_WORD_SIMILAR_REVERSED] = {BOUND_OF_WORDS, .form = KIND_BY_SETTING,
										   .is_exchanged = true,
										   .setting = TRGM_STRICT_WORD_SIMILARITY_THRESHOLD},
};

static const KindFunction *
find_function(Oid function)
{
	TrgmFunction found = TrgmFunctionOf(function);

	return found == TRGM_NONE ? NULL : &functions_of_trgm[found];
}

static double
operators_of_similarity(PlannerInfo *root, const PredicateClause *clause)
{
	return OPERATORS_PER_VALUE + OPERATORS_PER_BYTE * (TextArgumentLength(root, clause->x) +
													   TextArgumentLength(root, clause->y));
}

/* Returns the right operand of @~, a call of trgm_query or its value; NULL for another class. */
static Node *
query_of_condition(SupportRequestIndexCondition *request, const ConditionParts *parts, Node *value)
{
	Oid types[] = {TEXTOID, TEXTOID, FLOAT8OID, BOOLOID};
	Oid function;

	if (IndexClassSetOfText(request->opfamily) != trgm_set)
		return NULL;
	function =
		FunctionBeside(get_opfamily_proc(request->opfamily, TEXTOID, TEXTOID, INDEX_SET_FUNCTION),
					   "trgm_query", types, lengthof(types));
	if (!OidIsValid(function) || FunctionBehind(function, lengthof(types)) != trgm_query)
		return NULL;
	return QueryOfIndexCondition(request->root, function,
								 list_make4(value, parts->name, parts->threshold,
											makeBoolConst(request->indexarg == 1, false)),
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
	double prefix = (double) PrefixFilterOfSide(predicate, (int64) size, input->is_y);

	work->operands += input->rows * size * OPERATORS_PER_TRIGRAM * cpu_operator_cost;
	JoinWorkAddSets(work, input->rows, size, prefix);
}

static double
operators_of_trigrams(const JoinWork *work, Predicate predicate, double left)
{
	return work->postings *
		   (OPERATORS_PER_POSTING + work->pairs / Max(work->rows, 1) / PAIRS_PER_TRIGRAM_CANDIDATE);
}

/* Returns the predicate by which an operator of the class searches. */
static Predicate
predicate_of_search(PlannerInfo *root, const OpExpr *clause, int strategy)
{
	Predicate predicate = {.measure = MEASURE_CONTAINMENT};

	List *args = ArgumentsOfCall(lsecond(clause->args), trgm_query, 4);

	if (args != NIL)
	{
		/* trgm_query(value, comparison, threshold, value_first) */
		Node *threshold = estimate_expression_value(root, lthird(args));

		if (!QueryConditionEstimate(lsecond(args), threshold, &predicate))
			predicate.measure = MEASURE_JACCARD;
		if (!IsA(threshold, Const) || !TokensetQueryThresholdIsValid(predicate))
			predicate.threshold = TYPICAL_SIMILARITY;
		return predicate;
	}
	if (strategy == INDEX_MATCHES)
		return SetSearchPredicate(root, lsecond(clause->args));
	if (strategy == INDEX_WORD_SIMILAR)
		predicate.threshold = TrgmThreshold(TRGM_WORD_SIMILARITY_THRESHOLD);
	else if (strategy == INDEX_STRICT_WORD_SIMILAR)
		predicate.threshold = TrgmThreshold(TRGM_STRICT_WORD_SIMILARITY_THRESHOLD);
	else
		predicate = (Predicate){.measure = MEASURE_JACCARD,
								.threshold = TrgmThreshold(TRGM_SIMILARITY_THRESHOLD)};
	return predicate;
}

/*
 * There are few different trigrams, so that even the rarest of a text have long lists, and the
 * records that come grow faster with lower thresholds. The estimate is fitted to names and to
 * summaries of packages. Sets of equal size that reach a containment t have a Jaccard similarity of
 * t / (2 - t).
 */
static SearchEstimate
trigram_search(PlannerInfo *root, const OpExpr *clause, Oid opfamily)
{
	int strategy = get_op_opfamily_strategy(clause->opno, opfamily);
	Predicate predicate = predicate_of_search(root, clause, strategy);
	double threshold = Min(Max(predicate.threshold, 0), 1);

	if (predicate.measure == MEASURE_CONTAINMENT)
		threshold /= 2 - threshold;
	return (SearchEstimate){
		.share = TrigramSearchShare(root, clause, predicate, strategy == INDEX_MATCHES),
		.tokens = SEARCH_TOKENS,
		.operators_per_record = pow(1 - threshold, SEARCH_POWER) * SEARCH_OPERATORS};
}

const Kind trigram_kind = {.rows = &trigram_rows,
						   .find = find_function,
						   .text_measures = 1 << MEASURE_JACCARD | 1 << MEASURE_CONTAINMENT,
						   .algorithm = "auto",
						   .has_candidates = true,
						   .setting = TrgmThreshold,
						   .typical_threshold = TYPICAL_SIMILARITY,
						   .selectivity = TrigramSelectivity,
						   .value_operators = operators_of_similarity,
						   .cost_is_untold = true,
						   .index_condition = index_condition_of_trigrams,
						   .add_work = add_trigrams,
						   .operators = operators_of_trigrams,
						   .set_of_text = trgm_set,
						   .operand = TrigramOperand,
						   .search = trigram_search};
