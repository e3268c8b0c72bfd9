/*
 * set_search.c
 *		The planner's estimate of a search of an index for similar sets.
 *
 * A search reads at least as many lists as the prefix filter needs, of mean length. Those of sets of
 * words are longer, the more so the more of them there are, since the rarest tokens come first. So
 * there is a second part, which was fitted to measurements (doc/bench): the number of records times
 * (1 - J)^3 / 2, for the least Jaccard similarity J of a match as large as the operand. It is no more than
 * what all lists of the operand's tokens cost, which are few and short where the operand is a telephone
 * number, a date or a name: the statistics of the column tell how many postings these have.
 */
#include "postgres.h"

#include <math.h>

#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kinds/sets/set_search.h"
#include "settings.h"
#include "tokenset/heaviest_tokens.h"
#include "tokenset/selectivity.h"
#include "tokenset/tokenset_ball.h"
#include "tokenset/tokenset_query.h"

/*
 * The cost of a posting and of the test of its record, in operators; and how many tokens an operand has at
 * most whose postings are counted, since that takes longer than the rest of an estimate.
 */
#define OPERATORS_PER_POSTING_READ 3
#define FEW_TOKENS 32

/*
 * Returns the estimate for an operand of which this many lists are read, if a match of the same size
 * must share this fraction of its tokens.
 */
static SearchEstimate
search_sharing(double tokens, double lists, double share)
{
	double jaccard = share / (2 - share);

	return (SearchEstimate){
		.tokens = tokens, .lists = lists, .operators_per_record = pow(1 - jaccard, 3) / 2};
}

SearchEstimate
SetSearchFor(Predicate predicate, double tokens)
{
	int64 size = (int64) Max(tokens, 1);
	double share = (double) PredicateLeastOverlap(predicate, size, size) / (double) size;
	int64 lists = size - PredicateLeastOverlapOfAny(predicate, size, false) + 1;

	return search_sharing(tokens, (double) Min(Max(lists, 0), size), Min(Max(share, 0), 1));
}

/*
 * If an operand of @~ is a call of tokenset_query or heaviest_tokens_query, returns its arguments,
 * which begin with a measure, a set and a threshold; else NIL.
 */
static List *
arguments_of_query(Node *operand)
{
	List *args = ArgumentsOfCall(operand, tokenset_query, 4);

	return args != NIL ? args : ArgumentsOfCall(operand, heaviest_tokens_query, 4);
}

Predicate
SetSearchPredicate(PlannerInfo *root, Node *operand)
{
	Predicate typical = {.measure = MEASURE_JACCARD,
						 .threshold = TypicalThreshold(MEASURE_JACCARD)};
	Node *estimate = estimate_expression_value(root, operand);
	List *args = arguments_of_query(operand);
	Predicate predicate;

	if (IsA(estimate, Const) && !((Const *) estimate)->constisnull)
		return TokensetQueryPredicate(DatumGetTokensetQuery(((Const *) estimate)->constvalue));
	if (args == NIL ||
		!QueryConditionEstimate(linitial(args), estimate_expression_value(root, lthird(args)),
								&predicate))
		return typical;
	/* A weighted measure counts as if all weights were equal. */
	predicate.measure = MeasureUnweighted(predicate.measure);
	if (!TokensetQueryThresholdIsValid(predicate))
		predicate.threshold = TypicalThreshold(predicate.measure);
	return predicate;
}

/*
 * Returns the set of an operand of @~, if it is a call that gives it. For any other expression it
 * returns the expression itself, for which ArgumentSize finds no statistics.
 */
static Node *
set_of_query(Node *operand)
{
	List *args = arguments_of_query(operand);

	return args == NIL ? operand : lsecond(args);
}

/*
 * Returns the estimate for a ball: a constant, or a call jaccard_ball(set, threshold). A threshold
 * that is not known becomes a typical one.
 */
static SearchEstimate
search_for_ball(PlannerInfo *root, Node *operand)
{
	Predicate predicate = {.measure = MEASURE_JACCARD,
						   .threshold = TypicalThreshold(MEASURE_JACCARD)};
	Node *estimate = estimate_expression_value(root, operand);
	List *args = ArgumentsOfCall(operand, jaccard_ball, 2);
	double tokens = 0;

	if (IsA(estimate, Const) && !((Const *) estimate)->constisnull)
	{
		const TokensetBall *ball = DatumGetTokensetBall(((Const *) estimate)->constvalue);

		predicate.threshold = ball->threshold;
		tokens = TokensetCount(TokensetBallValue(ball));
	}
	else if (args != NIL)
		tokens = ArgumentSize(root, linitial(args));
	return SetSearchFor(predicate, tokens);
}

/* Returns the estimate for a set, or for a tokenset_query. */
static SearchEstimate
search_for_set(PlannerInfo *root, Node *operand, int strategy)
{
	Node *set = strategy == INDEX_MATCHES ? set_of_query(operand) : operand;
	double tokens = ArgumentSize(root, set);
	Predicate similar = {.measure = MEASURE_JACCARD, .threshold = neardup_similarity_threshold};

	if (strategy == INDEX_MATCHES)
		return SetSearchFor(SetSearchPredicate(root, operand), tokens);
	if (strategy == INDEX_SIMILAR)
		return SetSearchFor(similar, tokens);
	return strategy == INDEX_OVERLAPS ? search_sharing(tokens, tokens, 0)
									  : search_sharing(tokens, 1, 1);
}

/* Returns the set that an index is searched for; NULL if the planner does not know it. */
static const Tokenset *
set_of_operand(Node *operand, int strategy)
{
	const Const *constant =
		(const Const *) (strategy == INDEX_MATCHES ? set_of_query(operand) : operand);

	if (!IsA(constant, Const) || constant->constisnull)
		return NULL;
	if (strategy == INDEX_MATCHES && (Node *) constant == operand)
		return TokensetQueryValue(DatumGetTokensetQuery(constant->constvalue));
	return DatumGetTokenset(constant->constvalue);
}

SearchEstimate
SetSearch(PlannerInfo *root, const OpExpr *clause, Oid opfamily)
{
	int strategy = get_op_opfamily_strategy(clause->opno, opfamily);
	Node *operand = lsecond(clause->args);
	SearchEstimate search;
	double postings;

	if (strategy == INDEX_BALLS_OVERLAP)
		return search_for_ball(root, operand);
	search = search_for_set(root, operand, strategy);
	if (search.tokens > FEW_TOKENS)
		return search;
	postings = PostingsPerRow(root, linitial(clause->args), set_of_operand(operand, strategy));
	search.operators_per_record =
		Min(search.operators_per_record, postings * OPERATORS_PER_POSTING_READ);
	return search;
}
