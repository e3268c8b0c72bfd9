/*
 * edit_engine.c
 *		The engine of edit distance joins.
 *
 * An engine of sets finds pairs by common q-grams, whose distance is then computed.
 */
#include "c.h"

#include "kernel/edit/edit_engine.h"
#include "kernel/edit/edit_records.h"
#include "kernel/lists/list_engine.h"
#include "kernel/ppjoin/ppjoin_engine.h"

typedef struct Verification
{
	JoinParticipant sets;
	const JoinParticipant *texts;
	EditVerifier verifier;
} Verification;

static void
build(JoinEngine *engine)
{
	JoinEngine *sets = engine->index;
	bool by_record = ListEngineIsSlower(&engine->spec);

	*sets = *engine;
	sets->spec.algorithm = by_record ? JOIN_PPJOIN : JOIN_AUTO;
	sets->methods = by_record ? &ppjoin_engine : &list_engine;
	sets->index = JoinAllocateZero(engine->records->host, 1, sets->methods->index_size);
	sets->methods->build(sets);
	engine->posting_count = sets->posting_count;
}

static void
free_index(JoinEngine *engine)
{
	JoinEngine *sets = engine->index;

	sets->methods->free(sets);
	JoinRelease(engine->records->host, sets->index, 1, sets->methods->index_size);
}

static uint32
find_units(const JoinEngine *engine)
{
	const JoinEngine *sets = engine->index;

	return sets->methods->find_units(sets);
}

static uint64
work(const JoinEngine *engine)
{
	const JoinEngine *sets = engine->index;

	return sets->methods->work(sets);
}

static void
verify_pair(void *context, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	Verification *state = context;
	uint32 distance = EditVerifierDistance(&state->verifier, x, y);

	if (distance <= state->verifier.max_distance)
		state->texts->emit(state->texts->emit_context, x, y, distance);
}

static void
begin(JoinParticipant *self)
{
	const JoinEngine *engine = self->engine;
	Verification *state = JoinAllocateZero(engine->records->host, 1, sizeof(Verification));

	state->sets = (JoinParticipant){.engine = engine->index,
									.emit = verify_pair,
									.emit_context = state,
									.counters = self->counters};
	state->texts = self;
	EditVerifierInit(&state->verifier, engine->content, (uint32) engine->spec.predicate.threshold);
	self->state = state;
}

static void
find(JoinParticipant *self, uint32 unit, uint32 units)
{
	Verification *state;

	if (self->state == NULL)
		begin(self);
	state = self->state;
	JoinStepUnit(&state->sets, JOIN_FIND_PAIRS, unit, units);
}

static void
end(JoinParticipant *self)
{
	Verification *state = self->state;

	JoinStepEnd(&state->sets);
	EditVerifierFree(&state->verifier);
	JoinRelease(self->engine->records->host, state, 1, sizeof(Verification));
}

const JoinEngineMethods edit_engine = {.index_size = sizeof(JoinEngine),
									   .emits_values = true,
									   .build = build,
									   .free = free_index,
									   .find_units = find_units,
									   .work = work,
									   .find = find,
									   .end = end};
