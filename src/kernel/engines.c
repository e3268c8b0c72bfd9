/*
 * engines.c
 *		The engine of each algorithm.
 *
 * This is the only file that knows all engines.
 */
#include "c.h"

#include "kernel/buckets/bucket_engine.h"
#include "kernel/edit/edit_engine.h"
#include "kernel/engines.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/hamming/hamming_engine.h"
#include "kernel/lists/list_engine.h"
#include "kernel/ppjoin/ppjoin_engine.h"

static const JoinEngineMethods *const engines[] = {
	[JOIN_ALLPAIRS] = &ppjoin_engine,	 [JOIN_PPJOIN] = &ppjoin_engine,
	[JOIN_PPJOIN_PLUS] = &ppjoin_engine, [JOIN_AUTO] = &list_engine,
	[JOIN_BUCKETS] = &bucket_engine,	 [JOIN_HAMMING] = &hamming_engine,
	[JOIN_EDIT] = &edit_engine};

void
JoinEngineIndex(JoinEngine *engine, JoinRecords *records, const void *content, Predicate predicate,
				JoinAlgorithm algorithm)
{
	*engine = (JoinEngine){.records = records, .content = content};
	if (algorithm == JOIN_AUTO && records->weighing.is_weighted &&
		ListEngineIsSlowerByWeights(records, predicate))
		algorithm = JOIN_PPJOIN;
	JoinSpecInit(&engine->spec, records, predicate, algorithm);
	if (algorithm == JOIN_AUTO && !records->weighing.is_weighted &&
		ListEngineIsSlower(&engine->spec) && !JoinSpecFewLookUp(records))
		engine->spec.algorithm = JOIN_PPJOIN;
	engine->methods = engines[engine->spec.algorithm];
	engine->index = JoinAllocateSharedZero(records->host, 1, engine->methods->index_size);
	engine->methods->build(engine);
}

/* Where signatures are widest, JOIN_AUTO may join record by record instead of list by list. */
static Size
auto_bytes(const MemoryEstimate *estimate)
{
	Size bytes = list_engine.bytes(estimate);

	if (MemoryEstimateWords(estimate) == SIGNATURE_MAX_WORDS)
		bytes = Max(bytes, ppjoin_engine.bytes(estimate));
	return bytes;
}

JoinBytes
JoinEngineBytes(JoinAlgorithm algorithm)
{
	return algorithm == JOIN_AUTO ? auto_bytes : engines[algorithm]->bytes;
}

uint64
JoinEnginePostings(JoinAlgorithm algorithm, const MemoryEstimate *estimate)
{
	const JoinEngineMethods *methods = engines[algorithm];

	return methods->expected_postings != NULL ? methods->expected_postings(estimate)
											  : estimate->posting_count;
}

bool
JoinEngineEmitsValues(JoinAlgorithm algorithm)
{
	return engines[algorithm]->emits_values;
}

bool
JoinEngineCanShare(JoinAlgorithm algorithm)
{
	return engines[algorithm]->adopt != NULL;
}

void
JoinEngineAdopt(JoinEngine *engine, JoinRecords *records, const char *leader_base)
{
	JoinHost *host = records->host;
	JoinAdoption adoption = {.leader_base = leader_base, .base = host->arena.base};
	void *index;

	engine->methods = engines[engine->spec.algorithm];
	engine->records = records;
	/* While records are put in order, there is no index yet. */
	if (engine->index == NULL)
		return;
	engine->spec.records = records;
	JoinAdopt(adoption, &engine->spec.classes);
	JoinAdopt(adoption, &engine->index);
	index = JoinAllocate(host, 1, engine->methods->index_size);
	memcpy(index, engine->index, engine->methods->index_size);
	engine->index = index;
	engine->methods->adopt(engine, adoption);
}

void
JoinEngineForget(JoinEngine *engine)
{
	JoinRelease(engine->records->host, engine->index, 1, engine->methods->index_size);
}
