/*
 * join_explain.h
 *		Shows the join node in EXPLAIN, with its figures under ANALYZE.
 */
#ifndef NEARDUP_JOIN_JOIN_EXPLAIN_H
#define NEARDUP_JOIN_JOIN_EXPLAIN_H

#include "nodes/extensible.h"

#include "kernel/join.h"

typedef struct JoinNodeFigures
{
	uint64 rows[2]; /* rows of each input, without those that cannot match */
	JoinCounters counters;
	uint64 filtered;   /* pairs that the filters rejected */
	uint64 removed;	   /* rows that the conditions in `after` rejected */
	uint64 parts;	   /* more than 1 if rows were spilled */
	Size memory_bytes; /* the highest peak of a process */
	int64 temp_bytes;
	int workers; /* workers that had outer rows */
} JoinNodeFigures;

struct ExplainState;
extern void JoinNodeExplain(CustomScanState *state, List *ancestors, struct ExplainState *es,
							const JoinNodeFigures *figures);

#endif
