/*
 * join_node.h
 *		The join that the planner runs: a custom path and its executor node.
 */
#ifndef NEARDUP_JOIN_NODE_H
#define NEARDUP_JOIN_NODE_H

#include "nodes/extensible.h"

#include "join/kernel/join.h"

/* In _PG_init: registers the node, and has the planner consider it. */
extern void JoinNodeInit(void);

/*
 * What the plan says of the join. Expressions are over the node's scan tuple,
 * the columns of the outer input followed by those of the inner one.
 */
typedef struct JoinNodePlan
{
	JoinType type;	   /* inner, left, semi or anti */
	bool of_simhashes; /* else of sets; see PredicateClause */
	Measure measure;
	bool outer_is_y;   /* the outer input's operand is the predicate's second */
	bool is_self;	   /* both inputs are the same rows: the outer one serves for both */
	bool skips_itself; /* in a self-join: no row passes the filters with itself */
	int outer_columns;
	List *clause;	 /* that drives the join, by itself */
	List *operands;	 /* the set or simhash of the outer input, and of the inner one */
	List *threshold; /* by itself, or none for neardup.similarity_threshold */
	List *equalities;
	List *keys[2]; /* what the equalities compare, of the outer and inner input */
	List *hash_functions[2];
	List *collations;
	List *filters;
	List *after;		 /* what rows of an outer join must satisfy, with or without a partner */
	List *inner_sources; /* in a self-join: by column of the inner input, the outer's, from 0 */
} JoinNodePlan;

/* The plan in the form of a CustomScan, and back. */
extern void JoinNodePlanStore(const JoinNodePlan *plan, CustomScan *scan);
extern void JoinNodePlanFetch(JoinNodePlan *plan, const CustomScan *scan);

extern const CustomScanMethods join_node_methods;

/* The planner's side: has the hook installed (join_path.c). */
extern void JoinPathInit(void);

/* What the node did so far, in all its scans. */
typedef struct JoinNodeFigures
{
	uint64 rows[2]; /* of the outer and inner input, with what can match */
	JoinCounters counters;
	uint64 filtered;   /* pairs that the filters removed */
	uint64 removed;	   /* rows that were removed after the join */
	uint64 parts;	   /* 1, or as many as were joined one by one where rows were spilled */
	Size memory_bytes; /* the most that a process took at a time */
	int64 temp_bytes;
	int workers; /* parallel ones who had outer rows */
} JoinNodeFigures;

/* What EXPLAIN shows (join_explain.c). */
struct ExplainState;
extern void JoinNodeExplain(CustomScanState *state, List *ancestors, struct ExplainState *es,
							const JoinNodeFigures *figures);

#endif
