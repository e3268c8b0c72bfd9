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

	HammingJoin(records->content_of_engine, records->key_order,
				records->two_sided ? records->first_right_row : HAMMING_ONE_SIDE,
				(int) Min(most, HAMMING_BITS), emit_pair, self);
}

static Size
bytes(const MemoryEstimate *estimate)
{
	return estimate->record_count * HAMMING_BYTES_PER_VALUE;
}

const JoinEngineMethods hamming_engine = {.bytes = bytes,
										  .build = nothing,
										  .free = nothing,
										  .find_units = one_unit,
										  .work = work,
										  .find = find};
