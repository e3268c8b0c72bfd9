/*
 * join_run.h
 *		A scan of the join node: reads both inputs, and finds what it returns.
 */
#ifndef NEARDUP_JOIN_RUN_H
#define NEARDUP_JOIN_RUN_H

#include "nodes/execnodes.h"

#include "join/call.h"
#include "join/join_node.h"
#include "join/kept_rows.h"
#include "join/kernel/step.h"
#include "join/pair_buffer.h"
#include "join/parts.h"
#include "text/tokens.h"

typedef enum NodePhase
{
	NODE_BEGINS,
	NODE_LOADS_LEFT, /* of the kernel */
	NODE_LOADS_RIGHT,
	NODE_JOINS,
	NODE_RETURNS_UNMATCHED,
	NODE_IS_DONE
} NodePhase;

/* The outer or the inner input. */
typedef struct NodeInput
{
	ExprState *operand; /* the set or simhash */
	List *keys;			/* of ExprState */
	FmgrInfo *hash_functions;
	int first; /* of its columns in the scan tuple */
	int columns;
	Bitmapset *needed; /* columns, from 0 */
	KeptRows *rows;
	KeptPlace *place;
} NodeInput;

/* Figures by worker; each writes its own when it is done. */
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
	KeptRows *self_rows; /* in a self-join: what is kept for both inputs */
	KeptPlace *self_places[2];

	/* The run. */
	MemoryContext context; /* NULL if there is none */
	NodePhase phase;
	bool is_self; /* one input is read */
	bool is_null; /* the threshold, so that nothing is similar */
	int left;	  /* the input that is the kernel's left side */
	Predicate predicate;
	JoinProcess process;
	JoinInput input;
	MemoryContext row_context;
	Token *tokens; /* of the present row, combined with its group */
	Size token_capacity;
	uint64 row_count;
	uint64 pair_count;

	/* The part that is joined. */
	JoinParts parts; /* if rows were spilled */
	bool has_part;
	bool is_joined; /* the input, if it is in memory */
	JoinInput *part;
	uint64 left_first; /* numbers of the part's first rows on each side */
	uint64 right_first;
	JoinEngine engine;
	JoinWorker worker;
	uint32 unit;
	uint32 unit_count;
	PairBuffer pairs;

	/* By number of the outer row, whether it has a partner; NULL in an inner join. */
	uint64 *matched;
	uint64 outer_count;
	uint64 outer_next; /* to be returned if it has none */

	JoinNodeFigures figures; /* of this process */
	SharedFigures *shared;	 /* in a parallel plan, while it runs */
	JoinNodeFigures total;	 /* what workers left, when it has run */
} JoinNode;

/*
 * Puts the next row of the join, before it is filtered by the conditions after the join, into
 * the scan tuple, whose columns it fills in as far as they are needed. False after the last.
 * Begins a run if there is none.
 */
extern bool JoinRunNext(JoinNode *node);

/* Frees what the run holds; the next one begins anew. */
extern void JoinRunEnd(JoinNode *node);

/* Makes sure that the columns of the scan tuple are filled in again. */
extern void JoinRunForgetRows(JoinNode *node);

/* Notes the most memory that the run took so far. */
extern void JoinRunNoteMemory(JoinNode *node);

#endif
