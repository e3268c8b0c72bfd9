/*
 * ppjoin_engine.c
 *		The engine of the paper's algorithms: record by record.
 *
 * The leader writes the index; units of finding are ranges of records.
 */
#include "c.h"

#include "kernel/ppjoin/ppjoin_engine.h"
#include "kernel/ppjoin/prefix_index.h"
#include "kernel/ppjoin/probe.h"
#include "kernel/size_join.h"

static void
build(JoinEngine *engine)
{
	PrefixIndexes *indexes = engine->index;

	PrefixIndexBuild(indexes, &engine->spec);
	engine->posting_count = indexes->posting_count;
}

static void
free_index(JoinEngine *engine)
{
	PrefixIndexFree(engine->index, &engine->spec);
}

/* Tokens take the time. */
static uint32
find_units(const JoinEngine *engine)
{
	return JoinRecordUnits(engine, engine->records->token_count);
}

static uint64
work(const JoinEngine *engine)
{
	return engine->records->record_count + SizeJoinUnits(&engine->spec);
}

static void
find(JoinParticipant *self, uint32 unit, uint32 units)
{
	const JoinEngine *engine = self->engine;
	uint32 first = JoinUnitStart(engine->records->record_count, unit, units);
	uint32 end = JoinUnitStart(engine->records->record_count, unit + 1, units);

	if (self->state == NULL)
		self->state = ProberBegin(&engine->spec, engine->index, self->emit, self->emit_context,
								  self->counters);
	ProberJoin(self->state, first, end);
	SizeJoin(&engine->spec, first, end, self->emit, self->emit_context, self->counters);
}

static void
end(JoinParticipant *self)
{
	ProberEnd(self->state);
}

static void
adopt(JoinEngine *engine, JoinAdoption adoption)
{
	PrefixIndexes *indexes = engine->index;

	for (int side = 0; side < 2; side++)
	{
		JoinAdopt(adoption, &indexes->sides[side].starts);
		JoinAdopt(adoption, &indexes->sides[side].postings);
	}
}

/* By distinct token and side: where its list begins, twice. By record: A[y] and its place in a list. */
static Size
bytes(const MemoryEstimate *estimate)
{
	return estimate->posting_count * sizeof(Posting) +
		   estimate->distinct_tokens * (estimate->two_sided ? 4 : 2) * sizeof(uint64) +
		   estimate->record_count * (sizeof(int32) + sizeof(uint32));
}

const JoinEngineMethods ppjoin_engine = {.index_size = sizeof(PrefixIndexes),
										 .bytes = bytes,
										 .build = build,
										 .free = free_index,
										 .find_units = find_units,
										 .work = work,
										 .find = find,
										 .end = end,
										 .adopt = adopt};
