/*
 * engine.c
 *		The steps of a join, and what engines have in common.
 */
#include "c.h"

#include "kernel/engine.h"
#include "kernel/filters/verify.h"
#include "kernel/records/canonical.h"
#include "kernel/records/record_order.h"
#include "kernel/records/record_weights.h"

/* Records of a unit in a single process. They are few, since equal records may have many pairs. */
#define RECORDS_PER_UNIT 1024

/*
 * Units if there are pairs without a common token. They are few, since each reads all small
 * records.
 */
#define UNITS_WITH_SMALL 16

/* More than any sum of weights. */
#define NO_SLACK 0x1p62

uint32
JoinStepUnits(const JoinHost *host, uint64 count)
{
	uint64 most = (uint64) host->participants * JOIN_UNITS_PER_PARTICIPANT;

	if (host->participants <= 1)
		return 1;
	return Max(Min(most, count / host->least_unit), 1);
}

uint32
JoinRecordUnits(const JoinEngine *engine, uint64 weight)
{
	const JoinRecords *records = engine->records;
	uint32 units;

	if (records->host->participants > 1)
		return Min(JoinStepUnits(records->host, weight), Max(records->record_count, 1));
	units = records->record_count / RECORDS_PER_UNIT + 1;
	return engine->spec.no_overlap_end > 0 ? Min(units, UNITS_WITH_SMALL) : units;
}

void
JoinStepUnit(JoinParticipant *self, int step, uint32 unit, uint32 units)
{
	const JoinEngineMethods *methods = self->engine->methods;

	if (step <= JOIN_ORDER_RECORDS)
		JoinRecordsOrder(self->engine->records, (RecordOrderStep) (JOIN_ORDER_RECORDS - step), unit,
						 units);
	else if (step == JOIN_FIND_PAIRS)
		methods->find(self, unit, units);
	else
		methods->build_unit(self->engine, step, unit, units);
}

void
JoinStepEnd(JoinParticipant *self)
{
	if (self->state != NULL)
		self->engine->methods->end(self);
	self->state = NULL;
}

void
JoinStepRun(JoinParticipant *self, int step, uint32 units)
{
	JoinHost *host = self->engine->records->host;

	/* Even the smallest join has two units when the list engine finds pairs: lists and records. */
	if (host->participants > 1 && !host->arena.is_short && units > 2)
	{
		host->share_step(host->share_context, self, step, units);
		return;
	}
	for (uint32 unit = 0; unit < units; unit++)
		JoinStepUnit(self, step, unit, units);
	JoinStepEnd(self);
}

void
JoinCanonicalize(JoinRecords *records)
{
	JoinEngine engine = {.records = records};
	JoinParticipant self = {.engine = &engine};
	uint32 units;

	JoinRecordsGroup(records);
	units = JoinStepUnits(records->host, records->token_count);
	JoinRecordsOrderBegin(records, units);
	JoinStepRun(&self, JOIN_ORDER_RECORDS - ORDER_SORT, units);
	if (units > 1)
	{
		JoinStepRun(&self, JOIN_ORDER_RECORDS - ORDER_COLLECT, units);
		JoinStepRun(&self, JOIN_ORDER_RECORDS - ORDER_PUT_BACK, units);
	}
	JoinRecordsOrderEnd(records);
	JoinRecordsFreeRanks(records);
	if (records->weighing.is_weighted)
		JoinRecordsOrderByWeight(records);
}

uint32
JoinEngineBeginFind(const JoinEngine *engine)
{
	JoinHost *host = engine->records->host;

	host->done = 0;
	host->total = engine->methods->work(engine);
	return engine->methods->find_units(engine);
}

void
JoinEngineFindUnit(JoinParticipant *self, uint32 unit, uint32 units)
{
	JoinStepUnit(self, JOIN_FIND_PAIRS, unit, units);
	if (unit + 1 == units)
		JoinStepEnd(self);
}

void
JoinEngineFind(JoinEngine *engine, JoinEmit emit, void *emit_context, JoinCounters *counters)
{
	JoinParticipant self = {
		.engine = engine, .emit = emit, .emit_context = emit_context, .counters = counters};

	JoinStepRun(&self, JOIN_FIND_PAIRS, JoinEngineBeginFind(engine));
}

bool
JoinIsSimilarWhole(const JoinRecords *records, Predicate predicate, const JoinRecord *x,
				   const JoinRecord *y, uint64 *overlap)
{
	TokenTerms terms = {records->weights, records->weighing.squares};
	int64 common =
		WeightedOverlap(records->host, terms, JoinRecordTokens(records, x),
						x->size + records->tails[x->size_class].size, JoinRecordTokens(records, y),
						y->size + records->tails[y->size_class].size, NO_SLACK, NO_SLACK);

	*overlap = (uint64) common;
	return PredicateHolds(predicate, common, JoinRecordMeasuredWhole(records, x),
						  JoinRecordMeasuredWhole(records, y));
}

/* Emits each record of the unit with itself where the predicate holds. */
static void
find_equal_records(const JoinEngine *engine, uint32 unit, uint32 units, JoinEmit emit,
				   void *emit_context)
{
	const JoinRecords *records = engine->records;
	uint32 end = JoinUnitStart(records->record_count, unit + 1, units);

	for (uint32 i = JoinUnitStart(records->record_count, unit, units); i < end; i++)
	{
		const JoinRecord *record = &records->records[i];

		JoinTick(records->host, 1);
		if (PredicateHolds(engine->spec.predicate, record->size, record->size, record->size))
			emit(emit_context, record, record, record->size);
	}
}

void
JoinEngineFindIdentities(const JoinEngine *engine, uint32 unit, uint32 units, JoinEmit emit,
						 void *emit_context)
{
	if (engine->methods->find_identities != NULL)
		engine->methods->find_identities(engine, unit, units, emit, emit_context);
	else
		find_equal_records(engine, unit, units, emit, emit_context);
}

void
JoinEngineFree(JoinEngine *engine)
{
	JoinHost *host = engine->records->host;

	engine->methods->free(engine);
	JoinRelease(host, engine->index, 1, engine->methods->index_size);
	JoinSpecFree(&engine->spec);
}
