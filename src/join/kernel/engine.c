/*
 * engine.c
 *		Choosing between the joins record by record and list by list.
 */
#include "c.h"

#include "join/kernel/list_join.h"
#include "join/kernel/size_join.h"
#include "join/kernel/step.h"

/*
 * The lists are written by all: first it is counted how many postings each part
 * of the records has in each partition, so that each can be written to its place.
 */
static void
index_lists(JoinEngine *engine)
{
	JoinRecords *records = engine->records;
	JoinWorker self = {.records = records, .engine = engine};
	uint32 units = Min(JoinStepUnits(records->host, records->token_count),
					   records->record_count / LIST_UNIT_RECORDS + 1);

	ListIndexBegin(&engine->lists, &engine->spec, units);
	JoinStepRun(&self, JOIN_COUNT_POSTINGS, units);
	ListIndexPlace(&engine->lists);
	JoinStepRun(&self, JOIN_WRITE_POSTINGS, units);
	ListIndexFinish(&engine->lists);
}

void
JoinEngineIndex(JoinEngine *engine, JoinRecords *records, Predicate predicate,
				JoinAlgorithm algorithm)
{
	memset(engine, 0, sizeof(*engine));
	engine->records = records;
	JoinSpecInit(&engine->spec, records, predicate, algorithm);
	if (algorithm == JOIN_AUTO)
	{
		index_lists(engine);
		engine->posting_count = engine->lists.posting_count;
	}
	else
	{
		PrefixIndexBuild(&engine->prefixes, &engine->spec);
		engine->posting_count = engine->prefixes.posting_count;
	}
}

uint32
JoinEngineListUnits(const JoinEngine *engine)
{
	return engine->spec.algorithm == JOIN_AUTO ? ListJoinUnits(&engine->lists) : 0;
}

void
JoinEngineBeginProbe(JoinEngine *engine)
{
	JoinRecords *records = engine->records;

	records->host->done = 0;
	records->host->total =
		(engine->spec.algorithm == JOIN_AUTO ? engine->posting_count : records->record_count) +
		SizeJoinUnits(&engine->spec);
}

void
JoinEngineProbe(JoinEngine *engine, JoinEmit emit, void *emit_context, JoinCounters *counters)
{
	JoinRecords *records = engine->records;
	JoinWorker self = {.records = records,
					   .engine = engine,
					   .emit = emit,
					   .emit_context = emit_context,
					   .counters = counters};

	JoinEngineBeginProbe(engine);
	JoinStepRun(&self, JOIN_FIND_PAIRS,
				JoinEngineListUnits(engine) + JoinStepUnits(records->host, records->record_count));
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
