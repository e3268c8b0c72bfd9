/*
 * trigram_condition.c
 *		The conditions of a query that pg_trgm finds two texts similar.
 *
 * These are, with a threshold t of type real or double precision,
 *
 *		x % y
 *		similarity(x, y) >= t		similarity(x, y) > t
 *		x <-> y <= t				x <-> y < t
 *
 * and the same with the sides of the comparison exchanged. The similarity is of type real: it may
 * stand in a cast to double precision, which changes nothing.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "kinds/trigrams/pg_trgm.h"
#include "kinds/trigrams/single_precision.h"
#include "kinds/trigrams/trigram_condition.h"

typedef enum Order
{
	NO_ORDER,
	LESS,
	LESS_OR_EQUAL,
	GREATER,
	GREATER_OR_EQUAL
} Order;

/* Returns how a function compares floating-point numbers. */
static Order
order_of(Oid function)
{
	switch (function)
	{
		case F_FLOAT4LT:
		case F_FLOAT48LT:
		case F_FLOAT84LT:
		case F_FLOAT8LT:
			return LESS;
		case F_FLOAT4LE:
		case F_FLOAT48LE:
		case F_FLOAT84LE:
		case F_FLOAT8LE:
			return LESS_OR_EQUAL;
		case F_FLOAT4GT:
		case F_FLOAT48GT:
		case F_FLOAT84GT:
		case F_FLOAT8GT:
			return GREATER;
		case F_FLOAT4GE:
		case F_FLOAT48GE:
		case F_FLOAT84GE:
		case F_FLOAT8GE:
			return GREATER_OR_EQUAL;
		default:
			return NO_ORDER;
	}
}

static Order
exchanged(Order order)
{
	switch (order)
	{
		case LESS:
			return GREATER;
		case LESS_OR_EQUAL:
			return GREATER_OR_EQUAL;
		case GREATER:
			return LESS;
		case GREATER_OR_EQUAL:
			return LESS_OR_EQUAL;
		default:
			return NO_ORDER;
	}
}

/* Takes the texts of a call of pg_trgm, and returns which function it calls. */
static TrgmFunction
take_call(Node *expression, PredicateClause *clause)
{
	List *args = NIL;
	TrgmFunction function;

	if (IsA(expression, FuncExpr))
	{
		clause->function = ((FuncExpr *) expression)->funcid;
		args = ((FuncExpr *) expression)->args;
	}
	else if (IsA(expression, OpExpr))
	{
		clause->function = get_opcode(((OpExpr *) expression)->opno);
		args = ((OpExpr *) expression)->args;
	}
	if (list_length(args) != 2)
		return TRGM_NONE;
	function = TrgmFunctionOf(clause->function);
	clause->x = linitial(args);
	clause->y = lsecond(args);
	return function;
}

static Node *
without_cast_to_double(Node *expression)
{
	FuncExpr *cast = (FuncExpr *) expression;

	if (IsA(expression, FuncExpr) && cast->funcid == F_FLOAT8_FLOAT4)
		return linitial(cast->args);
	return expression;
}

/* Takes a comparison of a value of pg_trgm, `left`, with a threshold. */
static bool
take_comparison(Node *left, Order order, Node *right, PredicateClause *clause)
{
	clause->threshold = right;
	switch (take_call(without_cast_to_double(left), clause))
	{
		case TRGM_SIMILARITY:
			clause->comparison = order == GREATER ? SINGLE_SIMILARITY_GT : SINGLE_SIMILARITY_GE;
			return order == GREATER || order == GREATER_OR_EQUAL;
		case TRGM_DISTANCE:
			clause->comparison = order == LESS ? SINGLE_DISTANCE_LT : SINGLE_DISTANCE_LE;
			return order == LESS || order == LESS_OR_EQUAL;
		default:
			return false;
	}
}

bool
TrigramClauseOf(Node *expression, PredicateClause *clause)
{
	OpExpr *comparison = (OpExpr *) expression;
	Order order;

	*clause = (PredicateClause){.kind = &trigram_kind, .measure = MEASURE_JACCARD};
	if (IsA(expression, OpExpr) && list_length(comparison->args) == 2 &&
		(order = order_of(get_opcode(comparison->opno))) != NO_ORDER)
	{
		Node *left = linitial(comparison->args);
		Node *right = lsecond(comparison->args);

		return take_comparison(left, order, right, clause) ||
			   take_comparison(right, exchanged(order), left, clause);
	}
	if (take_call(expression, clause) != TRGM_SIMILAR)
		return false;
	clause->comparison = COMPARED_BY_SETTING;
	clause->threshold = (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
										   Float8GetDatum(0), false, FLOAT8PASSBYVAL);
	return true;
}
