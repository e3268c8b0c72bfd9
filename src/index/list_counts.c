/*
 * list_counts.c
 *		In how many of some lists each record of a segment was.
 */
#include "postgres.h"

#include "index/list_counts.h"

/* An array takes 2 bytes a record, a table about SPARSE_BYTES a posting at most. */
#define SPARSE_BYTES 32

#define FIRST_SIZE 64

typedef struct ListCountEntry
{
	uint32 record;
	char status;
	uint16 count;
} ListCountEntry;

static inline uint32
hash_record(uint32 record)
{
	uint32 h = record * UINT32_C(2654435761);

	return h ^ h >> 15;
}

#define SH_PREFIX ListCountTable
#define SH_ELEMENT_TYPE ListCountEntry
#define SH_KEY_TYPE uint32
#define SH_KEY record
#define SH_HASH_KEY(table, key) hash_record(key)
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

void
ListCountsBegin(ListCounts *counts, uint32 record_count, uint64 postings)
{
	*counts = (ListCounts){0};
	if (postings >= record_count / (SPARSE_BYTES / sizeof(uint16)))
	{
		counts->dense = palloc_extended((Size) record_count * sizeof(uint16),
										MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
		return;
	}
	counts->sparse = ListCountTable_create(CurrentMemoryContext, FIRST_SIZE, NULL);
}

void
ListCountsEnd(ListCounts *counts)
{
	if (counts->dense != NULL)
		pfree(counts->dense);
	else
		ListCountTable_destroy(counts->sparse);
}

uint32
ListCountAddSparse(ListCounts *counts, uint32 record)
{
	bool found;
	ListCountEntry *entry = ListCountTable_insert(counts->sparse, record, &found);

	if (!found)
		entry->count = 0;
	entry->count += entry->count < LIST_COUNT_MOST;
	return entry->count;
}

uint32
ListCountGetSparse(const ListCounts *counts, uint32 record)
{
	const ListCountEntry *entry = ListCountTable_lookup(counts->sparse, record);

	return entry == NULL ? 0 : entry->count;
}
