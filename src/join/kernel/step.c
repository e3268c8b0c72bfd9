/*
 * step.c
 *		Which function does a unit of which step.
 */
#include "c.h"

#include "join/kernel/list_join.h"
#include "join/kernel/size_join.h"
#include "join/kernel/step.h"

uint32
JoinStepUnits(const JoinHost *host, uint64 count)
{
	if (host->participants <= 1)
		return 1;
	return Max(
		Min((uint64) host->participants * JOIN_UNITS_PER_PARTICIPANT, count / host->least_unit), 1);
}

/*
 * Pairs are found list by list, bucket by bucket, or record by record; then come those
 * that are in no list.
 */
static void
find_pairs(JoinWorker *self, uint32 unit, uint32 units)
{
	JoinEngine *engine = self->engine;
	uint32 count = self->records->record_count;
	uint32 list_units = JoinEngineListUnits(engine);
	uint32 first;
	uint32 end;

	if (unit < list_units)
	{
		if (engine->spec.algorithm == JOIN_BUCKETS)
		{
			BucketJoinUnit(&engine->buckets, unit, self->emit, self->emit_context, self->counters);
			return;
		}
		if (self->list_joiner == NULL)
			self->list_joiner =
				ListJoinerBegin(&engine->lists, self->emit, self->emit_context, self->counters);
		ListJoinUnit(self->list_joiner, unit);
		return;
	}
	first = JoinUnitStart(count, unit - list_units, units - list_units);
	end = JoinUnitStart(count, unit - list_units + 1, units - list_units);
	if (engine->spec.algorithm == JOIN_BUCKETS)
	{
		BucketJoinRepeats(&engine->buckets, first, end, self->emit, self->emit_context);
		return;
	}
	if (engine->spec.algorithm == JOIN_AUTO)
		ListJoinRepeats(&engine->lists, first, end, self->emit, self->emit_context);
	else
	{
		if (self->prober == NULL)
			self->prober = ProberBegin(&engine->spec, &engine->prefixes, self->emit,
									   self->emit_context, self->counters);
		ProberJoin(self->prober, first, end);
	}
	SizeJoin(&engine->spec, first, end, self->emit, self->emit_context, self->counters);
}

void
JoinStepUnit(JoinWorker *self, JoinStep step, uint32 unit, uint32 units)
{
	switch (step)
	{
		case JOIN_COUNT_POSTINGS:
			ListIndexCount(&self->engine->lists, unit, units);
			break;
		case JOIN_WRITE_POSTINGS:
			ListIndexWrite(&self->engine->lists, unit, units);
			break;
		case JOIN_MAKE_KEYS:
			BucketIndexMake(&self->engine->buckets, unit, units);
			break;
		case JOIN_FIND_PAIRS:
			find_pairs(self, unit, units);
			break;
	}
}

void
JoinStepEnd(JoinWorker *self)
{
	if (self->list_joiner != NULL)
		ListJoinerEnd(self->list_joiner);
	if (self->prober != NULL)
		ProberEnd(self->prober);
	self->list_joiner = NULL;
	self->prober = NULL;
}

void
JoinStepRun(JoinWorker *self, JoinStep step, uint32 units)
{
	JoinHost *host = self->records->host;

	/* The last step has one more unit than there is to share. */
	if (host->participants > 1 && !host->arena.is_short && units > 2)
	{
		host->share_step(host->context, self, step, units);
		return;
	}
	for (uint32 unit = 0; unit < units; unit++)
		JoinStepUnit(self, step, unit, units);
	JoinStepEnd(self);
}

void
JoinShareRecords(JoinRecords *records)
{
	JoinHost *host = records->host;

	records->tokens = JoinShare(host, records->tokens, records->token_count, sizeof(uint32));
	records->records = JoinShare(host, records->records, records->record_count, sizeof(JoinRecord));
	records->repeats =
		JoinShare(host, records->repeats, JoinRecordsBitmapWords(records), sizeof(uint64));
	records->class_sizes =
		JoinShare(host, records->class_sizes, records->class_count, sizeof(uint32));
	records->class_starts =
		JoinShare(host, records->class_starts, records->class_count + 1, sizeof(uint32));
	records->class_origins =
		JoinShare(host, records->class_origins, records->class_count, sizeof(int64));
	if (records->key_runs != NULL)
		records->key_runs =
			JoinShare(host, records->key_runs, records->record_count, sizeof(uint32));
	if (records->buckets != NULL)
		records->values =
			JoinShare(host, records->values, records->distinct_tokens, sizeof(uint64));
}

void
JoinAdopt(const JoinHost *host, const char *leader_base, void *pointer)
{
	char **memory = pointer;

	if (*memory != NULL)
		*memory = host->arena.base + (*memory - leader_base);
}

void
JoinAdoptRecords(JoinRecords *records, JoinHost *host, const char *leader_base)
{
	records->host = host;
	JoinAdopt(host, leader_base, &records->tokens);
	JoinAdopt(host, leader_base, &records->records);
	JoinAdopt(host, leader_base, &records->repeats);
	JoinAdopt(host, leader_base, &records->class_sizes);
	JoinAdopt(host, leader_base, &records->class_starts);
	JoinAdopt(host, leader_base, &records->class_origins);
	JoinAdopt(host, leader_base, &records->key_runs);
	JoinAdopt(host, leader_base, &records->values);
}

void
JoinAdoptEngine(JoinEngine *engine, JoinRecords *records, const char *leader_base)
{
	const JoinHost *host = records->host;
	ListIndex *lists = &engine->lists;
	BucketIndex *buckets = &engine->buckets;

	engine->records = records;
	engine->spec.records = records;
	JoinAdopt(host, leader_base, &engine->spec.classes);
	for (int side = 0; side < 2; side++)
	{
		JoinAdopt(host, leader_base, &engine->prefixes.sides[side].starts);
		JoinAdopt(host, leader_base, &engine->prefixes.sides[side].postings);
	}
	lists->spec = &engine->spec;
	JoinAdopt(host, leader_base, &lists->bounds.by_sum);
	JoinAdopt(host, leader_base, &lists->classes);
	JoinAdopt(host, leader_base, &lists->too_big);
	JoinAdopt(host, leader_base, &lists->signatures);
	JoinAdopt(host, leader_base, &lists->partition_of_cell);
	JoinAdopt(host, leader_base, &lists->partition_tokens);
	JoinAdopt(host, leader_base, &lists->partition_starts);
	JoinAdopt(host, leader_base, &lists->next_postings);
	JoinAdopt(host, leader_base, &lists->postings);
	buckets->spec = &engine->spec;
	JoinAdopt(host, leader_base, &buckets->bounds.by_sum);
	JoinAdopt(host, leader_base, &buckets->first_records);
	JoinAdopt(host, leader_base, &buckets->sizes);
	JoinAdopt(host, leader_base, &buckets->outgrown);
	JoinAdopt(host, leader_base, &buckets->keys);
	JoinAdopt(host, leader_base, &buckets->signatures);
	JoinAdopt(host, leader_base, &buckets->candidates);
}
