/*
 * trigram_selectivity.c
 *		Estimates of the number of texts whose trigrams are similar.
 *
 * The estimate is the sum of two numbers. The first is what the statistics of the column show: the
 * share of its texts (trigram_sample.h) that are similar to a value that is known. Of a value that is
 * not known, it is assumed that it is drawn from the column, so that the mean over all pairs of texts
 * counts; in a join, over the pairs of both columns. A word similarity compares a few words with a
 * text, so there the value is taken to be a word of the column, the longest one of each text.
 *
 * Few texts of a large table are in its statistics, and hardly any two of them are near-duplicates. So
 * with n distinct texts, 1 / t^2 of them are taken to reach the threshold t for each, besides. For sets
 * of equal size this is the estimate of typical_rows in tokenset/similar_share.c.
 *
 * A word similarity is at most the containment (trigram_kind.c), by which it is estimated. Of the texts
 * that reach the threshold by it, pg_trgm's own function tells whether they do, if the value is known.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "function_behind.h"
#include "kept_shares.h"
#include "kinds/text_statistics.h"
#include "kinds/trigrams/trgm_ops.h"
#include "kinds/trigrams/trigram_sample.h"
#include "kinds/trigrams/trigram_selectivity.h"
#include "tokenset/similar_share.h"
#include "tokenset/tokenset_query.h"

/* The least threshold that estimates take. */
#define LEAST_SIMILARITY 0.05

/* What is known of a side of a comparison. */
typedef struct Side
{
	const Tokenset *value;		 /* the set of a text that is known; else NULL */
	Datum text;					 /* this text, if it is known beside its set; else 0 */
	const TrigramSample *sample; /* else that of a column; NULL if nothing is known */
	double distinct;			 /* values of the column, 0 if it is none */
} Side;

/* Returns what is known of an argument. */
static Side
side_of(PlannerInfo *root, Node *argument, Oid function)
{
	Node *value = estimate_expression_value(root, argument);
	VariableStatData variable;
	Side side = {0};

	if (IsA(value, Const))
	{
		if (((Const *) value)->constisnull)
			return side;
		side.text = PointerGetDatum(DatumGetTextPP(((Const *) value)->constvalue));
		side.value = TrigramsOfText(DatumGetTextPP(side.text));
		return side;
	}
	TextArgumentOpen(root, argument, 0, &variable);
	if (variable.rel != NULL)
		side.sample = TrigramSampleOf(&variable, function);
	ReleaseVariableStats(variable);
	side.distinct = TextArgumentDistinct(root, argument, 0);
	return side;
}

static bool
sets_are_similar(Predicate predicate, const Tokenset *x, const Tokenset *y)
{
	int32 a = TokensetCount(x);
	int32 b = TokensetCount(y);
	int64 least;

	if (a == 0 || b == 0)
		return false;
	least = PredicateLeastOverlap(predicate, a, b);
	return least <= Min(a, b) && TokensetOverlapIfAtLeast(x, y, least) >= least;
}

/* Calls the function of a condition on two texts, and returns whether they reach its threshold. */
static bool
function_agrees(const PredicateClause *clause, double threshold, Datum x, Datum y)
{
	const KindFunction *function = clause->kind->find(clause->function);
	Datum value;

	if (function == NULL || !UserMayCall(clause->function))
		return true;
	value = function->is_exchanged
				? OidFunctionCall2Coll(clause->function, DEFAULT_COLLATION_OID, y, x)
				: OidFunctionCall2Coll(clause->function, DEFAULT_COLLATION_OID, x, y);
	if (function->form == KIND_BY_SETTING)
		return DatumGetBool(value);
	return function->form == KIND_COMPLEMENT ? 1 - DatumGetFloat4(value) >= threshold
											 : DatumGetFloat4(value) >= threshold;
}

/*
 * Returns the share of a sample's rows that are similar to a value, which is x or y. The clause is NULL
 * where the rows count that its bound finds.
 */
static double
share_of_value(const TrigramSample *sample, Predicate predicate, Side value, bool value_is_x,
			   const PredicateClause *clause)
{
	bool is_bound = MeasureIsDirected(predicate.measure) && clause != NULL && value.text != 0;
	double share = 0;

	for (int i = 0; i < sample->count; i++)
	{
		const SampledText *sampled = &sample->texts[i];

		if (!(value_is_x ? sets_are_similar(predicate, value.value, sampled->set)
						 : sets_are_similar(predicate, sampled->set, value.value)))
			continue;
		if (!is_bound ||
			(value_is_x ? function_agrees(clause, predicate.threshold, value.text, sampled->text)
						: function_agrees(clause, predicate.threshold, sampled->text, value.text)))
			share += sampled->share;
	}
	return share;
}

/*
 * Computes a mean over the texts of x. A text that stands for others is not compared with itself,
 * since these others differ from it.
 */
static double
mean_of_samples(const TrigramSample *x, const TrigramSample *y, ShareSubject what,
				Predicate predicate)
{
	bool of_semijoin = what == SHARE_WITH_SIMILAR;
	double share = 0;

	for (int i = 0; i < x->count; i++)
	{
		const SampledText *left = &x->texts[i];
		double similar = 0;

		CHECK_FOR_INTERRUPTS();
		for (int j = 0; j < y->count && !(of_semijoin && similar > 0); j++)
		{
			const SampledText *right = &y->texts[j];

			if ((x == y && i == j && !left->is_value) ||
				!sets_are_similar(predicate, what == SHARE_OF_WORDS ? left->word : left->set,
								  right->set))
				continue;
			similar += right->share;
		}
		share += left->share * (of_semijoin ? similar > 0 : similar);
	}
	return share;
}

/* Returns a mean, which is kept. */
static double
mean_share(const TrigramSample *x, const TrigramSample *y, ShareSubject what, Predicate predicate)
{
	ShareKey key = {.what = what, .x = x->row, .y = y->row, .predicate = predicate};
	double share;

	if (KeptShareFind(&key, &share))
		return share;
	share = mean_of_samples(x, y, what, predicate);
	KeptSharePut(&key, share);
	return share;
}

/* Returns the share that the statistics show, 0 if there are none. */
static double
share_in_samples(Side x, Side y, Predicate predicate, const PredicateClause *clause)
{
	bool of_words = MeasureIsDirected(predicate.measure) && x.sample == NULL;

	if (x.value != NULL && y.value != NULL)
		return sets_are_similar(predicate, x.value, y.value);
	if (x.sample == NULL && y.sample == NULL)
		return 0;
	if (x.value != NULL)
		return share_of_value(y.sample, predicate, x, true, clause);
	if (y.value != NULL)
		return share_of_value(x.sample, predicate, y, false, clause);
	return mean_share(x.sample != NULL ? x.sample : y.sample,
					  y.sample != NULL ? y.sample : x.sample,
					  of_words ? SHARE_OF_WORDS : SHARE_OF_TEXTS, predicate);
}

static double
share_of_sides(Side x, Side y, Predicate predicate, const PredicateClause *clause)
{
	double least = Max(predicate.threshold, LEAST_SIMILARITY);
	double distinct = Max(Max(x.distinct, y.distinct), 1);

	return Min(share_in_samples(x, y, predicate, clause) + 1 / (least * least * distinct), 1);
}

/*
 * Returns the fraction of the rows of the left side of a semijoin that have a similar one: those whose
 * texts have in the samples, and of the others the usual share.
 */
static double
semijoin_share(Side left, Side right, Predicate predicate, bool left_is_x)
{
	double share = 0;

	/* The mean over a directed measure is one over x. */
	if (left.sample != NULL && right.sample != NULL &&
		(left_is_x || !MeasureIsDirected(predicate.measure)))
		share = mean_share(left.sample, right.sample, SHARE_WITH_SIMILAR, predicate);
	return share + (1 - share) * SEMIJOIN_SHARE;
}

double
TrigramSelectivity(PlannerInfo *root, const PredicateClause *clause, double threshold,
				   const ClausePlace *place)
{
	Predicate predicate = {.measure = clause->measure, .threshold = threshold};
	Side x = side_of(root, clause->x, clause->function);
	Side y = side_of(root, clause->y, clause->function);
	const SpecialJoinInfo *join = place->is_join ? place->join : NULL;
	bool left_is_x;

	if (join == NULL || (join->jointype != JOIN_SEMI && join->jointype != JOIN_ANTI))
		return share_of_sides(x, y, predicate, clause);
	left_is_x = bms_is_subset(pull_varnos(root, clause->x), join->syn_lefthand);
	return left_is_x ? semijoin_share(x, y, predicate, true)
					 : semijoin_share(y, x, predicate, false);
}

/*
 * Describes the operand of @~, a query or a call of trgm_query: the side of the text that is given, and
 * whether it is x.
 */
static Side
side_of_query(PlannerInfo *root, Node *operand, Oid function, bool *is_x)
{
	List *args = ArgumentsOfCall(operand, trgm_query, 4);
	const Const *first = args == NIL ? NULL : lfourth(args);

	*is_x = first != NULL && IsA(first, Const) && DatumGetBool(first->constvalue);
	if (IsA(operand, Const) && !((Const *) operand)->constisnull)
	{
		const TokensetQuery *query = DatumGetTokensetQuery(((Const *) operand)->constvalue);

		*is_x = query->value_first != 0;
		return (Side){.value = TokensetQueryValue(query)};
	}
	return args == NIL ? (Side){0} : side_of(root, linitial(args), function);
}

double
TrigramSearchShare(PlannerInfo *root, const OpExpr *clause, Predicate predicate, bool is_query)
{
	Oid function = get_opcode(clause->opno);
	Side column = side_of(root, linitial(clause->args), function);
	Node *operand = lsecond(clause->args);
	bool value_is_x = true;
	Side value;

	if (PredicateHoldsForAll(predicate))
		return 1;
	value = is_query ? side_of_query(root, operand, function, &value_is_x)
					 : side_of(root, operand, function);
	return value_is_x ? share_of_sides(value, column, predicate, NULL)
					  : share_of_sides(column, value, predicate, NULL);
}
