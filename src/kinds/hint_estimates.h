/*
 * hint_estimates.h
 *		What a hint answers of the condition beside it: how many rows satisfy it, and what it costs.
 */
#ifndef NEARDUP_KINDS_HINT_ESTIMATES_H
#define NEARDUP_KINDS_HINT_ESTIMATES_H

#include "nodes/supportnodes.h"

/* Answer a request of the planner; return false if the request is not of a hint. */
extern bool HintSelectivity(SupportRequestSelectivity *request);
extern bool HintCost(SupportRequestCost *request);

#endif
