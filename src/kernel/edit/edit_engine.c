/*
 * edit_engine.c
 *		The engine of edit distance joins.
 *
 * The records are the texts' q-grams. An engine of sets, inside this one, finds the pairs that have
 * as many q-grams in common as the distance demands (section 6 of the paper); what it emits is
 * verified here by the distance itself. There are no workers, since they do not share the texts.
 */
#include "c.h"

#include "kernel/edit/edit_engine.h"
#include "kernel/edit/edit_records.h"
#include "kernel/lists/list_engine.h"
#include "kernel/ppjoin/ppjoin_engine.h"

/* The state of the one process: it receives the pairs of sets, and emits the pairs of texts. */
typedef struct Verification
{
	JoinParticipant sets;
	const JoinParticipant *texts;
	EditVerifier verifier;
} Verification;

static void
edit_build(JoinEngine *engine)
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
edit_free(JoinEngine *engine)
{
	JoinEngine *sets = engine->index;

	sets->methods->free(sets);
	JoinRelease(engine->records->host, sets->index, 1, sets->methods->index_size);
}

static uint32
edit_find_units(const JoinEngine *engine)
{
	const JoinEngine *sets = engine->index;

	return sets->methods->find_units(sets);
}

static uint64
edit_work(const JoinEngine *engine)
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
edit_begin(JoinParticipant *self)
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
edit_find(JoinParticipant *self, uint32 unit, uint32 units)
{
	Verification *state;

	if (self->state == NULL)
		edit_begin(self);
	state = self->state;
	JoinStepUnit(&state->sets, JOIN_FIND_PAIRS, unit, units);
}

static void
edit_end(JoinParticipant *self)
{
	Verification *state = self->state;

	JoinStepEnd(&state->sets);
	EditVerifierFree(&state->verifier);
	JoinRelease(self->engine->records->host, state, 1, sizeof(Verification));
}

const JoinEngineMethods edit_engine = {.index_size = sizeof(JoinEngine),
									   .emits_values = true,
									   .build = edit_build,
									   .free = edit_free,
									   .find_units = edit_find_units,
									   .work = edit_work,
									   .find = edit_find,
									   .end = edit_end};
