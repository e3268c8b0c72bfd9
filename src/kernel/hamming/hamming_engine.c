/*
 * hamming_engine.c
 *		The engine of joins of 64-bit values.
 *
 * One unit without index, since reading the values takes longest.
 */
#include "c.h"

#include "kernel/hamming/hamming_engine.h"
#include "kernel/hamming/hamming_join.h"

static void
nothing(JoinEngine *engine)
{
}

static uint32
one_unit(const JoinEngine *engine)
{
	return 1;
}

static uint64
work(const JoinEngine *engine)
{
	return 0;
}

static void
emit_pair(void *context, uint32 x, uint32 y, int distance)
{
	const JoinParticipant *self = context;
	JoinRecord x_record = {.row = x};
	JoinRecord y_record = {.row = y};

	self->emit(self->emit_context, &x_record, &y_record, (uint32) distance);
}

static void
find(JoinParticipant *self, uint32 unit, uint32 units)
{
	const JoinRecords *records = self->engine->records;
	double most = self->engine->spec.predicate.threshold;

	HammingJoin(self->engine->content, records->key_order,
				records->two_sided ? records->first_right_row : HAMMING_ONE_SIDE,
				(int) Min(most, HAMMING_BITS), emit_pair, self);
}

static void
find_equal_values(const JoinEngine *engine, uint32 unit, uint32 units, JoinEmit emit,
				  void *emit_context)
{
	const HammingValues *values = engine->content;

	for (uint32 row = 0; row < values->count; row++)
	{
		JoinRecord record = {.row = row};

		JoinTick(values->host, 1);
		emit(emit_context, &record, &record, 0);
	}
}

static Size
bytes(const MemoryEstimate *estimate)
{
	return estimate->record_count * HAMMING_BYTES_PER_VALUE;
}

const JoinEngineMethods hamming_engine = {.emits_values = true,
										  .bytes = bytes,
										  .build = nothing,
										  .free = nothing,
										  .find_units = one_unit,
										  .work = work,
										  .find = find,
										  .find_identities = find_equal_values};
