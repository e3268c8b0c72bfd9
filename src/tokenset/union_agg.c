/*
 * union_agg.c
 *		The aggregate tokenset_union_agg.
 *
 * The state's type is tokenset itself, so that partial states travel between
 * workers and nodes as ordinary values. Uniting a growing state with row
 * after row would copy it each time, a cost quadratic in the number of rows.
 * Beyond a few kilobytes the state is therefore an expanded object: a buffer
 *
 *		| sorted, distinct ............ | appended, in any order ... |  free  |
 *		0                             sorted                       count  capacity
 *
 * to which rows are appended. When it is full, the appended part is sorted,
 * stripped of what the sorted part has, and merged into it; the buffer then
 * grows if less than half of it is free. Every token so takes part in a
 * number of merges logarithmic in the size of the result.
 *
 * Flattening merges first. That changes the layout and not the value, hence
 * is permitted through a read-only pointer, and later rows may be appended
 * to an object that was read before (window functions do so). What changes
 * the value, appending, happens only inside an aggregate and only through a
 * read-write pointer to an object of this file.
 *
 * Small states stay flat: an object has a memory context of its own, which
 * would be a poor bargain for each of many small groups.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/expandeddatum.h"

#include "compat.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_union_agg_transition);

/* Tokens from which on a state is expanded. */
#define EXPAND_TOKENS 1024

typedef struct UnionState
{
	ExpandedObjectHeader header;
	Token *tokens;
	Size sorted;
	Size count;
	Size capacity;
} UnionState;

/* Drops from the sorted tokens those that are among the sorted `known`; returns how many remain. */
static Size
drop_known(Token *tokens, Size count, const Token *known, Size known_count)
{
	const Token *known_end = known + known_count;
	Size kept = 0;

	for (Size i = 0; i < count; i++)
	{
		Token token = tokens[i];

		known = TokensSeek(known, known_end, token);
		if (known == known_end || *known != token)
			tokens[kept++] = token;
		CHECK_FOR_INTERRUPTS();
	}
	return kept;
}

/* Merges the sorted `added`, none of them known, into the sorted front, from behind. */
static void
merge_into_front(Token *tokens, Size front, const Token *added, Size count)
{
	Size to = front + count;

	while (count > 0)
	{
		if (front > 0 && tokens[front - 1] > added[count - 1])
			tokens[--to] = tokens[--front];
		else
			tokens[--to] = added[--count];
		CHECK_FOR_INTERRUPTS();
	}
}

/*
 * Afterwards the whole buffer is sorted and distinct. Flattening comes here in any memory context,
 * also in one that frees nothing.
 */
static void
compact(UnionState *state)
{
	Token *appended = state->tokens + state->sorted;
	Size count = state->count - state->sorted;
	Token *copy;

	if (count == 0)
		return;
	TokensSort(appended, count);
	count = TokensUnique(appended, count);
	count = drop_known(appended, count, state->tokens, state->sorted);

	TokensetCheckCount(state->sorted + count);
	copy = MemoryContextAllocHuge(state->header.eoh_context, Max(count, 1) * sizeof(Token));
	memcpy(copy, appended, count * sizeof(Token));
	merge_into_front(state->tokens, state->sorted, copy, count);
	pfree(copy);
	state->sorted += count;
	state->count = state->sorted;
}

static void
append(UnionState *state, const Tokenset *set)
{
	Size count = TokensetCount(set);

	if (count > state->capacity - state->count)
	{
		compact(state);
		if (state->count + count > state->capacity / 2)
		{
			Size capacity = 2 * (state->count + count);

			state->tokens = repalloc_huge(state->tokens, capacity * sizeof(Token));
			state->capacity = capacity;
		}
	}
	memcpy(state->tokens + state->count, set->tokens, count * sizeof(Token));
	state->count += count;
}

static Size
get_flat_size(ExpandedObjectHeader *header)
{
	UnionState *state = (UnionState *) header;

	compact(state);
	return TOKENSET_HEADER_SIZE + state->sorted * sizeof(Token);
}

static void
flatten_into(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	UnionState *state = (UnionState *) header;
	Tokenset *set = result;

	Assert(state->count == state->sorted);
	Assert(allocated_size == TOKENSET_HEADER_SIZE + state->sorted * sizeof(Token));
	memset(set, 0, TOKENSET_HEADER_SIZE);
	SET_VARSIZE(set, allocated_size);
	set->version = TOKENSET_VERSION;
	memcpy(set->tokens, state->tokens, state->sorted * sizeof(Token));
}

static const ExpandedObjectMethods union_methods = {get_flat_size, flatten_into};

static UnionState *
expand(const Tokenset *set, MemoryContext parent)
{
	MemoryContext context =
		AllocSetContextCreate(parent, "tokenset union", ALLOCSET_START_SMALL_SIZES);
	UnionState *state = MemoryContextAlloc(context, sizeof(UnionState));
	Size count = TokensetCount(set);

	EOH_init_header(&state->header, &union_methods, context);
	state->capacity = 2 * count;
	state->tokens = MemoryContextAllocHuge(context, state->capacity * sizeof(Token));
	memcpy(state->tokens, set->tokens, count * sizeof(Token));
	state->sorted = count;
	state->count = count;
	return state;
}

/* The object behind the datum if it is one of ours that may be changed, else NULL. */
static UnionState *
writable_state(Datum value)
{
	ExpandedObjectHeader *header;

	if (!DatumIsReadWriteExpandedObject(value, false, -1))
		return NULL;
	header = DatumGetEOHP(value);
	return header->eoh_methods == &union_methods ? (UnionState *) header : NULL;
}

/*
 * Also the combine function: a partial state is a set like any other. Called
 * by itself it is the union of two sets.
 */
Datum
tokenset_union_agg_transition(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(1);
	MemoryContext aggregate;
	UnionState *state;
	Tokenset *flat;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		PG_RETURN_TOKENSET(TokensetUnion(PG_GETARG_TOKENSET(0), set));

	state = writable_state(PG_GETARG_DATUM(0));
	if (state == NULL)
	{
		flat = PG_GETARG_TOKENSET(0);
		if (TokensetCount(flat) + TokensetCount(set) < EXPAND_TOKENS)
			PG_RETURN_TOKENSET(TokensetUnion(flat, set));
		state = expand(flat, aggregate);
	}
	append(state, set);
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}
