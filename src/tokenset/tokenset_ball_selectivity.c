/*
 * tokenset_ball_selectivity.c
 *		Selectivity of the operator && of balls.
 *
 * jaccard_ball(column, 0.85) && jaccard_ball(value, 0.9) is what jaccard_ge(column, value, 0.9) is,
 * and is estimated as this, by the statistics of the column of sets. An operand that is a column of
 * balls has no such statistics: then a constant is returned, as contsel does.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "tokenset/selectivity.h"
#include "tokenset/tokenset_ball.h"

PG_FUNCTION_INFO_V1(tokenset_ball_overlaps_sel);
PG_FUNCTION_INFO_V1(tokenset_ball_overlaps_joinsel);

/* The selectivity where nothing is known. */
#define DEFAULT_BALL_SEL 0.001

/* Holds what the planner knows of an operand. */
typedef struct BallOperand
{
	Node *set; /* NULL if it is not known which set the ball has */
	bool threshold_is_known;
	double threshold;
} BallOperand;

/* Describes an operand, a value or a call of jaccard_ball. Sets have the type `set_type`. */
static BallOperand
ball_operand(PlannerInfo *root, Node *node, Oid set_type)
{
	Node *estimate = estimate_expression_value(root, node);
	List *args = ArgumentsOfCall(estimate, jaccard_ball, 2);
	BallOperand operand = {0};
	Const *threshold;

	if (IsA(estimate, Const) && !((Const *) estimate)->constisnull)
	{
		const TokensetBall *ball = DatumGetTokensetBall(((Const *) estimate)->constvalue);

		operand.set = (Node *) makeConst(set_type, -1, InvalidOid, -1,
										 PointerGetDatum(TokensetBallValue(ball)), false, false);
		operand.threshold_is_known = true;
		operand.threshold = ball->threshold;
	}
	else if (args != NIL)
	{
		operand.set = linitial(args);
		threshold = lsecond(args);
		operand.threshold_is_known = IsA(threshold, Const) && !threshold->constisnull;
		if (operand.threshold_is_known)
			operand.threshold = DatumGetFloat8(threshold->constvalue);
	}
	return operand;
}

/* Returns the selectivity of a clause, as SimilaritySelectivity takes its arguments. */
static Selectivity
balls_overlap_selectivity(PlannerInfo *root, Oid op, List *args, bool is_join, int relation,
						  SpecialJoinInfo *join)
{
	List *left_call = ArgumentsOfCall(linitial(args), jaccard_ball, 2);
	List *call = left_call != NIL ? left_call : ArgumentsOfCall(lsecond(args), jaccard_ball, 2);
	SimilarityClause clause = {.predicate = {.measure = MEASURE_JACCARD},
							   .function = get_opcode(op)};
	BallOperand left;
	BallOperand right;

	if (call == NIL)
		return DEFAULT_BALL_SEL;
	left = ball_operand(root, linitial(args), exprType(linitial(call)));
	right = ball_operand(root, lsecond(args), exprType(linitial(call)));
	if (left.set == NULL || right.set == NULL)
		return DEFAULT_BALL_SEL;
	clause.threshold_is_known = left.threshold_is_known && right.threshold_is_known;
	clause.predicate.threshold = Max(left.threshold, right.threshold);
	clause.args = list_make2(left.set, right.set);
	return SimilaritySelectivity(root, &clause, is_join, relation, join);
}

Datum
tokenset_ball_overlaps_sel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(balls_overlap_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
											   PG_GETARG_OID(1), (List *) PG_GETARG_POINTER(2),
											   false, PG_GETARG_INT32(3), NULL));
}

Datum
tokenset_ball_overlaps_joinsel(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(balls_overlap_selectivity((PlannerInfo *) PG_GETARG_POINTER(0),
											   PG_GETARG_OID(1), (List *) PG_GETARG_POINTER(2),
											   true, 0, (SpecialJoinInfo *) PG_GETARG_POINTER(4)));
}
