/*
 * union_agg.c
 *		The aggregate tokenset_union_agg.
 *
 * The state is a tokenset, so that partial states travel between workers and nodes as ordinary
 * values. Making a new set for every row would have quadratic cost, so a large state is an expanded
 * object with a buffer:
 *
 *		| sorted, distinct ............ | appended, in any order ... |  free  |
 *		0                             sorted                       count  capacity
 *
 * The tokens of a row are appended as they are. When the buffer is full, the appended tokens are
 * sorted and merged into the sorted ones, and the buffer grows, unless half of it is free
 * afterwards. So a token takes part in a logarithmic number of merges.
 *
 * Small states stay flat, since a memory context for each of many small groups costs too much.
 * Flattening merges, which changes the buffer but not the set, so that a window function may go on
 * appending. Rows are appended only through a read-write pointer, and within an aggregate.
 */
#include "postgres.h"

#include "utils/expandeddatum.h"

#include "compat.h"
#include "text/token_sort.h"
#include "tokenset/algebra.h"

PG_FUNCTION_INFO_V1(tokenset_union_agg_transition);

/* The number of tokens from which a state is expanded. */
#define EXPAND_TOKENS 1024

typedef struct UnionState
{
	ExpandedObjectHeader header;
	Token *tokens;
	Size sorted;
	Size count;
	Size capacity;
} UnionState;

/*
 * Merges sorted tokens into the sorted front of an array, behind which there is room, from the end
 * on.
 */
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
	}
}

/*
 * Merges the appended tokens into the sorted ones. Raises program_limit_exceeded if they are too
 * many. Memory is taken from the object's context: the caller's may be one that cannot free, as
 * tuplesort's.
 */
static void
union_compact(UnionState *state)
{
	Token *appended = state->tokens + state->sorted;
	Size count = state->count - state->sorted;
	MemoryContext previous;
	Token *copy;

	if (count == 0)
		return;
	previous = MemoryContextSwitchTo(state->header.eoh_context);
	TokensSort(appended, count);
	count = TokensUnique(appended, count);
	count = TokensSelect(appended, count, state->tokens, state->sorted, false, appended);

	TokensetCheckCount(state->sorted + count);
	copy = MemoryContextAllocHuge(CurrentMemoryContext, Max(count, 1) * sizeof(Token));
	memcpy(copy, appended, count * sizeof(Token));
	merge_into_front(state->tokens, state->sorted, copy, count);
	pfree(copy);
	MemoryContextSwitchTo(previous);
	state->sorted += count;
	state->count = state->sorted;
}

/* Appends the tokens of a set. */
static void
union_append(UnionState *state, const Tokenset *set)
{
	Size count = TokensetCount(set);

	if (count > state->capacity - state->count)
	{
		union_compact(state);
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
union_flat_size(ExpandedObjectHeader *header)
{
	UnionState *state = (UnionState *) header;

	union_compact(state);
	return TOKENSET_HEADER_SIZE + state->sorted * sizeof(Token);
}

static void
union_flatten(ExpandedObjectHeader *header, void *result, Size allocated_size)
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

static const ExpandedObjectMethods union_methods = {union_flat_size, union_flatten};

/* Returns a set as an expanded object, in a new context below `parent`. */
static UnionState *
union_expand(const Tokenset *set, MemoryContext parent)
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

/* Returns the object that a read-write pointer leads to; NULL for any other datum. */
static UnionState *
union_writable_state(Datum value)
{
	ExpandedObjectHeader *header;

	if (!DatumIsReadWriteExpandedObject(value, false, -1))
		return NULL;
	header = DatumGetEOHP(value);
	return header->eoh_methods == &union_methods ? (UnionState *) header : NULL;
}

/* Is the combine function, too. Outside an aggregate it returns the union of two sets. */
Datum
tokenset_union_agg_transition(PG_FUNCTION_ARGS)
{
	Tokenset *set = PG_GETARG_TOKENSET(1);
	MemoryContext aggregate;
	UnionState *state;
	Tokenset *flat;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		PG_RETURN_TOKENSET(TokensetUnion(PG_GETARG_TOKENSET(0), set));

	state = union_writable_state(PG_GETARG_DATUM(0));
	if (state == NULL)
	{
		flat = PG_GETARG_TOKENSET(0);
		if (TokensetCount(flat) + TokensetCount(set) < EXPAND_TOKENS)
			PG_RETURN_TOKENSET(TokensetUnion(flat, set));
		state = union_expand(flat, aggregate);
	}
	union_append(state, set);
	PG_RETURN_DATUM(EOHPGetRWDatum(&state->header));
}
