/*
 * hamming_engine.c
 *		The engine of joins of 64-bit values by Hamming distance.
 *
 * It has neither index nor workers: the whole join is one unit, since reading the rows takes longer
 * than joining them.
 */
#include "c.h"

#include "kernel/hamming/hamming_engine.h"
#include "kernel/hamming/hamming_join.h"

static void
hamming_no_index(JoinEngine *engine)
{
}

static uint32
hamming_find_units(const JoinEngine *engine)
{
	return 1;
}

static uint64
hamming_work(const JoinEngine *engine)
{
	return 0;
}

static void
hamming_emit_pair(void *context, uint32 x, uint32 y, int distance)
{
	const JoinParticipant *self = context;
	JoinRecord x_record = {.row = x};
	JoinRecord y_record = {.row = y};

	self->emit(self->emit_context, &x_record, &y_record, (uint32) distance);
}

static void
hamming_find(JoinParticipant *self, uint32 unit, uint32 units)
{
	const JoinRecords *records = self->engine->records;
	double most = self->engine->spec.predicate.threshold;

	HammingJoin(self->engine->content, records->key_order,
				records->two_sided ? records->first_right_row : HAMMING_ONE_SIDE,
				(int) Min(most, HAMMING_BITS), hamming_emit_pair, self);
}

/* Emits each row with itself, which every distance allows. */
static void
hamming_find_identities(const JoinEngine *engine, uint32 unit, uint32 units, JoinEmit emit,
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
hamming_bytes(const MemoryEstimate *estimate)
{
	return estimate->record_count * HAMMING_BYTES_PER_VALUE;
}

const JoinEngineMethods hamming_engine = {.emits_values = true,
										  .bytes = hamming_bytes,
										  .build = hamming_no_index,
										  .free = hamming_no_index,
										  .find_units = hamming_find_units,
										  .work = hamming_work,
										  .find = hamming_find,
										  .find_identities = hamming_find_identities};
