/*
 * cost.c
 *		The planner's estimate of a scan.
 *
 * A scan looks each token of the operand up in each segment, reads the lists of the rarest ones,
 * and tests some of their records. It reads the fewer postings the more tokens a match must share,
 * both because the prefix is shorter and because its tokens are rarer. The model, which was fitted
 * to measurements (doc/bench), is the number of records times (1 - J)^3 / 2, for the least Jaccard
 * similarity J of a match as large as the operand. All of it is cost before the first row, since a
 * search finds all rows at once.
 *
 * In an index with scope columns a scan reads the lists of one scope, whose part of all records is
 * the selectivity of the conditions on these columns.
 */
#include "postgres.h"

#include <math.h>

#include "access/amapi.h"
#include "access/genam.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "compat.h"
#include "function_behind.h"
#include "index/cost.h"
#include "index/meta.h"
#include "kinds/index_strategy.h"
#include "kinds/trigrams/trigram_family.h"
#include "settings.h"
#include "kinds/edit/edit_query.h"
#include "kinds/edit/edit_selectivity.h"
#include "kinds/edit/edit_tokens.h"
#include "tokenset/heaviest_tokens.h"
#include "tokenset/tokenset_ball.h"
#include "tokenset/tokenset_query.h"
#include "tokenset/selectivity.h"
#include "kinds/trigrams/trigram_condition.h"

/* In units of cpu_operator_cost: to look a token up, to read a posting, to test a record. */
#define LOOKUP 4
#define POSTING 0.05
#define RECORD 2

/* Of a search by trigrams, see trigram_cost. */
#define TRIGRAM_POWER 6
#define TRIGRAM_RECORD 12

/* Tokens of an operand that is no set, and of which nothing else is known. */
#define TYPICAL_TOKENS 20

/* Fractions of the postings and of the records that a search for the nearest rows reads. */
#define NEAREST_POSTINGS 0.02
#define NEAREST_RECORDS 0.002

typedef struct IndexFigures
{
	double segments;
	double records;
	double postings;
	double pending; /* rows */
} IndexFigures;

/* Returns what the metapage says. Of a hypothetical index one segment is assumed. */
static IndexFigures
read_figures(const IndexOptInfo *info)
{
	IndexFigures figures = {.segments = 1, .records = info->tuples, .postings = info->tuples};
	Relation index;
	const IndexMeta *meta;
	Buffer buffer;

	if (info->hypothetical)
		return figures;
	index = index_open(info->indexoid, NoLock);
	buffer = IndexMetaRead(index, &meta);
	figures = (IndexFigures){.segments = meta->segment_count,
							 .pending = (double) (meta->open.row_count + meta->closed.row_count)};
	for (uint32 i = 0; i < meta->segment_count; i++)
	{
		figures.records += meta->segments[i].record_count;
		figures.postings += (double) meta->segments[i].posting_count;
	}
	UnlockReleaseBuffer(buffer);
	index_close(index, NoLock);
	return figures;
}

/* Returns the fraction of a set's tokens that a match of the same size must share. */
static double
share_of_predicate(Predicate predicate, double size)
{
	int64 tokens = (int64) Max(size, 1);

	return Min(Max((double) PredicateLeastOverlap(predicate, tokens, tokens) / (double) tokens, 0),
			   1);
}

/*
 * Returns the arguments of an operand of @~ that is a call of tokenset_query or
 * heaviest_tokens_query, of which the first three are a measure, a set and a threshold; else NIL.
 */
static List *
arguments_of_query(Node *operand)
{
	List *args = ArgumentsOfCall(operand, tokenset_query, 4);

	return args != NIL ? args : ArgumentsOfCall(operand, heaviest_tokens_query, 4);
}

/* Reads the name of a measure, of a weighted one as if all weights were equal. */
static bool
read_measure_name(Node *name, Measure *measure)
{
	const char *measure_name;

	if (!IsA(name, Const) || ((Const *) name)->constisnull)
		return false;
	measure_name = TextDatumGetCString(((Const *) name)->constvalue);
	if (!MeasureByName(measure_name, measure) && !WeightedMeasureByName(measure_name, measure))
		return false;
	*measure = MeasureUnweighted(*measure);
	return true;
}

/*
 * Returns the predicate of an operand of @~: its value, or as much as the planner knows of the call
 * that makes it. Otherwise a typical threshold is assumed.
 */
static Predicate
cost_predicate(PlannerInfo *root, Node *operand)
{
	Predicate predicate = {.measure = MEASURE_JACCARD,
						   .threshold = TypicalThreshold(MEASURE_JACCARD)};
	Node *estimate = estimate_expression_value(root, operand);
	List *args = arguments_of_query(operand);

	if (IsA(estimate, Const) && !((Const *) estimate)->constisnull)
		return TokensetQueryPredicate(DatumGetTokensetQuery(((Const *) estimate)->constvalue));
	if (args == NIL)
		return predicate;
	estimate = estimate_expression_value(root, lthird(args));
	if (!read_measure_name(linitial(args), &predicate.measure))
		return predicate;
	predicate.threshold = TypicalThreshold(predicate.measure);
	if (IsA(estimate, Const) && !((Const *) estimate)->constisnull &&
		MeasureThresholdIsValid(predicate.measure,
								DatumGetFloat8(((Const *) estimate)->constvalue)))
		predicate.threshold = DatumGetFloat8(((Const *) estimate)->constvalue);
	return predicate;
}

/*
 * Returns the set of an operand of @~, if it is a call that gives it. Of any other expression it
 * returns the expression itself, of which ArgumentSize finds no statistics.
 */
static Node *
set_of_query(Node *operand)
{
	List *args = arguments_of_query(operand);

	return args == NIL ? operand : lsecond(args);
}

typedef struct OperandFigures
{
	double tokens;
	double share; /* the fraction of them that a match must share */
} OperandFigures;

/*
 * Estimates the same of a ball: its value, or the call jaccard_ball(set, threshold), of which a
 * threshold that is not known becomes a typical one.
 */
static OperandFigures
ball_figures(PlannerInfo *root, Node *operand)
{
	Predicate predicate = {.measure = MEASURE_JACCARD,
						   .threshold = TypicalThreshold(MEASURE_JACCARD)};
	Node *estimate = estimate_expression_value(root, operand);
	List *args = ArgumentsOfCall(operand, jaccard_ball, 2);
	OperandFigures figures = {0};

	if (IsA(estimate, Const) && !((Const *) estimate)->constisnull)
	{
		const TokensetBall *ball = DatumGetTokensetBall(((Const *) estimate)->constvalue);

		predicate.threshold = ball->threshold;
		figures.tokens = TokensetCount(TokensetBallValue(ball));
	}
	else if (args != NIL)
		figures.tokens = ArgumentSize(root, linitial(args));
	figures.share = share_of_predicate(predicate, figures.tokens);
	return figures;
}

/* Estimates the same of an edit_query. */
static OperandFigures
edit_figures(PlannerInfo *root, Node *operand)
{
	EditOperand edit = EditOperandOf(root, operand);
	OperandFigures figures = {.tokens = TextArgumentLength(root, edit.value) +
										EDIT_INDEX_GRAM_LENGTH - 1};

	figures.share = share_of_predicate(EditIndexPredicate(edit.max_distance), figures.tokens);
	return figures;
}

/* Estimates the same of a set, or of a tokenset_query. */
static OperandFigures
set_figures(PlannerInfo *root, Node *operand, int strategy)
{
	Node *set = strategy == INDEX_MATCHES ? set_of_query(operand) : operand;
	OperandFigures figures = {.tokens = ArgumentSize(root, set), .share = 1};
	Predicate similar = {.measure = MEASURE_JACCARD, .threshold = neardup_similarity_threshold};

	if (strategy == INDEX_MATCHES)
		figures.share = share_of_predicate(cost_predicate(root, operand), figures.tokens);
	else if (strategy == INDEX_SIMILAR)
		figures.share = share_of_predicate(similar, figures.tokens);
	else if (strategy == INDEX_OVERLAPS)
		figures.share = 0;
	return figures;
}

/* Whether the operand of an operator is such that the operator class makes a set of it. */
static bool
has_operand_function(Oid op, Oid opfamily)
{
	Oid left;
	Oid right;

	op_input_types(op, &left, &right);
	return OidIsValid(get_opfamily_proc(opfamily, right, right, INDEX_OPERAND_FUNCTION));
}

/* Estimates the size of a clause's operand, and what a match must share. */
static OperandFigures
operand_figures(PlannerInfo *root, const OpExpr *clause, Oid opfamily)
{
	int strategy = get_op_opfamily_strategy(clause->opno, opfamily);
	Node *operand = lsecond(clause->args);
	Predicate typical = {.measure = MEASURE_JACCARD,
						 .threshold = TypicalThreshold(MEASURE_JACCARD)};

	if (FunctionBehind(get_opcode(clause->opno), 2) == edit_matches)
		return edit_figures(root, operand);
	if (strategy == INDEX_BALLS_OVERLAP)
		return ball_figures(root, operand);
	if (has_operand_function(clause->opno, opfamily))
		return (OperandFigures){.tokens = TYPICAL_TOKENS,
								.share = share_of_predicate(typical, TYPICAL_TOKENS)};
	return set_figures(root, operand, strategy);
}

/* Returns the first condition on a column that is at or behind `column`, from 0 on; else NULL. */
static const IndexClause *
first_condition(const IndexPath *path, int column)
{
	ListCell *cell;

	foreach (cell, path->indexclauses)
	{
		if (lfirst_node(IndexClause, cell)->indexcol >= column)
			return lfirst(cell);
	}
	return NULL;
}

/*
 * Reduces the figures to those of a scope: the fraction of the rows that the conditions on the scope
 * columns select. `scans` is for how many values of arrays they are asked. Returns false if a scope
 * column has no condition.
 */
static bool
reduce_to_scope(PlannerInfo *root, const IndexPath *path, double scans, IndexFigures *figures)
{
	int scope_columns = path->indexinfo->nkeycolumns - 1;
	int next = 0; /* column without a condition so far; conditions ascend by column */
	List *conditions = NIL;
	ListCell *cell;
	double fraction;

	foreach (cell, path->indexclauses)
	{
		IndexClause *clause = lfirst_node(IndexClause, cell);

		if (clause->indexcol == scope_columns)
			break;
		if (clause->indexcol > next)
			return false;
		next = clause->indexcol + 1;
		conditions = list_concat(conditions, clause->indexquals);
	}
	if (next < scope_columns)
		return false;
	if (scope_columns == 0)
		return true;
	fraction = clauselist_selectivity(root, conditions, (int) path->indexinfo->rel->relid,
									  JOIN_INNER, NULL) /
			   scans;
	figures->records *= fraction;
	figures->postings *= fraction;
	return true;
}

/*
 * Returns the cost of a search for all rows of a scope. Pages are paid for as with other indexes, and
 * one of each dictionary, so that a B-tree of the scope columns is preferred.
 */
static Cost
scope_cost(const IndexFigures *figures, const GenericCosts *costs)
{
	return costs->indexTotalCost + figures->segments * random_page_cost +
		   cpu_operator_cost * (figures->segments * LOOKUP + figures->records * (POSTING + RECORD) +
								figures->pending * RECORD);
}

/*
 * Returns the cost of a search by trigrams. There are few different ones, so that even the rarest of
 * a text have long lists, and the records that come grow faster with lower thresholds. The cost is
 * fitted to names and to summaries of packages.
 */
static Cost
trigram_cost(PlannerInfo *root, const OpExpr *clause, int strategy, const IndexFigures *figures)
{
	double threshold = TrigramJaccardThreshold(TRIGRAM_BY_SETTING, 0);

	if (strategy == INDEX_MATCHES)
		threshold = cost_predicate(root, lsecond(clause->args)).threshold;
	threshold = Min(Max(threshold, 0), 1);
	return cpu_operator_cost *
		   (TYPICAL_TOKENS * figures->segments * LOOKUP +
			figures->records * pow(1 - threshold, TRIGRAM_POWER) * TRIGRAM_RECORD +
			figures->pending * RECORD);
}

/*
 * Returns a clause as that of an operator. Of operator ANY (array) it is one with an element of which
 * nothing is known, as the planner's own estimates take it.
 */
static const OpExpr *
operator_clause(const Expr *clause)
{
	const ScalarArrayOpExpr *any = (const ScalarArrayOpExpr *) clause;
	CaseTestExpr *element;
	Oid left;

	if (!IsA(clause, ScalarArrayOpExpr))
		return (const OpExpr *) clause;
	element = makeNode(CaseTestExpr);
	op_input_types(any->opno, &left, &element->typeId);
	element->typeMod = -1;
	element->collation = any->inputcollid;
	return (const OpExpr *) make_opclause(any->opno, BOOLOID, false, linitial(any->args),
										  (Expr *) element, InvalidOid, any->inputcollid);
}

/* Returns the cost of a search for the first condition on sets; the others are filters. */
static Cost
search_cost(PlannerInfo *root, const IndexPath *path, const IndexClause *first,
			const IndexFigures *figures)
{
	const OpExpr *clause = operator_clause(linitial_node(RestrictInfo, first->indexquals)->clause);
	Oid opfamily = path->indexinfo->opfamily[first->indexcol];
	OperandFigures operand;
	double jaccard;
	double postings;

	if (OidIsValid(TrigramFamilyOperand(opfamily)))
		return trigram_cost(root, clause, get_op_opfamily_strategy(clause->opno, opfamily),
							figures);
	operand = operand_figures(root, clause, opfamily);
	jaccard = operand.share / (2 - operand.share);
	postings = figures->records * pow(1 - jaccard, 3) / 2;
	return cpu_operator_cost * (operand.tokens * figures->segments * LOOKUP + postings * POSTING +
								figures->pending * RECORD);
}

/* Returns the cost of a search for the nearest rows. */
static Cost
nearest_cost(const IndexFigures *figures)
{
	return cpu_operator_cost * (figures->postings * NEAREST_POSTINGS * POSTING +
								(figures->records * NEAREST_RECORDS + figures->pending) * RECORD);
}

void
IndexCostEstimate(struct PlannerInfo *root, struct IndexPath *path, double loop_count,
				  Cost *startup, Cost *total, Selectivity *selectivity, double *correlation,
				  double *pages)
{
	IndexFigures figures = read_figures(path->indexinfo);
	GenericCosts costs = {0};

	int scope_columns = path->indexinfo->nkeycolumns - 1;
	const IndexClause *condition = first_condition(path, scope_columns);
	double scans;
	bool is_usable = path->path.pathtype != T_IndexOnlyScan;

	genericcostestimate(root, path, loop_count, &costs);
	scans = Max(costs.num_sa_scans, 1);
	if (!reduce_to_scope(root, path, scans, &figures))
		is_usable = false;
	if (condition != NULL)
		*startup = search_cost(root, path, condition, &figures) * scans;
	else if (path->indexorderbys != NIL || scope_columns == 0)
		*startup = nearest_cost(&figures) * scans;
	else
		*startup = scope_cost(&figures, &costs) * scans;
	*selectivity = costs.indexSelectivity;
	*total = *startup + *selectivity * path->indexinfo->tuples * cpu_index_tuple_cost;
	*correlation = 0;
	*pages = costs.numIndexPages;
	/*
	 * There are no index-only scans: a scan holds no pins on what it has read, so that VACUUM may
	 * remove a row that it has yet to return, and only a visit to the table tells. Without all scope
	 * columns a scan would return all rows.
	 */
	if (!is_usable)
	{
		*startup = *total = get_float8_infinity();
		nd_disable_path(&path->path);
	}
}
