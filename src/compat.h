/*
 * compat.h
 *		What differs among PostgreSQL 15 to 19.
 *
 * Shims are named nd_*, never after a function of PostgreSQL's. Where one is a macro, who
 * uses it includes the header of what it stands for.
 */
#ifndef NEARDUP_COMPAT_H
#define NEARDUP_COMPAT_H

#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* ExplainProperty... and ExplainState */
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#else
#include "commands/explain.h"
#endif

/* From 18 on there is room for more before the tuple. */
#if PG_VERSION_NUM >= 180000
#define nd_heap_form_minimal_tuple(columns, values, nulls)                                         \
	heap_form_minimal_tuple(columns, values, nulls, 0)
#else
#define nd_heap_form_minimal_tuple(columns, values, nulls)                                         \
	heap_form_minimal_tuple(columns, values, nulls)
#endif

/* A comparison that an operator is in some operator family: strategies until 17, since then types. */
#if PG_VERSION_NUM >= 180000
#define nd_OpInterpretation OpIndexInterpretation
#define nd_op_interpretations(operator) get_op_index_interpretation(operator)
#define nd_op_is_less(interpretation) ((interpretation)->cmptype == COMPARE_LT)
#define nd_op_is_greater(interpretation) ((interpretation)->cmptype == COMPARE_GT)
#define nd_op_is_unequal(interpretation) ((interpretation)->cmptype == COMPARE_NE)
#else
#define nd_OpInterpretation OpBtreeInterpretation
#define nd_op_interpretations(operator) get_op_btree_interpretation(operator)
#define nd_op_is_less(interpretation) ((interpretation)->strategy == BTLessStrategyNumber)
#define nd_op_is_greater(interpretation) ((interpretation)->strategy == BTGreaterStrategyNumber)
#define nd_op_is_unequal(interpretation) ((interpretation)->strategy == ROWCOMPARE_NE)
#endif

/* From 19 on a descriptor that was filled by hand says so. */
#if PG_VERSION_NUM >= 190000
#define nd_finish_tuple_desc(columns) TupleDescFinalize(columns)
#else
#define nd_finish_tuple_desc(columns) ((void) 0)
#endif

#endif
