/*
 * column_frequencies.c
 *		Frequencies of the tokens of a column, remembered from one index scan to the next.
 *
 * A scan that looks up one value is short, and to read thousands of frequencies from pg_statistic
 * would take longer than the scan. So a backend keeps what it has read in a hash table, until the
 * row of pg_statistic changes, which the invalidation messages of the system cache tell. When the
 * tokens exceed a limit in all, everything is forgotten.
 */
#include "postgres.h"

#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "tokenset/column_frequencies.h"

/* The most tokens that are kept, which takes twelve megabytes. */
#define MOST_TOKENS 1000000

/* An entry counts for this many tokens, besides those that it lists. */
#define ENTRY_TOKENS 16

/* An entry: the statistics of a column as they were read. */
typedef struct Remembered
{
	TokensetColumn column;
	uint32 hash; /* of the row of pg_statistic, by which the system cache names it */
	bool is_valid;
	SetStatistics stats;
} Remembered;

static HTAB *table = NULL;
static MemoryContext context = NULL;
static int64 tokens = 0;   /* that all entries count for */
static uint64 changes = 0; /* of pg_statistic that this backend has heard of */

/* Marks the entries of a changed row as invalid; a hash of 0 stands for all rows. */
static void
row_changed(Datum unused_argument, nd_syscache_id unused_cache, uint32 hash)
{
	HASH_SEQ_STATUS scan;
	Remembered *entry;

	changes++;
	if (table == NULL)
		return;
	hash_seq_init(&scan, table);
	while ((entry = hash_seq_search(&scan)) != NULL)
	{
		if (hash == 0 || entry->hash == hash)
			entry->is_valid = false;
	}
}

/* Makes the table, or empties it. */
static void
make_frequency_table(void)
{
	HASHCTL control = {.keysize = sizeof(TokensetColumn), .entrysize = sizeof(Remembered)};

	if (context == NULL)
	{
		CacheRegisterSyscacheCallback(STATRELATTINH, row_changed, (Datum) 0);
		context = AllocSetContextCreate(CacheMemoryContext, "neardup token frequencies",
										ALLOCSET_DEFAULT_SIZES);
	}
	table = NULL;
	tokens = 0;
	MemoryContextReset(context);
	control.hcxt = context;
	table = hash_create("neardup token frequencies", 16, &control,
						HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

/* Reads the row of an entry, which stays invalid if a change is heard of meanwhile. */
static void
read_frequencies(Remembered *entry)
{
	uint64 changes_before = changes;
	HeapTuple row = SearchSysCache3(STATRELATTINH, ObjectIdGetDatum(entry->column.relation),
									Int16GetDatum(entry->column.number), BoolGetDatum(false));

	tokens -= entry->stats.tokens.nvalues;
	SetStatisticsClose(&entry->stats);
	memset(&entry->stats, 0, sizeof(SetStatistics));
	if (HeapTupleIsValid(row))
	{
		MemoryContext old = MemoryContextSwitchTo(context);

		SetStatisticsReadTokens(&entry->stats, row);
		MemoryContextSwitchTo(old);
		ReleaseSysCache(row);
	}
	tokens += entry->stats.tokens.nvalues;
	entry->is_valid = changes == changes_before;
}

const SetStatistics *
ColumnFrequencies(const TokensetColumn *column)
{
	Remembered *entry;
	bool found;

	if (table == NULL || tokens > MOST_TOKENS)
		make_frequency_table();
	entry = hash_search(table, column, HASH_ENTER, &found);
	if (!found)
	{
		memset(&entry->stats, 0, sizeof(SetStatistics));
		entry->is_valid = false;
		entry->hash = GetSysCacheHashValue3(STATRELATTINH, ObjectIdGetDatum(column->relation),
											Int16GetDatum(column->number), BoolGetDatum(false));
		tokens += ENTRY_TOKENS;
	}
	if (!entry->is_valid)
		read_frequencies(entry);
	return entry->stats.tokens.nvalues > 0 ? &entry->stats : NULL;
}
