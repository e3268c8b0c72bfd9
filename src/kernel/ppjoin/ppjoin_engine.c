/*
 * ppjoin_engine.c
 *		The engine of the paper's algorithms: joins record by record.
 *
 * The leader writes the whole index. Each unit of finding is a range of records, which look up the
 * index (probe.c) and then are joined with small records that need no overlap (size_join.h).
 * Workers share records and index, and only read them; each has a Prober of its own.
 */
#include "c.h"

#include "kernel/ppjoin/ppjoin_engine.h"
#include "kernel/ppjoin/prefix_index.h"
#include "kernel/ppjoin/probe.h"
#include "kernel/filters/repeat_join.h"
#include "kernel/filters/size_join.h"

static void
ppjoin_build(JoinEngine *engine)
{
	PrefixIndexes *indexes = engine->index;

	PrefixIndexBuild(indexes, &engine->spec);
	engine->posting_count = indexes->posting_count;
}

static void
ppjoin_free(JoinEngine *engine)
{
	PrefixIndexFree(engine->index, &engine->spec);
}

/* The time of a unit grows with its tokens, so they decide how many are worthwhile. */
static uint32
ppjoin_find_units(const JoinEngine *engine)
{
	return JoinRecordUnits(engine, engine->records->token_count);
}

static uint64
ppjoin_work(const JoinEngine *engine)
{
	return engine->records->record_count + SizeJoinUnits(&engine->spec);
}

static void
ppjoin_find(JoinParticipant *self, uint32 unit, uint32 units)
{
	const JoinEngine *engine = self->engine;
	uint32 first = JoinUnitStart(engine->records->record_count, unit, units);
	uint32 end = JoinUnitStart(engine->records->record_count, unit + 1, units);

	if (self->state == NULL)
		self->state = ProberBegin(&engine->spec, engine->index, self->emit, self->emit_context,
								  self->counters);
	ProberJoin(self->state, first, end);
	if (engine->records->weighing.is_weighted)
		RepeatJoin(&engine->spec, first, end, false, self->emit, self->emit_context);
	SizeJoin(&engine->spec, first, end, self->emit, self->emit_context, self->counters);
}

static void
ppjoin_end(JoinParticipant *self)
{
	ProberEnd(self->state);
}

static void
ppjoin_adopt(JoinEngine *engine, JoinAdoption adoption)
{
	PrefixIndexes *indexes = engine->index;

	JoinAdopt(adoption, &indexes->weights);
	for (int side = 0; side < 2; side++)
	{
		JoinAdopt(adoption, &indexes->sides[side].starts);
		JoinAdopt(adoption, &indexes->sides[side].postings);
	}
}

/*
 * A token has, for each side, the start of its list and a head; a record has its overlap and a
 * place in the list of records that were met.
 */
static Size
ppjoin_bytes(const MemoryEstimate *estimate)
{
	Size of_record = estimate->is_weighted ? sizeof(IndexedWeights) + sizeof(int64) : sizeof(int32);

	return estimate->posting_count * sizeof(Posting) +
		   estimate->distinct_tokens * (estimate->two_sided ? 4 : 2) * sizeof(uint64) +
		   estimate->record_count * (of_record + sizeof(uint32));
}

const JoinEngineMethods ppjoin_engine = {.index_size = sizeof(PrefixIndexes),
										 .bytes = ppjoin_bytes,
										 .build = ppjoin_build,
										 .free = ppjoin_free,
										 .find_units = ppjoin_find_units,
										 .work = ppjoin_work,
										 .find = ppjoin_find,
										 .end = ppjoin_end,
										 .adopt = ppjoin_adopt};
