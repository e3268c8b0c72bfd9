/*
 * engine.c
 *		Choosing between the joins record by record and list by list.
 */
#include "c.h"

#include "join/kernel/engine.h"
#include "join/kernel/list_join.h"
#include "join/kernel/size_join.h"

void
JoinEngineIndex(JoinEngine *engine, const JoinRecords *records, Predicate predicate,
				JoinAlgorithm algorithm)
{
	memset(engine, 0, sizeof(*engine));
	JoinSpecInit(&engine->spec, records, predicate, algorithm);
	if (algorithm == JOIN_AUTO)
	{
		ListIndexBuild(&engine->lists, &engine->spec);
		engine->posting_count = engine->lists.posting_count;
	}
	else
	{
		PrefixIndexBuild(&engine->prefixes, &engine->spec);
		engine->posting_count = engine->prefixes.posting_count;
	}
}

void
JoinEngineProbe(const JoinEngine *engine, JoinEmit emit, void *emit_context, JoinCounters *counters)
{
	uint32 count = engine->spec.records->record_count;
	JoinHost *host = engine->spec.records->host;

	host->done = 0;
	host->total = (engine->spec.algorithm == JOIN_AUTO ? engine->posting_count : count) +
				  SizeJoinUnits(&engine->spec);

	if (engine->spec.algorithm == JOIN_AUTO)
	{
		ListJoinPartitions(&engine->lists, 0, engine->lists.partition_count, emit, emit_context,
						   counters);
		ListJoinRepeats(&engine->lists, 0, count, emit, emit_context);
	}
	else
		JoinProbe(&engine->spec, &engine->prefixes, 0, count, emit, emit_context, counters);
	SizeJoin(&engine->spec, 0, count, emit, emit_context, counters);
}

void
JoinEngineFree(JoinEngine *engine)
{
	if (engine->spec.algorithm == JOIN_AUTO)
		ListIndexFree(&engine->lists);
	else
		PrefixIndexFree(&engine->prefixes, &engine->spec);
	JoinSpecFree(&engine->spec);
}
