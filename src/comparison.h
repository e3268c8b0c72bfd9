/*
 * comparison.h
 *		The SQL functions of a type's comparison operators.
 *
 * They differ in nothing but the operator that the result of a comparison stands
 * before. So each is made from the function that compares, int compare(FunctionCallInfo),
 * as PostgreSQL makes those of tsvector.
 */
#ifndef NEARDUP_COMPARISON_H
#define NEARDUP_COMPARISON_H

#include "fmgr.h"

/* The SQL function of an operator; the relation is the operator in C. */
#define COMPARISON_FUNCTION(name, compare, relation)                                               \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		PG_RETURN_BOOL(compare(fcinfo) relation 0);                                                \
	}                                                                                              \
	extern int no_such_variable

#endif
