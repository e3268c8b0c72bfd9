/*
 * engine.c
 *		Choosing between the joins record by record, list by list, and by buckets.
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

static void
make_buckets(JoinEngine *engine)
{
	JoinRecords *records = engine->records;
	JoinWorker self = {.records = records, .engine = engine};

	BucketIndexBegin(&engine->buckets, &engine->spec);
	JoinStepRun(&self, JOIN_MAKE_KEYS,
				Min(JoinStepUnits(records->host, records->token_count),
					engine->buckets.group_count / BUCKET_UNIT_GROUPS + 1));
}

static uint32
count_repeats(const JoinRecords *records)
{
	uint32 count = 0;

	for (Size word = 0; word < JoinRecordsBitmapWords(records); word++)
	{
		JoinStrideTick(records->host, word);
		count += pg_popcount64(records->repeats[word]);
	}
	return count;
}

JoinAlgorithm
JoinEngineChoose(const JoinSpec *spec)
{
	const JoinRecords *records = spec->records;
	double usual_size = spec->algorithm == JOIN_AUTO ? ListUsualSize(spec) : 0;
	double unique_share;

	if (!ListsAreSlower(spec->predicate, usual_size, 1))
		return spec->algorithm;
	unique_share = 1 - (double) count_repeats(records) / records->record_count;
	return ListsAreSlower(spec->predicate, usual_size, unique_share) ? JOIN_PPJOIN
																	 : spec->algorithm;
}

void
JoinEngineIndex(JoinEngine *engine, JoinRecords *records, Predicate predicate,
				JoinAlgorithm algorithm)
{
	memset(engine, 0, sizeof(*engine));
	engine->records = records;
	JoinSpecInit(&engine->spec, records, predicate, algorithm);
	algorithm = engine->spec.algorithm = JoinEngineChoose(&engine->spec);
	if (algorithm == JOIN_AUTO)
	{
		index_lists(engine);
		engine->posting_count = engine->lists.posting_count;
	}
	else if (algorithm == JOIN_BUCKETS)
	{
		make_buckets(engine);
		engine->posting_count = (uint64) engine->buckets.group_count * engine->buckets.buckets.keys;
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
	switch (engine->spec.algorithm)
	{
		case JOIN_AUTO:
			return ListJoinUnits(&engine->lists);
		case JOIN_BUCKETS:
			return BucketJoinUnits(&engine->buckets);
		default:
			return 0;
	}
}

/* Postings or records, and what is joined by size. */
static uint64
units_of_progress(const JoinEngine *engine)
{
	uint64 records = engine->records->record_count;

	switch (engine->spec.algorithm)
	{
		case JOIN_AUTO:
			return engine->posting_count + SizeJoinUnits(&engine->spec);
		case JOIN_BUCKETS:
			return engine->posting_count + records;
		default:
			return records + SizeJoinUnits(&engine->spec);
	}
}

void
JoinEngineBeginProbe(JoinEngine *engine)
{
	JoinHost *host = engine->records->host;

	host->done = 0;
	host->total = units_of_progress(engine);
}

/* Where records are joined one by one, it is their tokens that take time. */
static uint32
record_units(const JoinEngine *engine)
{
	const JoinRecords *records = engine->records;

	if (JoinEngineListUnits(engine) > 0)
		return JoinStepUnits(records->host, records->record_count);
	return Min(JoinStepUnits(records->host, records->token_count), Max(records->record_count, 1));
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
	JoinStepRun(&self, JOIN_FIND_PAIRS, JoinEngineListUnits(engine) + record_units(engine));
}

void
JoinEngineFree(JoinEngine *engine)
{
	if (engine->spec.algorithm == JOIN_AUTO)
		ListIndexFree(&engine->lists);
	else if (engine->spec.algorithm == JOIN_BUCKETS)
		BucketIndexFree(&engine->buckets);
	else
		PrefixIndexFree(&engine->prefixes, &engine->spec);
	JoinSpecFree(&engine->spec);
}
