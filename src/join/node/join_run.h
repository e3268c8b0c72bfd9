/*
 * join_run.h
 *		Runs a scan of the join node: reads both inputs and finds the rows of the join.
 */
#ifndef NEARDUP_JOIN_JOIN_RUN_H
#define NEARDUP_JOIN_JOIN_RUN_H

#include "nodes/execnodes.h"

#include "join/node/grouped_rows.h"
#include "join/node/join_explain.h"
#include "join/node/join_plan.h"
#include "join/node/stored_tuples.h"
#include "rows/record_file.h"
#include "join/similarity_join.h"

/* Tells what the next call of a scan does. */
typedef enum NodePhase
{
	NODE_BEGINS,
	NODE_LOADS_LEFT, /* the kernel's left side */
	NODE_LOADS_RIGHT,
	NODE_JOINS,
	NODE_LOOPS, /* over all pairs of each group */
	NODE_RETURNS_UNMATCHED,
	NODE_IS_DONE
} NodePhase;

typedef struct NodeInput
{
	ExprState *operand;
	List *keys; /* the input's expressions in the equalities */
	FmgrInfo *hash_functions;
	int first;			  /* its first column in the scan tuple, from 0 */
	int columns;		  /* their number */
	Bitmapset *needed;	  /* columns that are stored, from 0 */
	StoredTuples *tuples; /* how its rows are stored */
	TuplePlace *place;	  /* where stored rows go in the scan tuple */
} NodeInput;

/* Numbers of two rows in the present part. */
typedef struct RowPair
{
	uint32 outer;
	uint32 inner;
} RowPair;

/* In shared memory: the figures of the workers. */
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
	StoredTuples *self_tuples; /* tuples of both inputs in a self-join */
	TuplePlace *self_places[2];

	/* What belongs to the present scan; a rescan sets it again. */
	NodePhase phase;
	bool is_self; /* the input is read once: EvalPlanQual does not recheck it, nor is all similar */
	ComparisonReach reach; /* which pairs may be similar: none also if the threshold is NULL */
	bool is_directed;	   /* the measure is */
	int left;			   /* the input that is read first, the kernel's left side */
	uint64 loaded;		   /* rows of both inputs that may have a partner */
	JoinTask task;
	SimilarityJoin join;
	MemoryContext context;	   /* of the scan */
	MemoryContext row_context; /* holds what one row needs */
	RowReading reading;
	RecordFile pairs; /* RowPairs of the last unit that were not returned */

	/* A bit for each outer row says whether it has a partner. NULL in an inner join. */
	uint64 *matched;
	uint64 outer_count;
	uint64 outer_next;

	/* Where all pairs are similar, the rows of each input, over which the node loops. */
	GroupedRows *grouped[2];
	bool has_outer; /* the outer row that was read last is not done */
	bool outer_is_matched;

	JoinNodeFigures figures; /* figures of this process, without the present scan */
	SharedFigures *shared;	 /* NULL unless a parallel plan runs */
	JoinNodeFigures total;	 /* sums of the workers that are done */
} JoinNode;

/*
 * Puts the next row of the join into the scan tuple, not yet filtered by plan.after; begins a scan
 * if there is none. Returns false after the last row.
 */
extern bool JoinRunNext(JoinNode *node);

/* Frees the scan, if there is one, and adds its figures to those of the process. */
extern void JoinRunEnd(JoinNode *node);

/* Forgets which rows the scan tuple has. Called before it or the stored tuples change. */
extern void JoinRunForgetRows(JoinNode *node);

/* Returns the figures of this process, those of the present scan included. */
extern void JoinRunFigures(JoinNode *node, JoinNodeFigures *figures);

#endif
