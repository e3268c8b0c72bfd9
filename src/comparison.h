/*
 * comparison.h
 *		SQL functions of comparison operators.
 */
#ifndef NEARDUP_COMPARISON_H
#define NEARDUP_COMPARISON_H

#include "fmgr.h"

/*
 * Defines the function of an operator. compare(FunctionCallInfo) returns the order of the arguments
 * as memcmp does, and `relation` is the operator in C. For example,
 *
 *		COMPARISON_FUNCTION(simhash_lt, simhash_compare_arguments, <);
 */
#define COMPARISON_FUNCTION(name, compare, relation)                                               \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		PG_RETURN_BOOL(compare(fcinfo) relation 0);                                                \
	}                                                                                              \
	extern int no_such_variable

#endif
