/*
 * join_explain.h
 *		What EXPLAIN shows of a join.
 */
#ifndef NEARDUP_JOIN_JOIN_EXPLAIN_H
#define NEARDUP_JOIN_JOIN_EXPLAIN_H

#include "nodes/extensible.h"

#include "kernel/join.h"

typedef struct JoinNodeFigures
{
	uint64 rows[2]; /* by input; those that can match */
	JoinCounters counters;
	uint64 filtered;   /* pairs */
	uint64 removed;	   /* rows, by `after` */
	uint64 parts;	   /* more than 1 if rows were spilled */
	Size memory_bytes; /* most of any process */
	int64 temp_bytes;
	int workers; /* those that had outer rows */
} JoinNodeFigures;

struct ExplainState;
extern void JoinNodeExplain(CustomScanState *state, List *ancestors, struct ExplainState *es,
							const JoinNodeFigures *figures);

#endif
