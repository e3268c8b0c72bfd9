/*
 * comparison.h
 *		SQL functions of comparison operators and operator classes.
 */
#ifndef NEARDUP_COMPARISON_H
#define NEARDUP_COMPARISON_H

#include "fmgr.h"

/*
 * Defines the function of an operator. compare(FunctionCallInfo) returns the order of the arguments
 * as memcmp does, and `relation` is the operator in C.
 */
#define COMPARISON_FUNCTION(name, compare, relation)                                               \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		PG_RETURN_BOOL(compare(fcinfo) relation 0);                                                \
	}                                                                                              \
	extern int no_such_variable

/* Defines type_eq and type_ne by a function that returns 0 for equal arguments only. */
#define EQUALITY_FUNCTIONS(type, differ)                                                           \
	COMPARISON_FUNCTION(type##_eq, differ, ==);                                                    \
	COMPARISON_FUNCTION(type##_ne, differ, !=)

/* Defines what a B-tree orders a type by, besides equality: type_lt, type_le, type_gt, type_ge, type_cmp. */
#define ORDER_FUNCTIONS(type, compare)                                                             \
	COMPARISON_FUNCTION(type##_lt, compare, <);                                                    \
	COMPARISON_FUNCTION(type##_le, compare, <=);                                                   \
	COMPARISON_FUNCTION(type##_gt, compare, >);                                                    \
	COMPARISON_FUNCTION(type##_ge, compare, >=);                                                   \
	PG_FUNCTION_INFO_V1(type##_cmp);                                                               \
	Datum type##_cmp(PG_FUNCTION_ARGS)                                                             \
	{                                                                                              \
		PG_RETURN_INT32(compare(fcinfo));                                                          \
	}                                                                                              \
	extern int no_such_variable

/*
 * Defines what a hash operator class calls, type_hash and type_hash_extended, by hash(Datum, uint64
 * seed). The former returns the low half of the latter with seed 0, as PostgreSQL requires.
 */
#define HASH_FUNCTIONS(type, hash)                                                                 \
	PG_FUNCTION_INFO_V1(type##_hash);                                                              \
	PG_FUNCTION_INFO_V1(type##_hash_extended);                                                     \
	Datum type##_hash(PG_FUNCTION_ARGS)                                                            \
	{                                                                                              \
		PG_RETURN_UINT32((uint32) hash(PG_GETARG_DATUM(0), 0));                                    \
	}                                                                                              \
	Datum type##_hash_extended(PG_FUNCTION_ARGS)                                                   \
	{                                                                                              \
		PG_RETURN_UINT64(hash(PG_GETARG_DATUM(0), (uint64) PG_GETARG_INT64(1)));                   \
	}                                                                                              \
	extern int no_such_variable

#endif
