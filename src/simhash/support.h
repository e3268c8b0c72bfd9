/*
 * support.h
 *		Index conditions of simhashes, as planner support functions make them.
 */
#ifndef NEARDUP_SIMHASH_SUPPORT_H
#define NEARDUP_SIMHASH_SUPPORT_H

#include "nodes/supportnodes.h"

/*
 * Returns the index condition that is equivalent to a function(x, y, ...) which is true within a
 * distance; NIL if there is none. The distance is an expression of type int4.
 */
extern List *SimhashIndexCondition(SupportRequestIndexCondition *request, Node *distance);

#endif
