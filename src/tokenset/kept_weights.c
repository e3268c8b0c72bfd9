/*
 * kept_weights.c
 *		Weights of tokens that a session has fetched, kept for the next call.
 *
 * The weights of a large vocabulary are stored out of line, and a column, a sub-select or a
 * variable hands on no more than a pointer to them. To follow it takes longer than all else in a
 * lookup, and a query calls a predicate for many rows. So the weights that were fetched last are
 * kept under their pointer, until the session ends or others take their place.
 *
 * A pointer names a value of a TOAST table by a number. A value is never changed: an update writes
 * another one, under a new number from the counter of all OIDs. So equal pointers mean equal values
 * for as long as that counter takes to come round, and then it would have to stop at this very
 * number. Rewriting a table keeps numbers and values together.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "utils/memutils.h"

#include "compat.h"
#include "tokenset/kept_weights.h"

/* The values kept, at most, and their bytes; one is kept however large it is. */
#define KEPT_VALUES 4
#define KEPT_BYTES ((Size) 256 * 1024 * 1024)

typedef struct KeptWeights
{
	struct varatt_external pointer;
	MemoryContext context;
	const TokenWeights *weights;
} KeptWeights;

/* The ones used last come first. */
static KeptWeights kept[KEPT_VALUES];
static int kept_count = 0;

/*
 * Moves the weights at the first `places` places one place back, over whatever is there, and puts
 * the new weights first.
 */
static void
put_first(KeptWeights weights, int places)
{
	memmove(&kept[1], &kept[0], places * sizeof(KeptWeights));
	kept[0] = weights;
}

/* Drops the values that were not used for the longest time, until `size` more bytes may be kept. */
static void
make_room(Size size)
{
	int count = 0;

	for (; count < kept_count && count < KEPT_VALUES - 1; count++)
	{
		size += VARSIZE(kept[count].weights);
		if (size > KEPT_BYTES)
			break;
	}
	while (kept_count > count)
		MemoryContextDelete(kept[--kept_count].context);
}

/*
 * Fetches weights, and keeps them. Their context becomes the session's only when nothing can fail
 * any more.
 */
static const TokenWeights *
fetch(Datum datum, const struct varatt_external *pointer)
{
	KeptWeights weights = {.pointer = *pointer};
	MemoryContext previous;

	weights.context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup token weights", ALLOCSET_SMALL_SIZES);
	previous = MemoryContextSwitchTo(weights.context);
	weights.weights = DatumGetTokenWeights(datum);
	MemoryContextSwitchTo(previous);
	make_room(VARSIZE(weights.weights));
	MemoryContextSetParent(weights.context, TopMemoryContext);
	put_first(weights, kept_count++);
	return weights.weights;
}

const TokenWeights *
TokenWeightsOfDatum(Datum datum)
{
	struct varatt_external pointer;

	if (!VARATT_IS_EXTERNAL_ONDISK(DatumGetPointer(datum)))
		return DatumGetTokenWeights(datum);
	VARATT_EXTERNAL_GET_POINTER(pointer, DatumGetPointer(datum));
	for (int i = 0; i < kept_count; i++)
	{
		if (memcmp(&kept[i].pointer, &pointer, sizeof(pointer)) != 0)
			continue;
		if (i > 0)
			put_first(kept[i], i);
		return kept[0].weights;
	}
	return fetch(datum, &pointer);
}
