/*
 * count_search.c
 *		Finding the records of a segment that match a query by counting.
 *
 * The filters of search.c read few lists and leave records that may match. If all lists of the
 * query's tokens are read instead, the number of lists that have a record is its overlap with the
 * query. So a record matches if it comes as often as its size asks for, and nothing is left to be
 * rechecked. The records are added when they reach this number, which each does once.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/count_search.h"

typedef struct CountSearch
{
	const IndexSizeClass *classes;
	const int64 *least_overlaps;
	uint32 first_class; /* of those that need and may have the overlap */
	uint32 last_class;
	ListCounts *counts;
	CountedRecords *found;
} CountSearch;

/* Finds the classes that can match with all tokens of the query. Returns false if there are none. */
static bool
find_classes(CountSearch *search, uint32 class_count, uint32 query_size)
{
	bool is_found = false;

	for (uint32 c = 0; c < class_count; c++)
	{
		if (search->least_overlaps[c] <= 0 || search->least_overlaps[c] > query_size)
			continue;
		if (!is_found)
			search->first_class = c;
		search->last_class = c;
		is_found = true;
	}
	return is_found;
}

static void
add_counted(CountedRecords *found, uint32 record)
{
	if (found->count == found->capacity)
	{
		found->capacity *= 2;
		found->records = repalloc_huge(found->records, found->capacity * sizeof(uint32));
	}
	found->records[found->count++] = record;
}

/*
 * Counts the records of a block. *size_class is the size class of the last record that was counted;
 * records of a list ascend, so the class of the next one is found by moving up from there.
 */
static void
count_block(CountSearch *search, PostingScan *scan, const PostingBlock *block, uint32 *size_class)
{
	uint32 first = search->classes[search->first_class].first;
	uint32 end = search->classes[search->last_class + 1].first;
	uint32 records[POSTINGS_PER_BLOCK];

	PostingScanRecords(scan, block, records);
	for (uint32 i = 0; i < block->count && records[i] < end; i++)
	{
		if (records[i] < first)
			continue;
		while (records[i] >= search->classes[*size_class + 1].first)
			(*size_class)++;
		if (ListCountAdd(search->counts, records[i]) == search->least_overlaps[*size_class])
			add_counted(search->found, records[i]);
	}
}

static void
count_list(CountSearch *search, const SegmentStore *store, const IndexSegment *segment,
		   const IndexEntry *entry)
{
	uint32 size_class = search->first_class;
	uint32 end = search->classes[search->last_class + 1].first;
	PostingScan scan;
	PostingBlock block;

	PostingScanBegin(&scan, store, segment, entry, search->classes[size_class].first);
	while (PostingScanNext(&scan, &block) && block.first < end)
		count_block(search, &scan, &block, &size_class);
	PostingScanEnd(&scan);
}

void
CountSearchRecords(const SegmentStore *store, const IndexSegment *segment,
				   const IndexSizeClass *classes, const int64 *least_overlaps,
				   const RankedToken *tokens, uint32 token_count, ListCounts *counts,
				   CountedRecords *found)
{
	CountSearch search = {
		.classes = classes, .least_overlaps = least_overlaps, .counts = counts, .found = found};

	ListCountsBegin(counts, segment->record_count, RankedPostings(tokens, token_count));
	if (!find_classes(&search, segment->class_count, token_count))
		return;
	for (uint32 i = 0; i < token_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (tokens[i].entry.count > 0)
			count_list(&search, store, segment, &tokens[i].entry);
	}
}
