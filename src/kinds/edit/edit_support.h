/*
 * edit_support.h
 *		Index conditions of the edit distance, as planner support functions make them.
 */
#ifndef NEARDUP_EDIT_SUPPORT_H
#define NEARDUP_EDIT_SUPPORT_H

#include "tokenset/support.h"

/*
 * A QueryOfCondition for texts: the right operand of @~~, a call of edit_query or its value. The
 * threshold is of type int4.
 */
extern Node *EditQueryOfCondition(SupportRequestIndexCondition *request,
								  const ConditionParts *parts, Node *value);

#endif
