/*
 * token_counts.c
 *		Expanded token counts: the state of the aggregates over rows of token sets.
 *
 * The state is a bytea. While it is small it stays flat (flat_counts.c), since a memory context for
 * each of many small groups costs too much. A larger one becomes an expanded object, a hash table
 * from tokens to counts that rows are added to in place; flattened, it is the bytea that workers
 * exchange. Flattening leaves the table as it is: a window function reads the state after each row
 * and goes on adding.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/expandeddatum.h"

#include "compat.h"
#include "text/occurrences.h"
#include "tokenset/flat_counts.h"
#include "tokenset/token_counts.h"

#define SH_PREFIX counts
#define SH_ELEMENT_TYPE TokenCount
#define SH_KEY token
#include "sketch/token_table.h"

#define ST_SORT sort_counts
#define ST_ELEMENT_TYPE TokenCount
#define ST_COMPARE(a, b) ((a)->token < (b)->token ? -1 : (a)->token > (b)->token)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* The number of tokens from which a state is expanded. */
#define EXPAND_TOKENS 512

/* The expanded object, in a memory context of its own. */
struct TokenCounts
{
	ExpandedObjectHeader header;
	double fraction;
	int64 rows;
	counts_hash *table;
};

static Size
counts_flat_size(ExpandedObjectHeader *header)
{
	return FlatCountsSize(((TokenCounts *) header)->table->members);
}

/*
 * Writes the flat form, for which entries are sorted by token. That takes memory of the object's
 * context: the caller's may be one that is never reset.
 */
static void
counts_flatten(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	TokenCounts *counts = (TokenCounts *) header;
	uint32 count = counts->table->members;
	TokenCount *sorted =
		MemoryContextAllocHuge(header->eoh_context, Max(count, 1) * sizeof(TokenCount));
	char *to = FlatCountsWriteHeader(result, counts->fraction, counts->rows);
	counts_iterator iterator;
	TokenCount *entry;
	uint32 i = 0;

	Assert(allocated_size == FlatCountsSize(count));
	counts_start_iterate(counts->table, &iterator);
	while ((entry = counts_iterate(counts->table, &iterator)) != NULL)
	{
		sorted[i++] = *entry;
		CHECK_FOR_INTERRUPTS();
	}
	sort_counts(sorted, count);
	for (i = 0; i < count; i++)
	{
		to = FlatCountsWrite(to, sorted[i].token, sorted[i].count);
		CHECK_FOR_INTERRUPTS();
	}
	pfree(sorted);
	SET_VARSIZE(result, allocated_size);
}

static const ExpandedObjectMethods counts_methods = {counts_flat_size, counts_flatten};

static void
counts_add(TokenCounts *counts, Token token, int64 count)
{
	bool found;
	TokenCount *entry = counts_insert(counts->table, token, &found);

	entry->count = found ? entry->count + count : count;
}

static void
counts_add_flat(TokenCounts *counts, const FlatCounts *flat)
{
	for (Size i = 0; i < flat->count; i++)
	{
		TokenCount entry = FlatCountsRead(flat, i);

		counts_add(counts, entry.token, entry.count);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Returns a flat form as an expanded object, in a new context below `parent`. Checks it first. */
static TokenCounts *
expand_counts(bytea *bytes, MemoryContext parent)
{
	FlatCounts flat = FlatCountsCheck(bytes);
	MemoryContext context =
		AllocSetContextCreate(parent, "token counts", ALLOCSET_START_SMALL_SIZES);
	TokenCounts *counts = MemoryContextAlloc(context, sizeof(TokenCounts));

	EOH_init_header(&counts->header, &counts_methods, context);
	counts->fraction = flat.fraction;
	counts->rows = flat.rows;
	counts->table = counts_create(context, Max(flat.count, 16), NULL);
	counts_add_flat(counts, &flat);
	return counts;
}

/*
 * Returns the object that a datum points to; NULL if it is flat, another kind of object, or, with
 * `writable`, only to be read.
 */
static TokenCounts *
counts_of_datum(Datum value, bool writable)
{
	struct varlena *pointer = (struct varlena *) DatumGetPointer(value);
	ExpandedObjectHeader *header;

	if (!VARATT_IS_EXTERNAL_EXPANDED(pointer) ||
		(writable && !VARATT_IS_EXTERNAL_EXPANDED_RW(pointer)))
		return NULL;
	header = DatumGetEOHP(value);
	return header->eoh_methods == &counts_methods ? (TokenCounts *) header : NULL;
}

static Datum
datum_of_counts(TokenCounts *counts)
{
	return EOHPGetRWDatum(&counts->header);
}

/* Counts a row. Raises invalid_parameter_value for another fraction than the first row's. */
static void
counts_add_row(TokenCounts *counts, const Tokenset *set, double fraction)
{
	int32 count = TokensetCount(set);

	CountsCheckSameFraction(counts->fraction, fraction);
	counts->rows = CountsAddRows(counts->rows, 1);
	for (int32 i = 0; i < count; i++)
	{
		counts_add(counts, set->tokens[i], 1);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Adds a flat state. Errors are those of FlatCountsMerge. */
static void
add_counts(TokenCounts *counts, bytea *added)
{
	FlatCounts flat = FlatCountsCheck(added);

	CountsCheckSameFraction(counts->fraction, flat.fraction);
	counts->rows = CountsAddRows(counts->rows, flat.rows);
	counts_add_flat(counts, &flat);
}

/*
 * Decides by the first occurrence of each token, and takes the others with it. The entry of a
 * further occurrence that is common by itself adds only itself, once more.
 */
Tokenset *
TokenCountsCommon(TokenCounts *counts)
{
	TokenList common;
	counts_iterator iterator;
	TokenCount *entry;

	TokenListInit(&common, 0);
	counts_start_iterate(counts->table, &iterator);
	while ((entry = counts_iterate(counts->table, &iterator)) != NULL)
	{
		Token token = entry->token;

		CHECK_FOR_INTERRUPTS();
		if (!((double) entry->count / (double) counts->rows > counts->fraction))
			continue;

		/*
		 * All occurrences of a common token are common, even those that few rows have: what is
		 * taken away must not leave the second "the". A row that has the third occurrence has the
		 * second, so the numbers have no gap.
		 */
		for (int64 occurrence = 1;; occurrence++)
		{
			Token numbered = TokenOfOccurrence(token, occurrence);

			if (counts_lookup(counts->table, numbered) == NULL)
				break;
			TokenListAppend(&common, numbered);
			CHECK_FOR_INTERRUPTS();
		}
	}
	return TokensetFromList(&common, false);
}

/*
 * Returns the object to which this call adds up to `added` tokens; NULL if the state stays flat, or
 * the call is not within an aggregate.
 */
static TokenCounts *
counts_to_change(FunctionCallInfo fcinfo, Size added)
{
	MemoryContext aggregate;
	TokenCounts *counts;
	bytea *flat;

	if (!AggCheckCallContext(fcinfo, &aggregate))
		return NULL;
	counts = counts_of_datum(PG_GETARG_DATUM(0), true);
	if (counts != NULL)
		return counts;
	flat = PG_GETARG_BYTEA_P(0);
	return FlatCountsMostTokens(flat) + added < EXPAND_TOKENS ? NULL
															  : expand_counts(flat, aggregate);
}

Datum
TokenCountsTransition(FunctionCallInfo fcinfo, double fraction)
{
	TokenCounts *counts;
	Tokenset *set;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	set = PG_GETARG_TOKENSET(1);
	if (PG_ARGISNULL(0))
		PG_RETURN_BYTEA_P(FlatCountsOfRow(set, fraction));

	counts = counts_to_change(fcinfo, TokensetCount(set));
	if (counts != NULL)
	{
		counts_add_row(counts, set, fraction);
		PG_RETURN_DATUM(datum_of_counts(counts));
	}
	PG_RETURN_BYTEA_P(FlatCountsMerge(PG_GETARG_BYTEA_P(0), FlatCountsOfRow(set, fraction)));
}

Datum
TokenCountsCombine(FunctionCallInfo fcinfo)
{
	bytea *added = PG_GETARG_BYTEA_P(1);
	TokenCounts *counts = counts_to_change(fcinfo, FlatCountsMostTokens(added));

	if (counts != NULL)
	{
		add_counts(counts, added);
		PG_RETURN_DATUM(datum_of_counts(counts));
	}
	PG_RETURN_BYTEA_P(FlatCountsMerge(PG_GETARG_BYTEA_P(0), added));
}

/* Leaves the state as it is, since a window function goes on adding to it. */
TokenCounts *
TokenCountsOfState(Datum state)
{
	TokenCounts *counts = counts_of_datum(state, false);

	if (counts == NULL)
		counts = expand_counts(DatumGetByteaP(state), CurrentMemoryContext);
	return counts;
}

int64
TokenCountsRows(const TokenCounts *counts)
{
	return counts->rows;
}

TokenCount *
TokenCountsSorted(const TokenCounts *counts, int64 least, Size *count)
{
	TokenCount *sorted =
		palloc_extended(Max(counts->table->members, 1) * sizeof(TokenCount), MCXT_ALLOC_HUGE);
	counts_iterator iterator;
	TokenCount *entry;

	*count = 0;
	counts_start_iterate(counts->table, &iterator);
	while ((entry = counts_iterate(counts->table, &iterator)) != NULL)
	{
		if (entry->count >= least)
			sorted[(*count)++] = *entry;
		CHECK_FOR_INTERRUPTS();
	}
	sort_counts(sorted, *count);
	return sorted;
}
