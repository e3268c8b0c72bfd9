/*
 * heaviest_tokens.h
 *		The heaviest tokens of a set, which sets that are similar by weights must share.
 */
#ifndef NEARDUP_HEAVIEST_TOKENS_H
#define NEARDUP_HEAVIEST_TOKENS_H

#include "fmgr.h"
#include "tokenset/token_weights.h"

/* An SQL function, declared for the planner's estimates, which recognize its calls by the address. */
extern Datum heaviest_tokens_query(PG_FUNCTION_ARGS);

#endif
