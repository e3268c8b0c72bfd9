/*
 * operand.h
 *		What an operator class says of a scan's operand that is no tokenset.
 *
 * A class whose column is not of type tokenset may have a function (INDEX_OPERAND_FUNCTION) for each
 * type of its operators' right sides: (type, internal) -> void. It fills in an IndexOperand.
 */
#ifndef NEARDUP_INDEX_OPERAND_H
#define NEARDUP_INDEX_OPERAND_H

#include "measure/measure.h"
#include "tokenset/tokenset.h"

/*
 * The search is for the sets that satisfy the predicate together with this one; an order is by the
 * distance from it. The function may allocate the set in the current memory context.
 */
typedef struct IndexOperand
{
	const Tokenset *set;
	Predicate predicate; /* of a condition; need not be set where the operand is only ordered by */
	bool value_first;	 /* the operand is the left side of the predicate */
} IndexOperand;

#endif
