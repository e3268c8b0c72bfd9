/*
 * token_counts.c
 *		Expanded token counts: the state of the aggregates over rows of token sets.
 *
 * The state is a bytea. While it is small it stays flat (flat_counts.c), since a memory context for
 * each of many small groups costs too much. A larger one becomes an expanded object, a hash table
 * from tokens to counts that rows are added to in place; flattened, it is the bytea that workers
 * exchange. A window function reads the state after each row and goes on adding, so reading changes
 * no counts.
 *
 * When the table has half of the memory that PostgreSQL gives to one, its counts move to a sort, which
 * has the other half and then writes files (kernel/number_sort.h). A token may have several counts
 * there, which are added up while they are read. To read a table that has never been full, its counts
 * are copied to the sort.
 *
 * Files belong to the resource owner of the query. It closes them where the query fails, perhaps
 * long before the memory context ends: a cursor that failed in a subtransaction stays until it is
 * closed. The memory context may end first, too, as that of a group does. So each of them learns of
 * the other's end.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/expandeddatum.h"
#include "utils/resowner.h"

#include "allocate.h"
#include "bisect.h"
#include "compat.h"
#include "counts/token_counts.h"
#include "kernel/number_sort.h"
#include "memory/palloc_host.h"
#include "text/occurrences.h"

/* The number of tokens from which a state is expanded. */
#define EXPAND_TOKENS 512

#define SH_PREFIX counts
#define SH_ELEMENT_TYPE TokenCount
#define SH_KEY token
#include "sketch/token_table.h"

/* The expanded object, in a memory context of its own. */
struct TokenCounts
{
	ExpandedObjectHeader header;
	double fraction;
	int64 rows;

	counts_hash *table;
	uint32 most_in_table; /* tokens */

	JoinHost host;
	NumberSort sort;
	bool has_moved; /* counts from the table to the sort */
	Size distinct;	/* tokens of the sort; 0 if they were not counted since the last change */
	bool has_next;
	KeyedItem next; /* what is read next from the sort */

	ResourceOwner owner; /* of the files; NULL if there was none */
	MemoryContextCallback at_end;
};

/* Tokens are signed, keys are not. */
static inline uint64
key_of_counted(Token token)
{
	return (uint64) token ^ (uint64) 1 << 63;
}

/* Forgets the files, which their resource owner is about to close. */
static void
forget_files(ResourceReleasePhase phase, bool is_commit, bool is_top_level, void *argument)
{
	TokenCounts *counts = argument;

	if (phase == RESOURCE_RELEASE_BEFORE_LOCKS && CurrentResourceOwner == counts->owner)
		NumberSortInit(&counts->sort, &counts->host, 0);
}

/* Closes the files at the end of the memory context. A transaction that fails closes them itself. */
static void
close_files(void *argument)
{
	TokenCounts *counts = argument;

	UnregisterResourceReleaseCallback(forget_files, counts);
	if (IsTransactionState())
		NumberSortFree(&counts->sort);
}

/* Creates a file of the sort. */
static void *
create_counts_file(void *context)
{
	TokenCounts *counts = context;
	JoinFiles files = TemporaryFiles(counts->header.eoh_context);

	if (counts->owner == NULL)
	{
		counts->owner = CurrentResourceOwner;
		RegisterResourceReleaseCallback(forget_files, counts);
		counts->at_end = (MemoryContextCallback){.func = close_files, .arg = counts};
		MemoryContextRegisterResetCallback(files.context, &counts->at_end);
	}
	Assert(counts->owner == CurrentResourceOwner);
	return files.create(files.context);
}

/* Puts the counts of the table that are at least `least` into the sort. */
static void
sort_table(TokenCounts *counts, int64 least)
{
	counts_iterator iterator;
	const TokenCount *entry;

	counts_start_iterate(counts->table, &iterator);
	while ((entry = counts_iterate(counts->table, &iterator)) != NULL)
	{
		if (entry->count >= least)
			NumberSortPut(&counts->sort, key_of_counted(entry->token), (uint64) entry->count);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Moves all counts of the table to the sort. */
static void
move_table(TokenCounts *counts)
{
	sort_table(counts, 1);
	counts_reset(counts->table);
	counts->has_moved = true;
}

/* Begins to read the tokens that at least `least` rows have, and perhaps others, ascending. */
static void
counts_begin_reading(TokenCounts *counts, int64 least)
{
	if (!counts->has_moved)
		sort_table(counts, least);
	else if (counts->table->members > 0)
		move_table(counts);
	NumberSortPerform(&counts->sort);
	counts->has_next = NumberSortNext(&counts->sort, &counts->next);
}

/* Sets *entry to the next token with its count. After the last one, returns false and ends reading. */
static bool
counts_read_next(TokenCounts *counts, TokenCount *entry)
{
	uint64 key = counts->next.key;

	if (!counts->has_next)
	{
		if (!counts->has_moved)
			NumberSortFree(&counts->sort);
		return false;
	}
	*entry = (TokenCount){.token = (Token) key_of_counted((Token) key)};
	do
	{
		entry->count += (int64) counts->next.item;
		counts->has_next = NumberSortNext(&counts->sort, &counts->next);
	} while (counts->has_next && counts->next.key == key);
	CHECK_FOR_INTERRUPTS();
	return true;
}

static Size
counts_flat_size(ExpandedObjectHeader *header)
{
	TokenCounts *counts = (TokenCounts *) header;
	TokenCount entry;

	if (counts->has_moved && counts->distinct == 0)
	{
		counts_begin_reading(counts, 1);
		while (counts_read_next(counts, &entry))
			counts->distinct++;
	}
	return FlatCountsSize(counts->has_moved ? counts->distinct : counts->table->members);
}

static void
counts_flatten(ExpandedObjectHeader *header, void *result, Size allocated_size)
{
	TokenCounts *counts = (TokenCounts *) header;
	char *to = FlatCountsWriteHeader(result, counts->fraction, counts->rows);
	TokenCount entry;

	counts_begin_reading(counts, 1);
	while (counts_read_next(counts, &entry))
		to = FlatCountsWrite(to, entry.token, entry.count);
	Assert(to == (char *) result + allocated_size);
	SET_VARSIZE(result, allocated_size);
}

static const ExpandedObjectMethods counts_methods = {counts_flat_size, counts_flatten};

static void
counts_add(TokenCounts *counts, Token token, int64 count)
{
	bool found;
	TokenCount *entry;

	if (counts->table->members >= counts->most_in_table)
		move_table(counts);
	entry = counts_insert(counts->table, token, &found);
	entry->count = found ? entry->count + count : count;
	counts->distinct = 0;
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
	TokenCounts *counts = MemoryContextAllocZero(context, sizeof(TokenCounts));
	Size memory = get_hash_memory_limit() / 2;

	EOH_init_header(&counts->header, &counts_methods, context);
	counts->fraction = flat.fraction;
	counts->rows = flat.rows;
	counts->host = PallocHost(context);
	counts->host.files.create = create_counts_file;
	counts->host.files.context = counts;
	NumberSortInit(&counts->sort, &counts->host, memory);
	/* The size is a power of two. A table that is fuller may grow where tokens lie close together. */
	counts->most_in_table = (uint32) (pg_prevpower2_64(memory / sizeof(TokenCount)) / 2);
	counts->table = counts_create(context, Min(Max(flat.count, 16), counts->most_in_table), NULL);
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

/* Sets the flag of each token that some row has, at the place of its item. Sorts the tokens. */
static void
look_up(TokenCounts *counts, KeyedItem *sought, Size count, bool *is_found)
{
	Size next = 0;
	TokenCount entry;

	if (!counts->has_moved)
	{
		for (Size i = 0; i < count; i++)
		{
			Token token = (Token) key_of_counted((Token) sought[i].key);

			is_found[sought[i].item] = counts_lookup(counts->table, token) != NULL;
			CHECK_FOR_INTERRUPTS();
		}
		return;
	}
	KeySort(sought, count, NULL, NULL, &counts->host);
	counts_begin_reading(counts, 1);
	while (next < count && counts_read_next(counts, &entry))
	{
		uint64 key = key_of_counted(entry.token);

		for (; next < count && sought[next].key <= key; next++)
			is_found[sought[next].item] = sought[next].key == key;
	}
}

/*
 * Appends the occurrences of tokens, numbers from `first` on, that some row has, up to the first
 * number that is missing, and keeps the tokens of which none is. Returns the number of these.
 */
static Size
append_occurrences(TokenCounts *counts, TokenCount *tokens, Size count, int64 first, int64 numbers,
				   TokenList *list)
{
	Size sought_count = mul_size(count, numbers);
	KeyedItem *sought = AllocateArray(sought_count, sizeof(KeyedItem));
	bool *is_found = AllocateArray(sought_count, sizeof(bool));
	Size kept = 0;

	for (Size i = 0; i < sought_count; i++)
	{
		Token token = TokenOfOccurrence(tokens[i / numbers].token, first + i % numbers);

		sought[i] = (KeyedItem){.key = key_of_counted(token), .item = i};
		is_found[i] = false;
		CHECK_FOR_INTERRUPTS();
	}
	look_up(counts, sought, sought_count, is_found);
	for (Size i = 0; i < count; i++)
	{
		int64 number = 0;

		for (; number < numbers && is_found[i * numbers + number]; number++)
		{
			TokenListAppend(list, TokenOfOccurrence(tokens[i].token, first + number));
			CHECK_FOR_INTERRUPTS();
		}
		if (number == numbers)
			tokens[kept++] = tokens[i];
	}
	pfree(sought);
	pfree(is_found);
	return kept;
}

/*
 * All occurrences of a common token are common, even those that few rows have: what is taken away
 * must not leave the second "the". A row that has the third occurrence has the second, so the
 * numbers have no gap, and are looked up in steps that double; the first one is large where all
 * counts are read for it. Where one row is enough, all tokens are common by themselves.
 */
Tokenset *
TokenCountsCommon(TokenCounts *counts)
{
	int64 least = 1;
	int64 numbers = 1;
	Size count;
	TokenCount *tokens;
	TokenList common;

	BISECT(int64, least, counts->rows, at,
		   !((double) at / (double) counts->rows > counts->fraction));
	tokens = TokenCountsListed(counts, least, &count);
	TokenListInit(&common, count);
	for (Size i = 0; i < count; i++)
		TokenListAppend(&common, tokens[i].token);
	if (counts->has_moved)
		numbers = Max(counts->most_in_table / Max(count, 1), 1);
	for (int64 first = 2; least > 1 && count > 0; first += numbers, numbers *= 2)
		count = append_occurrences(counts, tokens, count, first, numbers, &common);
	pfree(tokens);
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
TokenCountsListed(TokenCounts *counts, int64 least, Size *count)
{
	TokenCount *listed = AllocateArray(1, sizeof(TokenCount));
	Size capacity = 1;
	TokenCount entry;

	*count = 0;
	counts_begin_reading(counts, least);
	while (counts_read_next(counts, &entry))
	{
		if (entry.count < least)
			continue;
		ARRAY_MAKE_ROOM(listed, *count, capacity);
		listed[(*count)++] = entry;
	}
	return listed;
}
