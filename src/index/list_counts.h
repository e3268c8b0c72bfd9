/*
 * list_counts.h
 *		In how many of some lists each record of a segment was.
 *
 * Where the lists may have a good part of all records, an array has a count for each. Where they
 * are short, as lists of a small scope in a large index are, zeroing such an array would take
 * longer than reading the lists: then a hash table has the records that came.
 */
#ifndef NEARDUP_INDEX_LIST_COUNTS_H
#define NEARDUP_INDEX_LIST_COUNTS_H

#define LIST_COUNT_MOST PG_UINT16_MAX

struct ListCountTable_hash; /* of simplehash */

typedef struct ListCounts
{
	uint16 *dense; /* by record, or NULL */
	struct ListCountTable_hash *sparse;
} ListCounts;

/*
 * Begins with 0 for each of record_count records, in the current memory context; at most `postings`
 * calls of ListCountAdd are expected.
 */
extern void ListCountsBegin(ListCounts *counts, uint32 record_count, uint64 postings);

/* Frees the memory. */
extern void ListCountsEnd(ListCounts *counts);

/* ListCountAdd and ListCountGet, where there is no array. */
extern uint32 ListCountAddSparse(ListCounts *counts, uint32 record);
extern uint32 ListCountGetSparse(const ListCounts *counts, uint32 record);

/* Adds one, unless the count is LIST_COUNT_MOST. Returns the new count. */
static inline uint32
ListCountAdd(ListCounts *counts, uint32 record)
{
	uint16 *count;

	if (counts->dense == NULL)
		return ListCountAddSparse(counts, record);
	count = &counts->dense[record];
	*count += *count < LIST_COUNT_MOST;
	return *count;
}

static inline uint32
ListCountGet(const ListCounts *counts, uint32 record)
{
	return counts->dense == NULL ? ListCountGetSparse(counts, record) : counts->dense[record];
}

#endif
