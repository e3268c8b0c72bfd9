/*
 * engine.h
 *		One interface to all algorithms of the join.
 *
 * Use, in this order:
 *		JoinRecordsInit, JoinRecordsAppend ..., JoinRecordsCanonicalize
 *		JoinEngineIndex
 *		JoinEngineProbe
 */
#ifndef NEARDUP_JOIN_ENGINE_H
#define NEARDUP_JOIN_ENGINE_H

#include "join/kernel/bucket_join.h"
#include "join/kernel/join.h"
#include "join/kernel/list_index.h"

typedef struct JoinEngine
{
	JoinRecords *records;
	JoinSpec spec;
	PrefixIndexes prefixes; /* of the paper's algorithms */
	ListIndex lists;		/* of JOIN_AUTO, which the algorithm of the spec may not be */
	BucketIndex buckets;	/* of JOIN_BUCKETS */
	uint64 posting_count;
} JoinEngine;

/* What the algorithm of a spec comes to: JOIN_AUTO may be JOIN_PPJOIN, others are themselves. */
extern JoinAlgorithm JoinEngineChoose(const JoinSpec *spec);

/*
 * Makes the index that the algorithm needs; the records must be canonical, and
 * stay. For JOIN_BUCKETS they must have had their buckets before that.
 */
extern void JoinEngineIndex(JoinEngine *engine, JoinRecords *records, Predicate predicate,
							JoinAlgorithm algorithm);

/* Units of lists, or of JOIN_BUCKETS; 0 where records are joined one by one. */
extern uint32 JoinEngineListUnits(const JoinEngine *engine);

/* Tells the host how much work finding all pairs is. */
extern void JoinEngineBeginProbe(JoinEngine *engine);

/* Finds all pairs. A host that wants them bit by bit does the units itself (step.h). */
extern void JoinEngineProbe(JoinEngine *engine, JoinEmit emit, void *emit_context,
							JoinCounters *counters);

extern void JoinEngineFree(JoinEngine *engine);

#endif
