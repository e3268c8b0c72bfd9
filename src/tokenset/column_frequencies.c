/*
 * column_frequencies.c
 *		Frequencies of the tokens of a column, remembered from one index scan to the next.
 *
 * A scan would spend longer on reading its column's row of pg_statistic than on its choice of
 * tokens. A backend therefore keeps what it has read until the row changes, up to a total; beyond
 * it, all is forgotten.
 */
#include "postgres.h"

#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "compat.h"
#include "tokenset/column_frequencies.h"

/* Twelve megabytes. */
#define MOST_TOKENS 1000000

/* What an entry occupies beside its tokens. */
#define ENTRY_TOKENS 16

typedef struct Remembered
{
	TokensetColumn column;
	uint32 hash; /* of the row, in the system cache */
	bool is_valid;
	SetStatistics stats;
} Remembered;

static HTAB *table = NULL;
static MemoryContext context = NULL;
static int64 tokens = 0;
static uint64 changes = 0; /* of pg_statistic, seen by this backend */

/* A hash of 0 stands for all rows. */
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

static void
begin_anew(void)
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

/* A change amid the reading leaves the entry invalid. */
static void
read_row(Remembered *entry)
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
		begin_anew();
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
		read_row(entry);
	return entry->stats.tokens.nvalues > 0 ? &entry->stats : NULL;
}
