/*
 * search.c
 *		Finding the rows of an index that may match a query.
 *
 * Pending rows are compared with the query one by one. A segment is searched by the lists of the
 * query's tokens, the rarest first, with the filters of joins (kernel/filters). Say the query has
 * 10 tokens and asks for a Jaccard similarity of 0.6, and the segment has records of 8 tokens, of
 * which 7 must be shared, and records of 12 tokens, of which 9 must be shared.
 *
 * Prefix filter. A record that shares 7 of the 10 tokens has at least one of any 4 of them. So the
 * lists of the 4 rarest tokens suffice: q - α + 1 lists, for the least α of all sizes.
 *
 * Size filter. While the third list is read, 8 tokens are still to come, this one included. A
 * record that is found for the first time shares at most these, which is too few for the records of
 * 12 tokens. The sizes that are still possible are a range of record numbers, and only this part of
 * the list is read.
 *
 * Positional filter. The query's tokens and a record's tokens are in the same order: by their
 * frequency in the segment. A record of 8 tokens that is found for the first time, at its place p,
 * shares none of the tokens before, so at most 8 - p. The posting is dropped if p > 8 - 7, without
 * any look at the record.
 *
 * Bitmap filter. The records that remain are sorted, so that their signatures are read page by
 * page, and those with too many differing bits are dropped.
 *
 * Two occurrences. If one more list is read, 5 in the example, a record that matches is in at least
 * two of them, and those in only one are dropped. This pays unless the additional list is very
 * long. A table of bits shows, by a hash of the record number, whether the record may have come
 * before; the first occurrence sets the bit, a later one adds the record. Two records with the same
 * bit do no harm, as one of them is only tested for nothing. A record at its second occurrence has
 * one more common token than the filters by size and place assume, so both allow for one more.
 *
 * Counting. Where the lists of the prefix filter are a good part of all lists, or where so many
 * records remain that fetching their rows would take longer, all lists are read, and the overlaps
 * are counted (count_search.c).
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/count_search.h"
#include "index/pending.h"
#include "index/ranked_tokens.h"
#include "index/search.h"
#include "index/signature.h"

typedef struct Search
{
	const IndexView *view;
	const IndexSegment *segment;
	const SetQuery *query;
	const SetQuery *order;
	FoundRows *found;

	IndexSizeClass *classes;
	int64 *least_overlaps; /* by class */
	int64 *last_places;	   /* by class: greatest place that passes in this class or one before */
	RankedToken *tokens;   /* of the query */

	uint32 occurrences; /* how many of the lists a record must be in, 1 or 2 */
	uint64 *came;		/* if 2: bits by a hash of the records that came */
	int came_shift;		/* from the hash to the bit's number */

	/* Records that may match, perhaps several times. */
	uint32 *records;
	Size count;
	Size capacity;
	bool is_counted;	/* they are those that match, but for those that need no common token */
	bool has_distances; /* their bounds are the distances */
} Search;

#define FIRST_CAPACITY 1024

/* Two occurrences are asked for unless the last list has this many times the others' postings. */
#define LONG_LIST 8

/* The table of records that came has these bits for each posting, and 2^LEAST_BITS or more. */
#define BITS_PER_POSTING 4
#define LEAST_BITS 12
#define MOST_BITS 20

/* Lists are counted at once if they have at most this many times the postings of the prefix. */
#define COUNTED_PER_PREFIX 2

/* Fetching a row takes the time of counting this many postings, its recheck apart. */
#define COUNTED_PER_ROW 64

#define RECORD_MULTIPLIER UINT32_C(2654435761)

#define ST_SORT sort_rows_by_tid
#define ST_ELEMENT_TYPE FoundRow
#define ST_COMPARE(a, b) ItemPointerCompare(&(a)->tid, &(b)->tid)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
FoundRowsSortByTid(FoundRow *rows, Size count)
{
	sort_rows_by_tid(rows, count);
}

void
FoundRowsAdd(FoundRows *found, const FoundRow *row)
{
	if (found->count == found->capacity)
	{
		Size capacity = found->capacity == 0 ? FIRST_CAPACITY : found->capacity * 2;

		found->rows = found->rows == NULL ? palloc(capacity * sizeof(FoundRow))
										  : repalloc_huge(found->rows, capacity * sizeof(FoundRow));
		found->capacity = capacity;
	}
	found->rows[found->count++] = *row;
}

/* Ensures room for `more` records, and returns where the first of them goes. */
static uint32 *
search_reserve(Search *search, Size more)
{
	if (search->count + more > search->capacity)
	{
		search->capacity = Max(search->capacity * 2, search->count + more);
		search->records = repalloc_huge(search->records, search->capacity * sizeof(uint32));
	}
	return search->records + search->count;
}

/* Adds all records from `first` to before `end`. */
static void
add_range(Search *search, uint32 first, uint32 end)
{
	uint32 *to = search_reserve(search, end - first);

	for (uint32 i = first; i < end; i++)
		*to++ = i;
	search->count += end - first;
}

/* Finds the least overlap of each size. Records of a size that needs none are added at once. */
static void
begin_classes(Search *search)
{
	const SetQuery *query = search->query;

	for (uint32 c = 0; c < search->segment->class_count; c++)
	{
		const IndexSizeClass *size_class = &search->classes[c];
		int64 least;

		if (size_class->size == 0)
			least = query == NULL || SetQueryTakesEmpty(query) ? 0 : SET_QUERY_NEVER;
		else
			least = query == NULL ? 0 : SetQueryLeastOverlap(query, size_class->size);
		search->least_overlaps[c] = least;
		if (least <= 0)
			add_range(search, size_class[0].first, size_class[1].first);
	}
}

/* Whether a record of the class can still match if it comes while `left` tokens are to come. */
static inline bool
is_possible(const Search *search, uint32 size_class, int64 left)
{
	int64 least = search->least_overlaps[size_class];

	return least > 0 && least < left + search->occurrences;
}

/* Finds the first and the last class that is possible. Returns false if there is none. */
static bool
possible_classes(const Search *search, int64 left, uint32 *first, uint32 *last)
{
	uint32 end = search->segment->class_count;

	for (*first = 0; *first < end && !is_possible(search, *first, left);)
		(*first)++;
	if (*first == end)
		return false;
	for (*last = end - 1; !is_possible(search, *last, left);)
		(*last)--;
	return true;
}

/*
 * Sets the greatest place that passes, for each class from `first` to `last`. Places do not ascend
 * with the class, therefore each class gets the greatest value so far: a block of postings, which
 * may have records of several classes, is tested by the value of its last record.
 */
static void
set_last_places(Search *search, int64 left, uint32 first, uint32 last)
{
	int64 greatest = -1;

	for (uint32 c = first; c <= last; c++)
	{
		if (is_possible(search, c, left))
			greatest = Max(greatest, (int64) search->classes[c].size - search->least_overlaps[c] +
										 search->occurrences - 1);
		search->last_places[c] = greatest;
	}
}

/* Whether the record may have come before; notes that it has come. True if one list suffices. */
static inline bool
came_before(Search *search, uint32 record)
{
	uint32 bit;
	bool came;

	if (search->occurrences == 1)
		return true;
	bit = record * RECORD_MULTIPLIER >> search->came_shift;
	came = (search->came[bit / 64] >> (bit % 64) & 1) != 0;
	search->came[bit / 64] |= UINT64CONST(1) << (bit % 64);
	return came;
}

/*
 * Adds the records of a block that are from `first` to before `end`, and whose places pass.
 * *size_class is the class of the last record so far, and moves on with the blocks of a list.
 */
static void
search_add_block(Search *search, PostingScan *scan, const PostingBlock *block, uint32 *size_class,
				 uint32 last_class, uint32 first, uint32 end)
{
	uint32 records[POSTINGS_PER_BLOCK];
	uint32 *to = search_reserve(search, POSTINGS_PER_BLOCK);
	uint32 count = 0;
	int64 last_place;

	PostingScanRecords(scan, block, records);
	while (*size_class < last_class &&
		   search->classes[*size_class + 1].first <= records[block->count - 1])
		(*size_class)++;
	last_place = search->last_places[*size_class];
	/* The greatest place that can be stored stands for all greater places too, so it must pass. */
	if (last_place >= POSTING_MOST_PLACE)
		last_place = PG_UINT8_MAX;
	for (uint32 i = 0; i < block->count; i++)
	{
		if (block->places[i] <= last_place && records[i] >= first && records[i] < end)
		{
			to[count] = records[i];
			count += came_before(search, records[i]);
		}
	}
	search->count += count;
}

/* Adds the records of a list that are in these size classes and pass the filters. */
static void
search_list(Search *search, const IndexEntry *entry, uint32 first_class, uint32 last_class)
{
	uint32 first = search->classes[first_class].first;
	uint32 end = search->classes[last_class + 1].first;
	uint32 size_class = first_class;
	PostingScan scan;
	PostingBlock block;

	PostingScanBegin(&scan, &search->view->store, search->segment, entry, first);
	while (PostingScanNext(&scan, &block) && block.first < end)
		search_add_block(search, &scan, &block, &size_class, last_class, first, end);
	PostingScanEnd(&scan);
}

/* Returns the least overlap of all sizes that need one, SET_QUERY_NEVER if none can match. */
static int64
least_of_all(const Search *search)
{
	int64 least = SET_QUERY_NEVER;

	for (uint32 c = 0; c < search->segment->class_count; c++)
	{
		if (search->least_overlaps[c] > 0)
			least = Min(least, search->least_overlaps[c]);
	}
	return least;
}

/* Chooses whether to ask for two occurrences. The prefix filter reads the first `lists` lists. */
static void
choose_occurrences(Search *search, const RankedToken *tokens, uint32 lists)
{
	uint64 postings = RankedPostings(tokens, lists);
	int bits = LEAST_BITS;

	search->occurrences = 1;
	if (lists == search->query->size || tokens[lists].entry.count / LONG_LIST > postings)
		return;
	postings += tokens[lists].entry.count;
	while (bits < MOST_BITS && (UINT64CONST(1) << bits) < postings * BITS_PER_POSTING)
		bits++;
	search->occurrences = 2;
	search->came = palloc0((Size) 1 << (bits - 3));
	search->came_shift = 32 - bits;
}

/* Adds the records that the prefix, size and positional filters leave, of the first `lists` lists. */
static void
search_lists(Search *search, uint32 lists)
{
	const RankedToken *tokens = search->tokens;

	choose_occurrences(search, tokens, lists);
	for (uint32 i = 0; i < lists + search->occurrences - 1; i++)
	{
		int64 left = (int64) search->query->size - i;
		uint32 first;
		uint32 last;

		CHECK_FOR_INTERRUPTS();
		if (tokens[i].entry.count == 0 || !possible_classes(search, left, &first, &last))
			continue;
		set_last_places(search, left, first, last);
		search_list(search, &tokens[i].entry, first, last);
	}
	if (search->occurrences > 1)
		pfree(search->came);
}

static inline int
search_compare_records(const uint32 *a, const uint32 *b)
{
	return *a < *b ? -1 : *a > *b;
}

#define ST_SORT sort_records
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b) search_compare_records(a, b)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Returns a lower bound of the distance, by the most tokens that the signatures allow to share. */
static double
distance_bound(const Search *search, const uint64 *signature, uint32 size)
{
	const SetQuery *order = search->order;
	uint32 distance =
		IndexSignatureDistance(signature, order->signature, search->view->signature_words);
	int64 most = ((int64) order->size + size - distance) / 2;

	return SetQueryDistance(order, Min(most, Min(order->size, size)), size);
}

/* The bitmap filter: whether the signatures allow the least overlap. */
static inline bool
passes(const Search *search, const uint64 *signature, uint32 size, int64 least)
{
	const SetQuery *query = search->query;
	uint32 words = search->view->signature_words;

	return query == NULL || size == 0 ||
		   IndexSignatureDistance(signature, query->signature, words) + 2 * least <=
			   (int64) query->size + size;
}

/*
 * Drops repeated records, and those that the signatures exclude. The records ascend. Returns the
 * bounds of the others, palloc'd, or NULL if no distance is asked for.
 */
static double *
test_signatures(Search *search)
{
	double *bounds = search->order == NULL
						 ? NULL
						 : palloc_extended(Max(search->count, 1) * sizeof(double), MCXT_ALLOC_HUGE);
	uint32 size_class = 0;
	Size count = 0;
	RecordTable signatures;

	RecordTableSignatures(&signatures, &search->view->store, search->segment,
						  search->view->signature_words, true);
	for (Size i = 0; i < search->count; i++)
	{
		uint32 record = search->records[i];
		const uint64 *signature;
		uint32 size;

		if (i > 0 && record == search->records[i - 1])
			continue;
		while (record >= search->classes[size_class + 1].first)
			size_class++;
		size = search->classes[size_class].size;
		signature = RecordTableGet(&signatures, record);
		if (!passes(search, signature, size, search->least_overlaps[size_class]))
			continue;
		if (bounds != NULL)
			bounds[count] = distance_bound(search, signature, size);
		search->records[count++] = record;
	}
	RecordTableEnd(&signatures);
	search->count = count;
	return bounds;
}

/* Returns the distances of records that were counted, palloc'd. The records ascend. */
static double *
counted_distances(const Search *search, const ListCounts *counts)
{
	double *bounds = palloc_extended(Max(search->count, 1) * sizeof(double), MCXT_ALLOC_HUGE);
	uint32 size_class = 0;

	for (Size i = 0; i < search->count; i++)
	{
		uint32 record = search->records[i];

		while (record >= search->classes[size_class + 1].first)
			size_class++;
		bounds[i] = SetQueryDistance(search->order, ListCountGet(counts, record),
									 search->classes[size_class].size);
	}
	return bounds;
}

/* Whether the rows are ordered by the distance from the set that they are compared with. */
static bool
is_order_of_query(const Search *search)
{
	return search->order != NULL && search->order->size == search->query->size &&
		   memcmp(search->order->tokens, search->query->tokens,
				  search->query->size * sizeof(Token)) == 0;
}

/*
 * Adds the records that match by counting to those that need no common token. Returns the bounds of
 * all as test_signatures does.
 */
static double *
count_records(Search *search)
{
	Size others = search->count;
	CountedRecords found = {search->records, search->count, search->capacity};
	ListCounts counts;
	double *bounds = NULL;

	CountSearchRecords(&search->view->store, search->segment, search->classes,
					   search->least_overlaps, search->tokens, search->query->size, &counts,
					   &found);
	search->records = found.records;
	search->count = found.count;
	search->capacity = found.capacity;
	search->is_counted = true;
	sort_records(search->records, search->count);
	search->has_distances = others == 0 && is_order_of_query(search);
	if (search->has_distances)
		bounds = counted_distances(search, &counts);
	else if (search->order != NULL)
		bounds = test_signatures(search);
	ListCountsEnd(&counts);
	return bounds;
}

/*
 * Finds the records of a query that needs common tokens, `least` or more. Those that need none are
 * there. Returns the bounds of all as test_signatures does.
 */
static double *
find_by_lists(Search *search, int64 least)
{
	const SetQuery *query = search->query;
	uint32 lists = query->size - (uint32) least + 1;
	bool may_count = query->size <= COUNT_SEARCH_MOST_TOKENS;
	Size others = search->count;
	uint64 postings;
	double *bounds;

	search->tokens = RankTokens(&search->view->store, search->segment, query);
	postings = RankedPostings(search->tokens, query->size);
	if (may_count && postings / COUNTED_PER_PREFIX <= RankedPostings(search->tokens, lists))
		return count_records(search);
	search_lists(search, lists);
	sort_records(search->records, search->count);
	bounds = test_signatures(search);
	/* Where rechecks are cheap, so few records remain for nothing that they are not worth counting. */
	if (!may_count || query->recheck_postings == 0 ||
		postings >= (search->count - others) * (COUNTED_PER_ROW + (uint64) query->recheck_postings))
		return bounds;
	if (bounds != NULL)
		pfree(bounds);
	search->count = 0;
	begin_classes(search);
	return count_records(search);
}

/* Adds the rows of the records that are alive. */
static void
add_rows(Search *search, const double *bounds)
{
	RecordTable tids;
	uint32 size_class = 0;

	RecordTableTids(&tids, &search->view->store, search->segment, search->view->snapshot, true);
	for (Size i = 0; i < search->count; i++)
	{
		uint32 record = search->records[i];
		const ItemPointerData *tid = RecordTableGet(&tids, record);

		while (record >= search->classes[size_class + 1].first)
			size_class++;
		if (ItemPointerIsValid(tid))
			FoundRowsAdd(search->found,
						 &(FoundRow){.tid = *tid,
									 .is_match = search->is_counted &&
												 search->least_overlaps[size_class] > 0,
									 .is_distance = search->has_distances,
									 .bound = bounds == NULL ? 0 : bounds[i]});
	}
	RecordTableEnd(&tids);
}

static void
search_segment(Search *search)
{
	double *bounds = NULL;
	uint32 class_count = search->segment->class_count;
	int64 least;

	search->classes = SegmentClasses(&search->view->store, search->segment);
	search->least_overlaps = palloc(class_count * sizeof(int64));
	search->last_places = palloc(class_count * sizeof(int64));
	search->tokens = NULL;
	search->capacity = FIRST_CAPACITY;
	search->records = palloc(FIRST_CAPACITY * sizeof(uint32));
	search->count = 0;
	search->is_counted = search->has_distances = false;
	begin_classes(search);
	least = least_of_all(search);
	if (search->query != NULL && least != SET_QUERY_NEVER)
		bounds = find_by_lists(search, least);
	else if (search->order != NULL)
		bounds = test_signatures(search);
	add_rows(search, bounds);
	if (bounds != NULL)
		pfree(bounds);
	if (search->tokens != NULL)
		pfree(search->tokens);
	pfree(search->records);
	pfree(search->last_places);
	pfree(search->least_overlaps);
	pfree(search->classes);
}

/* Whether a pending row matches. Its head may be no longer valid afterwards. */
static bool
row_matches(const SetQuery *query, PendingScan *scan, const PendingRow *row)
{
	uint32 size = row->size;
	int64 least;

	if (query == NULL)
		return true;
	if (size == 0)
		return SetQueryTakesEmpty(query);
	least = SetQueryLeastOverlap(query, size);
	if (least == SET_QUERY_NEVER ||
		IndexSignatureDistance(&row->signature, &query->short_signature, 1) + 2 * least >
			(int64) query->size + size)
		return false;
	return SetQueryOverlap(query, PendingScanTokens(scan, size), size) >= least;
}

/* With an order in a scope, rows of other scopes are left out: they share no token at all. */
static void
search_stream(Search *search, const IndexStream *stream)
{
	const SetQuery *order = search->order;
	PendingScan scan;
	const PendingRow *row;

	PendingScanBegin(&scan, search->view->store.index, stream, search->view->snapshot);
	while ((row = PendingScanNext(&scan)) != NULL)
	{
		uint32 size = row->size;
		FoundRow found = {.tid = row->tid, .is_match = search->query != NULL && size > 0};

		if (!ItemPointerIsValid(&found.tid) || !row_matches(search->query, &scan, row))
			continue;
		if (order != NULL)
		{
			uint32 overlap = SetQueryOverlap(order, PendingScanTokens(&scan, size), size);

			if (overlap < order->scope)
				continue;
			found.bound = SetQueryDistance(order, overlap, size);
			found.is_distance = size > order->scope;
		}
		FoundRowsAdd(search->found, &found);
	}
	PendingScanEnd(&scan);
}

void
SearchStreams(const IndexView *view, const SetQuery *query, const SetQuery *order, FoundRows *found)
{
	Search search = {.view = view, .query = query, .order = order, .found = found};

	for (int i = 0; i < 2; i++)
		search_stream(&search, &view->streams[i]);
}

void
SearchRows(const IndexView *view, const SetQuery *query, const SetQuery *order, FoundRows *found)
{
	Search search = {.view = view, .query = query, .order = order, .found = found};

	for (uint32 i = 0; i < view->segment_count; i++)
	{
		search.segment = &view->segments[i];
		search_segment(&search);
	}
	SearchStreams(view, query, order, found);
}
