/*
 * join_run.h
 *		A scan of the join node: reads both inputs and finds the rows of the join.
 */
#ifndef NEARDUP_JOIN_JOIN_RUN_H
#define NEARDUP_JOIN_JOIN_RUN_H

#include "nodes/execnodes.h"

#include "join/node/join_explain.h"
#include "join/node/join_plan.h"
#include "join/node/stored_tuples.h"
#include "join/node/pair_buffer.h"
#include "join/similarity_join.h"

typedef enum NodePhase
{
	NODE_BEGINS,
	NODE_LOADS_LEFT, /* the kernel's left side */
	NODE_LOADS_RIGHT,
	NODE_JOINS,
	NODE_RETURNS_UNMATCHED,
	NODE_IS_DONE
} NodePhase;

typedef struct NodeInput
{
	ExprState *operand;
	List *keys;
	FmgrInfo *hash_functions;
	int first; /* column of the scan tuple, from 0 */
	int columns;
	Bitmapset *needed; /* columns, from 0 */
	StoredTuples *tuples;
	TuplePlace *place;
} NodeInput;

typedef struct SharedFigures
{
	int count;
	JoinNodeFigures workers[FLEXIBLE_ARRAY_MEMBER];
} SharedFigures;

typedef struct JoinNode
{
	CustomScanState css; /* must be first */
	JoinNodePlan plan;
	NodeInput inputs[2]; /* outer and inner */
	ExprState *threshold;
	ExprState *filters;
	ExprState *after;
	Oid *collations;
	StoredTuples *self_tuples; /* in a self-join */
	TuplePlace *self_places[2];

	NodePhase phase;
	bool is_self; /* not under EvalPlanQual */
	bool is_null; /* the threshold */
	int left;	  /* the input on the kernel's left side */
	JoinTask task;
	SimilarityJoin join;
	MemoryContext row_context;
	RowReading reading;
	PairBuffer pairs;

	/* Bit by outer row: it has a partner. NULL in an inner join. */
	uint64 *matched;
	uint64 outer_count;
	uint64 outer_next;

	JoinNodeFigures figures; /* of this process */
	SharedFigures *shared;	 /* NULL unless a parallel plan runs */
	JoinNodeFigures total;	 /* of workers that are done */
} JoinNode;

/* Puts the next row, not yet filtered by plan.after, into the scan tuple; false after the last. */
extern bool JoinRunNext(JoinNode *node);

/* Frees the run and adds up its figures. */
extern void JoinRunEnd(JoinNode *node);

/* Before the scan tuple or the stored tuples change. */
extern void JoinRunForgetRows(JoinNode *node);

/* The figures of this process, the present run included. */
extern void JoinRunFigures(JoinNode *node, JoinNodeFigures *figures);

#endif
