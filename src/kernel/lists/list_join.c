/*
 * list_join.c
 *		Joining list by list.
 *
 * Record by record, each look-up reads another place of memory. Here each list
 * is joined with itself while the cache holds it: all records with the token in
 * their prefix, against those that index it. What is left is comparing
 * signatures, several a nanosecond. Lists are independent of each other.
 *
 * A pair meets in each list that both prefixes share, and counts where the
 * token is their first common one. Mostly the token before tells: it is the
 * same in both.
 *
 * A pair passes, in this order:
 *
 * - the size filter, as a window of the list, which is in the order of sizes;
 * - the bitmap filter over the window, with its largest size's distance;
 * - the positional filter, and the bitmap filter with the pair's own distance;
 * - the test for the first common token;
 * - verification from that token on.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "kernel/filters/bitmap_filter.h"
#include "kernel/filters/first_common_token.h"
#include "kernel/filters/positional_filter.h"
#include "kernel/filters/signature_scan.h"
#include "kernel/filters/verify.h"
#include "kernel/lists/list_join.h"

/* Entries between two checks for interrupts; each step has its own distance. */
#define WINDOW_STEP 512

/* Mean postings of a token whose list is worth dividing among participants. */
#define LONG_LIST 1024

/* Window too short for finding its end to pay. */
#define SHORT_WINDOW 16

/* Indexed entries compared whole. */
#define SHORT_SLICE 32

/* Entries compared with a short slice at once. */
#define SHORT_STEP 64

/* Prefetch distance, in postings. */
#define POSTINGS_AHEAD 128

/* Prefetch distance of signatures, in postings. */
#define LOOKAHEAD 32

/* Pairs whose tokens are prefetched. */
#define QUEUE_SIZE 64

typedef struct ListEntry
{
	uint32 record;
	uint32 previous;
	uint32 position;
	uint32 size_class;
} ListEntry;

/* Of a weighted record, whose class is far from others'. */
typedef struct EntryWeight
{
	double extent;
	float rest; /* as in the index */
} EntryWeight;

/* A pair that passed the filters, at what may be its first common token. */
typedef struct Candidate
{
	ListEntry x;
	ListEntry y;
	uint32 least_overlap;

	/* Weights from the token on, and the least overlap, of a weighted join. */
	float x_rest;
	float y_rest;
	double least_weight;
} Candidate;

/* In the order of records. */
typedef struct Slice
{
	uint32 first;
	uint32 end;
} Slice;

struct ListJoiner
{
	const ListIndex *index;
	const JoinRecords *records;
	JoinHost *host;
	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;
	SignatureScan scan;
	CommonTokenTest have_common_token;
	bool asymmetric;

	/* The partition's entries by list and slice, and their signatures. */
	ListEntry *entries;
	EntryWeight *weights; /* NULL if unweighted */
	SignaturePlanes signatures;
	uint32 *slice_ends; /* by token and slice */

	uint32 near[WINDOW_STEP];
	uint32 distances[WINDOW_STEP];
	Candidate queue[QUEUE_SIZE];
	uint32 queued;

	/* This process takes every parts-th probing entry, from this one on. */
	uint32 part;
	uint32 parts;

	uint64 entry_count; /* of the arrays above */
	uint64 slice_count;
};

static uint64
largest_partition(const ListIndex *index)
{
	uint64 largest = 0;

	for (uint32 p = 0; p < index->partitions.count; p++)
		largest = Max(largest, index->partition_starts[p + 1] - index->partition_starts[p]);
	return largest;
}

static uint32
most_tokens(const ListIndex *index)
{
	uint32 most = 0;

	for (uint32 p = 0; p < index->partitions.count; p++)
		most = Max(most, index->partitions.tokens[p + 1] - index->partitions.tokens[p]);
	return most;
}

/* Of a record, at or after a class. */
static inline uint32
class_from(const ListIndex *index, uint32 size_class, uint32 record)
{
	while (size_class + 1 < index->spec->records->class_count &&
		   record >= index->classes[size_class + 1].first_record)
		size_class++;
	return size_class;
}

/* By token and slice, stably. Signatures are read in the order of memory. */
static void
sort_partition(ListJoiner *joiner, uint32 partition)
{
	const ListIndex *index = joiner->index;
	const ListPosting *postings = index->postings + index->partition_starts[partition];
	uint32 count = index->partition_starts[partition + 1] - index->partition_starts[partition];
	uint32 first_token = index->partitions.tokens[partition];
	uint64 slices =
		(uint64) (index->partitions.tokens[partition + 1] - first_token) * index->slice_count;
	uint32 *next = joiner->slice_ends;
	uint32 words = index->signature_words;
	uint32 size_class = 0;
	uint32 so_far = 0;

	for (uint64 s = 0; s < slices; s += JOIN_STRIDE)
	{
		JoinTick(joiner->host, JOIN_STRIDE);
		memset(next + s, 0, Min(slices - s, JOIN_STRIDE) * sizeof(uint32));
	}
	for (uint32 i = 0; i < count; i++)
	{
		JoinStrideTick(joiner->host, i);
		__builtin_prefetch(&postings[i + POSTINGS_AHEAD]);
		next[(uint64) (postings[i].token - first_token) * index->slice_count +
			 ListPostingSlice(&postings[i])]++;
	}
	for (uint64 s = 0; s < slices; s++)
	{
		uint32 of_slice = next[s];

		JoinStrideTick(joiner->host, s);
		next[s] = so_far;
		so_far += of_slice;
	}

	for (uint32 i = 0; i < count; i++)
	{
		const ListPosting *posting = &postings[i];
		const uint64 *signature = index->signatures + (uint64) posting->record * words;
		uint32 to = next[(uint64) (posting->token - first_token) * index->slice_count +
						 ListPostingSlice(posting)]++;

		JoinStrideTick(joiner->host, i);
		if (i + LOOKAHEAD < count)
		{
			__builtin_prefetch(index->signatures + (uint64) posting[LOOKAHEAD].record * words);
			if (index->is_weighted)
				__builtin_prefetch(&index->classes[posting[LOOKAHEAD].record]);
		}
		size_class =
			index->is_weighted ? posting->record : class_from(index, size_class, posting->record);
		joiner->entries[to] = (ListEntry){.record = posting->record,
										  .previous = posting->previous,
										  .position = ListPostingPosition(posting),
										  .size_class = size_class};
		if (index->is_weighted)
			joiner->weights[to] =
				(EntryWeight){.extent = index->classes[posting->record].extent,
							  .rest = index->rests[index->partition_starts[partition] + i]};
		for (uint32 w = 0; w < words; w++)
			joiner->signatures.planes[w][to] = signature[w];
	}
}

/* A record and its repeats, which follow it. */
static RecordRange
members(const ListIndex *index, uint32 record)
{
	RecordRange range = {record, record + 1};

	while (range.end < index->spec->records->record_count && ListIndexIsRepeat(index, range.end))
	{
		JoinTick(index->spec->records->host, 1);
		range.end++;
	}
	return range;
}

/* The left record comes first. */
static void
emit_members(ListJoiner *joiner, const Candidate *pair, uint64 overlap)
{
	const JoinRecords *records = joiner->records;
	RecordRange x_range = members(joiner->index, pair->x.record);
	RecordRange y_range = members(joiner->index, pair->y.record);

	if (records->two_sided && !JoinRecordIsLeft(records, &records->records[x_range.first]))
		JoinEmitRanges(records, y_range, x_range, overlap, joiner->emit, joiner->emit_context);
	else
		JoinEmitRanges(records, x_range, y_range, overlap, joiner->emit, joiner->emit_context);
}

/* The overlap, or less than a similar pair has. */
static int64
overlap_of(const ListJoiner *joiner, const Candidate *pair, const uint32 *x, uint32 x_rest,
		   const uint32 *y, uint32 y_rest)
{
	const JoinRecords *records = joiner->records;
	TokenTerms terms = {records->weights, records->weighing.squares};

	if (!joiner->index->is_weighted)
		return OverlapAtLeast(joiner->host, x, x_rest, y, y_rest, pair->least_overlap);
	return WeightedOverlap(joiner->host, terms, x, x_rest, y, y_rest,
						   pair->x_rest - pair->least_weight, pair->y_rest - pair->least_weight);
}

static bool
is_similar(const ListJoiner *joiner, const Candidate *pair, int64 overlap)
{
	const JoinRecords *records = joiner->records;

	if (!joiner->index->is_weighted)
		return overlap >= pair->least_overlap;
	return PredicateHolds(joiner->index->spec->predicate, overlap, records->totals[pair->x.record],
						  records->totals[pair->y.record]);
}

static void
verify_queue(ListJoiner *joiner)
{
	const ListIndex *index = joiner->index;

	for (uint32 i = 0; i < joiner->queued; i++)
	{
		const Candidate *pair = &joiner->queue[i];
		const uint32 *x = ListIndexTokens(index, pair->x.size_class, pair->x.record);
		const uint32 *y = ListIndexTokens(index, pair->y.size_class, pair->y.record);
		uint32 x_rest = index->classes[pair->x.size_class].size - pair->x.position;
		uint32 y_rest = index->classes[pair->y.size_class].size - pair->y.position;
		int64 overlap;

		if (joiner->have_common_token(joiner->host, x, pair->x.position, y, pair->y.position))
			continue;
		joiner->counters->candidates++;
		overlap =
			overlap_of(joiner, pair, x + pair->x.position, x_rest, y + pair->y.position, y_rest);
		if (is_similar(joiner, pair, overlap))
			emit_members(joiner, pair, overlap);
	}
	joiner->queued = 0;
}

static void
enqueue(ListJoiner *joiner, const ListEntry *x, const ListEntry *y, Candidate candidate)
{
	const ListIndex *index = joiner->index;

	candidate.x = *x;
	candidate.y = *y;
	joiner->queue[joiner->queued++] = candidate;
	__builtin_prefetch(ListIndexTokens(index, x->size_class, x->record) + x->position);
	__builtin_prefetch(ListIndexTokens(index, y->size_class, y->record));
	__builtin_prefetch(ListIndexTokens(index, y->size_class, y->record) + y->position);
	if (joiner->queued == QUEUE_SIZE)
		verify_queue(joiner);
}

static void
consider_sizes(ListJoiner *joiner, const ListEntry *x, const ListEntry *y, uint32 distance)
{
	const ListIndex *index = joiner->index;
	int64 x_size = index->classes[x->size_class].size;
	int64 y_size = index->classes[y->size_class].size;
	int64 least_overlap;

	/* In an asymmetric self-join a record meets itself. */
	if (x->record == y->record)
		return;
	least_overlap = LeastOverlap(&index->least_overlaps, x_size, y_size);
	if (!PositionalFilterPasses(0, x_size - x->position, y_size - y->position, least_overlap))
	{
		joiner->counters->pruned_by_position++;
		return;
	}
	if (distance > BitmapFilterDistance(x_size, y_size, least_overlap))
	{
		joiner->counters->pruned_by_bitmap++;
		return;
	}
	/* Joined by size (size_join.h). */
	if (least_overlap <= 0)
		return;

	enqueue(joiner, x, y, (Candidate){.least_overlap = least_overlap});
}

static void
consider_weights(ListJoiner *joiner, const ListEntry *x, const ListEntry *y, uint32 distance)
{
	const ListIndex *index = joiner->index;
	EntryWeight x_weight = joiner->weights[x - joiner->entries];
	EntryWeight y_weight = joiner->weights[y - joiner->entries];
	double least = WeightLeastOverlap(&index->bounds, x_weight.extent, y_weight.extent);

	if (Min(x_weight.rest, y_weight.rest) < least)
	{
		joiner->counters->pruned_by_position++;
		return;
	}
	if (distance >
		WeightedBitmapDistance(&index->bitmap, &index->bounds, x_weight.extent, y_weight.extent))
	{
		joiner->counters->pruned_by_bitmap++;
		return;
	}
	enqueue(joiner, x, y,
			(Candidate){.x_rest = x_weight.rest, .y_rest = y_weight.rest, .least_weight = least});
}

static pg_attribute_always_inline void
consider(ListJoiner *joiner, const ListEntry *x, const ListEntry *y, uint32 distance)
{
	if (x->previous == y->previous && x->position > 0)
		return;
	if (joiner->index->is_weighted)
		consider_weights(joiner, x, y, distance);
	else
		consider_sizes(joiner, x, y, distance);
}

/* Bits in which x and a record up to y may differ. */
static inline int64
distance_up_to(const ListJoiner *joiner, uint32 x, uint32 y)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entries = joiner->entries;
	int64 size;

	if (index->is_weighted)
		return WeightedBitmapDistance(&index->bitmap, &index->bounds, joiner->weights[x].extent,
									  Min(joiner->weights[x].extent, joiner->weights[y].extent));
	size = index->classes[entries[x].size_class].size;
	return BitmapFilterDistanceUpTo(&index->least_overlaps, size,
									index->classes[entries[y].size_class].size);
}

/* A lower bound in first .. end - 1. */
static uint32
first_from_record(const ListEntry *entries, uint32 first, uint32 end, uint32 record)
{
	while (first < end)
	{
		uint32 middle = first + (end - first) / 2;

		if (entries[middle].record < record)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

static uint32
first_above_extent(const EntryWeight *weights, uint32 first, uint32 end, double extent)
{
	while (first < end)
	{
		uint32 middle = first + (end - first) / 2;

		if (weights[middle].extent <= extent)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* In first .. end - 1, by the rest of x, with its token beyond the indexing prefix. */
static uint32
first_too_large(const ListJoiner *joiner, uint32 x, uint32 first, uint32 end)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entry = &joiner->entries[x];
	uint32 size_end;

	if (index->is_weighted)
		return first_above_extent(joiner->weights, first, end,
								  WeightGreatestExtent(&index->bounds, joiner->weights[x].extent,
													   joiner->weights[x].rest));
	size_end = SizeFilterEnd(&index->size_filter_ends, entry->size_class, entry->position);
	if (size_end > entry->record)
		return end;
	return first_from_record(joiner->entries, first, end, size_end);
}

static void
probe_window(ListJoiner *joiner, uint32 x, uint32 first, uint32 end)
{
	const ListEntry *entry = &joiner->entries[x];

	while (first < end)
	{
		uint32 stop = end - first > WINDOW_STEP ? first + WINDOW_STEP : end;
		int64 distance = distance_up_to(joiner, x, stop - 1);
		uint32 count = 0;

		JoinTick(joiner->host, stop - first);
		if (distance >= 0)
			count = joiner->scan.one(&joiner->signatures, x, first, stop, distance, joiner->near,
									 joiner->distances);
		joiner->counters->pruned_by_bitmap += stop - first - count;
		for (uint32 i = 0; i < count; i++)
			consider(joiner, entry, &joiner->entries[joiner->near[i]], joiner->distances[i]);
		first = stop;
	}
}

static inline void
consider_lanes(ListJoiner *joiner, uint32 x, uint32 block, uint32 lanes)
{
	const ListEntry *entries = joiner->entries;

	while (lanes != 0)
	{
		uint32 y = block + pg_rightmost_one_pos32(lanes);

		lanes &= lanes - 1;
		joiner->counters->pruned_by_bitmap--;
		if (entries[y].record < entries[x].record &&
			entries[y].record >= joiner->index->classes[entries[x].size_class].size_filter_start)
			consider(joiner, &entries[x], &entries[y],
					 SignatureDistance(&joiner->signatures, x, y));
	}
}

static inline void
probe_block(ListJoiner *joiner, Slice probing, Slice block, const int32 *distances)
{
	uint8 near[SHORT_STEP];
	uint32 count = probing.end - probing.first;

	joiner->counters->pruned_by_bitmap += (uint64) count * (block.end - block.first);
	if (!joiner->scan.many(&joiner->signatures, probing.first, probing.end, block.first, block.end,
						   distances, near))
		return;
	for (uint32 i = 0; i < count; i++)
		consider_lanes(joiner, probing.first + i, block.first, near[i]);
}

/*
 * Most lists are short: finding a window's ends would take longer than
 * comparing all. The size filter comes last.
 */
static void
probe_short_slice(ListJoiner *joiner, Slice probing, Slice indexed)
{
	const ListEntry *entries = joiner->entries;
	uint32 largest = indexed.end - 1;
	bool with_itself = probing.first == indexed.first;
	int32 distances[SHORT_STEP];

	for (uint32 first = probing.first; first < probing.end; first += SHORT_STEP)
	{
		uint32 end = Min(probing.end, first + SHORT_STEP);

		for (uint32 x = first; x < end; x++)
		{
			bool is_smaller = entries[x].size_class < entries[largest].size_class;
			int64 distance = distance_up_to(joiner, x, is_smaller ? x : largest);

			distances[x - first] = Max(Min(distance, PG_INT32_MAX), -1);
		}
		for (uint32 block = indexed.first; block < indexed.end; block += SIGNATURE_LANES)
		{
			/* Entries before a block precede it. */
			uint32 x = with_itself ? Max(first, block + 1) : first;
			Slice few = {block, Min(block + SIGNATURE_LANES, indexed.end)};

			if (x >= end)
				break;
			JoinTick(joiner->host, (uint64) (end - x) * SIGNATURE_LANES);
			probe_block(joiner, (Slice){x, end}, few, distances + (x - first));
		}
	}
}

/* Both are in the order of records, so windows mostly move ahead. */
static void
probe_slice(ListJoiner *joiner, Slice probing, Slice indexed)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entries = joiner->entries;
	uint32 first = indexed.first;
	uint32 preceding = indexed.first; /* entries before this precede x */
	bool with_itself = probing.first == indexed.first;

	if (indexed.first == indexed.end || probing.first + with_itself >= probing.end)
		return;
	if (!joiner->asymmetric && indexed.end - indexed.first <= SHORT_SLICE)
	{
		if (joiner->part == 0)
			probe_short_slice(joiner, probing, indexed);
		return;
	}
	for (uint32 x = probing.first + joiner->part; x < probing.end; x += joiner->parts)
	{
		const ListClass *class = &index->classes[entries[x].size_class];
		uint32 end = indexed.end;

		JoinTick(joiner->host, 1);
		while (first < indexed.end && entries[first].record < class->size_filter_start)
			first++;
		if (!joiner->asymmetric)
		{
			while (!with_itself && preceding < indexed.end &&
				   entries[preceding].record < entries[x].record)
				preceding++;
			end = with_itself ? x : preceding;
			if (entries[x].position >= class->indexing_prefix && end > first + SHORT_WINDOW)
				end = first_too_large(joiner, x, first, end);
		}
		if (first < end)
			probe_window(joiner, x, first, end);
	}
}

static void
join_list(ListJoiner *joiner, const Slice *slices)
{
	if (joiner->asymmetric)
	{
		probe_slice(joiner, slices[LEFT_PROBING], slices[RIGHT_INDEXED]);
		return;
	}
	if (!joiner->records->two_sided)
	{
		probe_slice(joiner, slices[LEFT_INDEXED], slices[LEFT_INDEXED]);
		probe_slice(joiner, slices[LEFT_PROBING], slices[LEFT_INDEXED]);
		if (joiner->records->roles == NULL)
			return;
	}
	probe_slice(joiner, slices[LEFT_INDEXED], slices[RIGHT_INDEXED]);
	probe_slice(joiner, slices[LEFT_PROBING], slices[RIGHT_INDEXED]);
	probe_slice(joiner, slices[RIGHT_INDEXED], slices[LEFT_INDEXED]);
	probe_slice(joiner, slices[RIGHT_PROBING], slices[LEFT_INDEXED]);
}

static void
join_partition(ListJoiner *joiner, uint32 partition)
{
	const ListIndex *index = joiner->index;
	uint32 tokens = index->partitions.tokens[partition + 1] - index->partitions.tokens[partition];
	const uint32 *slice_end = joiner->slice_ends;
	uint32 first = 0;

	if (index->partition_starts[partition] == index->partition_starts[partition + 1])
		return;
	sort_partition(joiner, partition);
	for (uint32 token = 0; token < tokens; token++)
	{
		Slice slices[LIST_SLICES] = {{0, 0}};
		uint32 list_first = first;

		for (uint32 s = 0; s < index->slice_count; s++)
		{
			slices[s] = (Slice){first, *slice_end};
			first = *slice_end++;
		}
		if (first - list_first > 1)
			join_list(joiner, slices);
		if (joiner->part == 0)
			joiner->host->done += first - list_first;
	}
}

/*
 * Partitions of long lists take far longer to join than to sort: each
 * participant sorts them and joins a part. They are the last, of the most
 * frequent tokens.
 */
static uint32
divided_partitions(const ListIndex *index)
{
	uint32 count = 0;

	while (count < index->partitions.count)
	{
		uint32 p = index->partitions.count - 1 - count;
		uint64 postings = index->partition_starts[p + 1] - index->partition_starts[p];
		uint64 tokens = index->partitions.tokens[p + 1] - index->partitions.tokens[p];

		if (postings < tokens * LONG_LIST)
			break;
		count++;
	}
	return count;
}

uint32
ListJoinUnits(const ListIndex *index)
{
	return index->partitions.count + divided_partitions(index) * (index->participants - 1);
}

void
ListJoinUnit(ListJoiner *joiner, uint32 unit)
{
	const ListIndex *index = joiner->index;
	uint32 parts = index->participants;
	uint32 of_divided = divided_partitions(index) * parts;
	bool is_divided = unit < of_divided;
	uint32 from_last = is_divided ? unit / parts : unit - of_divided + of_divided / parts;

	joiner->part = is_divided ? unit % parts : 0;
	joiner->parts = is_divided ? parts : 1;
	join_partition(joiner, index->partitions.count - 1 - from_last);
}

ListJoiner *
ListJoinerBegin(const ListIndex *index, JoinEmit emit, void *emit_context, JoinCounters *counters)
{
	const JoinSpec *spec = index->spec;
	JoinHost *host = spec->records->host;
	ListJoiner *joiner = JoinAllocate(host, 1, sizeof(ListJoiner));

	joiner->index = index;
	joiner->records = spec->records;
	joiner->host = host;
	joiner->emit = emit;
	joiner->emit_context = emit_context;
	joiner->counters = counters;
	joiner->scan = SignatureScanBest();
	joiner->have_common_token = CommonTokenTestBest();
	joiner->asymmetric = MeasureIsAsymmetric(spec->predicate.measure);
	joiner->queued = 0;
	joiner->entry_count = largest_partition(index);
	joiner->slice_count = (uint64) most_tokens(index) * index->slice_count;
	joiner->entries = JoinAllocate(host, joiner->entry_count, sizeof(ListEntry));
	joiner->weights =
		index->is_weighted ? JoinAllocate(host, joiner->entry_count, sizeof(EntryWeight)) : NULL;
	joiner->slice_ends = JoinAllocate(host, joiner->slice_count, sizeof(uint32));
	joiner->signatures.words = index->signature_words;
	for (uint32 w = 0; w < index->signature_words; w++)
		joiner->signatures.planes[w] = JoinAllocate(host, joiner->entry_count, sizeof(uint64));
	return joiner;
}

void
ListJoinerEnd(ListJoiner *joiner)
{
	JoinHost *host = joiner->host;

	verify_queue(joiner);
	for (uint32 w = 0; w < joiner->signatures.words; w++)
		JoinRelease(host, joiner->signatures.planes[w], joiner->entry_count, sizeof(uint64));
	JoinRelease(host, joiner->slice_ends, joiner->slice_count, sizeof(uint32));
	JoinRelease(host, joiner->weights, joiner->entry_count, sizeof(EntryWeight));
	JoinRelease(host, joiner->entries, joiner->entry_count, sizeof(ListEntry));
	JoinRelease(host, joiner, 1, sizeof(ListJoiner));
}

static uint32
next_repeat(const JoinRecords *records, uint32 first, uint32 end)
{
	while (first < end)
	{
		uint64 from_first = records->repeats[first / 64] >> (first % 64);

		if (from_first != 0)
			return Min(first + pg_rightmost_one_pos64(from_first), end);
		JoinTick(records->host, 1);
		first = (first / 64 + 1) * 64;
	}
	return end;
}

static bool
repeats_are_similar(const ListIndex *index, int64 size)
{
	int64 least_overlap;

	if (index->is_weighted)
		return PredicateHolds(index->spec->predicate, size, size, size);
	/* Joined by size if none is needed. */
	least_overlap = LeastOverlap(&index->least_overlaps, size, size);
	return least_overlap > 0 && least_overlap <= size;
}

void
ListJoinRepeats(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit, void *emit_context)
{
	const JoinRecords *records = index->spec->records;
	bool asymmetric = MeasureIsAsymmetric(index->spec->predicate.measure);

	if (records->two_sided)
		return;
	for (uint32 i = next_repeat(records, first, end); i < end; i = next_repeat(records, i + 1, end))
	{
		const JoinRecord *x = &records->records[i];
		int64 overlap = JoinRecordMeasured(records, x);

		JoinTick(records->host, 1);
		if (JoinRecordRole(records, i) != JOIN_SEEKS || !repeats_are_similar(index, overlap))
			continue;
		for (uint32 j = i; ListIndexIsRepeat(index, j); j--)
		{
			const JoinRecord *y = &records->records[j - 1];

			JoinTick(records->host, 1);
			emit(emit_context, x, y, overlap);
			if (asymmetric)
				emit(emit_context, y, x, overlap);
		}
	}
}
