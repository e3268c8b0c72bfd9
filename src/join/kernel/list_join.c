/*
 * list_join.c
 *		Joining list by list.
 *
 * The paper's algorithms take one record after the other and look up the lists
 * of its prefix; each look-up reads from another place of memory, and that is
 * what they spend their time on. Here one list after the other is joined with
 * itself: all records that have the token in their prefix, against those of
 * them that index it. A list lies in the cache while it is joined, so what is
 * left is comparing signatures, of which a processor does several per
 * nanosecond; and neither an array over the records nor moving list heads are
 * needed, so that lists are independent of each other.
 *
 * A pair is met once in each list that both prefixes share. It counts where
 * the token is the first that they have in common. That is cheap to see: for
 * most pairs that met before, the token before is the same in both; else what
 * precedes the token is merged, which for a similar pair is short.
 *
 * A pair passes, in this order:
 * - the size filter, as a window of the list, which is in the order of sizes;
 * - the bitmap filter over the whole window, with the distance that its
 *   largest size allows;
 * - for what is left: the positional filter, exactly as the prefix lengths of
 *   this pair of sizes (both tokens must leave α for the overlap, themselves
 *   included), and the bitmap filter with the pair's own distance;
 * - verification from that token on, which stops as soon as too many tokens
 *   are without a match.
 */
#include "c.h"

#include "join/kernel/key_runs.h"
#include "join/kernel/list_join.h"
#include "join/kernel/verify.h"

/* Entries of a window between two checks for interrupts; each has its own distance. */
#define WINDOW_STEP 512

/* Postings of a token, on the average, whose list is worth dividing among participants. */
#define LONG_LIST 1024

/* A window that is compared whole before its end would be found. */
#define SHORT_WINDOW 16

/* Indexed entries that are compared whole with each that probes. */
#define SHORT_SLICE 32

/* Entries that are compared with a short slice at once. */
#define SHORT_STEP 64

/* How far ahead of their use postings are asked for. */
#define POSTINGS_AHEAD 128

/* Postings whose signatures are asked for before the first is needed. */
#define LOOKAHEAD 32

/* Pairs whose tokens are asked for before the first is needed. */
#define QUEUE_SIZE 64

/* A posting in the list that is being joined. */
typedef struct ListEntry
{
	uint32 record;
	uint32 previous;
	uint32 position;
	uint32 size_class;
} ListEntry;

/* A pair that passed the filters, at a token that may be its first common one. */
typedef struct Candidate
{
	ListEntry x;
	ListEntry y;
	uint32 least_overlap;
} Candidate;

/* Entries first .. end - 1 of the partition, in the order of records. */
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

	/* The partition, sorted into lists and slices: entry by entry, and their signatures. */
	ListEntry *entries;
	SignaturePlanes signatures;
	uint32 *slice_ends; /* by token of the partition and slice */

	uint32 near[WINDOW_STEP];
	uint32 distances[WINDOW_STEP];
	Candidate queue[QUEUE_SIZE];
	uint32 queued;

	/* Of the entries that probe, this process takes every parts-th, from this one on. */
	uint32 part;
	uint32 parts;

	uint64 entry_count; /* of the arrays above */
	uint64 slice_count;
};

static uint64
largest_partition(const ListIndex *index)
{
	uint64 largest = 0;

	for (uint32 p = 0; p < index->partition_count; p++)
		largest = Max(largest, index->partition_starts[p + 1] - index->partition_starts[p]);
	return largest;
}

static uint32
most_tokens(const ListIndex *index)
{
	uint32 most = 0;

	for (uint32 p = 0; p < index->partition_count; p++)
		most = Max(most, index->partition_tokens[p + 1] - index->partition_tokens[p]);
	return most;
}

/*
 * Sorts the postings of a partition by token and slice; both orders keep that
 * of records. Signatures are fetched in the order of records, which is that
 * of memory.
 */
static void
sort_partition(ListJoiner *joiner, uint32 partition)
{
	const ListIndex *index = joiner->index;
	const ListPosting *postings = index->postings + index->partition_starts[partition];
	uint32 count = index->partition_starts[partition + 1] - index->partition_starts[partition];
	uint32 first_token = index->partition_tokens[partition];
	uint64 slices =
		(uint64) (index->partition_tokens[partition + 1] - first_token) * index->slice_count;
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
			__builtin_prefetch(index->signatures + (uint64) posting[LOOKAHEAD].record * words);
		while (size_class + 1 < joiner->records->class_count &&
			   posting->record >= index->classes[size_class + 1].first_record)
			size_class++;
		joiner->entries[to] = (ListEntry){.record = posting->record,
										  .previous = posting->previous,
										  .position = ListPostingPosition(posting),
										  .size_class = size_class};
		for (uint32 w = 0; w < words; w++)
			joiner->signatures.planes[w][to] = signature[w];
	}
}

/* The repeats of a record that has postings follow it. */
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

/* Hands on the pair and those of its repeats, with the left record first where sides differ. */
static void
emit_members(ListJoiner *joiner, const Candidate *pair, uint32 overlap)
{
	const JoinRecords *records = joiner->records;
	RecordRange x_range = members(joiner->index, pair->x.record);
	RecordRange y_range = members(joiner->index, pair->y.record);

	if (records->two_sided && !JoinRecordIsLeft(records, &records->records[x_range.first]))
		JoinEmitBetween(records, y_range, x_range, overlap, joiner->emit, joiner->emit_context);
	else
		JoinEmitBetween(records, x_range, y_range, overlap, joiner->emit, joiner->emit_context);
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
		overlap = OverlapAtLeast(joiner->host, x + pair->x.position, x_rest, y + pair->y.position,
								 y_rest, pair->least_overlap);
		if (overlap >= pair->least_overlap)
			emit_members(joiner, pair, overlap);
	}
	joiner->queued = 0;
}

/* The filters of the pair itself, for an entry whose signature is as near as this. */
static pg_attribute_always_inline void
consider(ListJoiner *joiner, const ListEntry *x, const ListEntry *y, uint32 distance)
{
	const ListIndex *index = joiner->index;
	int64 x_size = index->classes[x->size_class].size;
	int64 y_size = index->classes[y->size_class].size;
	int64 least_overlap;
	Candidate *candidate;

	if (x->previous == y->previous && x->position > 0)
		return;
	/* A record is not compared with itself, which happens in an asymmetric self-join. */
	if (x->record == y->record)
		return;
	least_overlap = PairLeastOverlap(&index->bounds, x_size, y_size);
	if (x->position + least_overlap > x_size || y->position + least_overlap > y_size)
	{
		joiner->counters->pruned_by_position++;
		return;
	}
	if (distance > x_size + y_size - 2 * least_overlap)
	{
		joiner->counters->pruned_by_bitmap++;
		return;
	}
	/* Sets that need no common token are joined by size. */
	if (least_overlap <= 0)
		return;

	candidate = &joiner->queue[joiner->queued++];
	candidate->x = *x;
	candidate->y = *y;
	candidate->least_overlap = least_overlap;
	__builtin_prefetch(ListIndexTokens(index, x->size_class, x->record) + x->position);
	__builtin_prefetch(ListIndexTokens(index, y->size_class, y->record));
	__builtin_prefetch(ListIndexTokens(index, y->size_class, y->record) + y->position);
	if (joiner->queued == QUEUE_SIZE)
		verify_queue(joiner);
}

/* The first of the entries first .. end - 1 whose record is not before this one. */
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

/* An entry against a window of those that it may be similar to by size. */
static void
probe_window(ListJoiner *joiner, uint32 x, uint32 first, uint32 end)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entry = &joiner->entries[x];
	int64 size = index->classes[entry->size_class].size;

	while (first < end)
	{
		uint32 stop = end - first > WINDOW_STEP ? first + WINDOW_STEP : end;
		int64 largest = index->classes[joiner->entries[stop - 1].size_class].size;
		int64 distance = PairGreatestDistance(&index->bounds, size, largest);
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

/* The lanes of a block whose signatures are near, if they precede x and pass the size filter. */
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
			entries[y].record >= joiner->index->classes[entries[x].size_class].outgrown)
			consider(joiner, &entries[x], &entries[y],
					 SignatureDistance(&joiner->signatures, x, y));
	}
}

/* Some entries that probe, each with its distance, against a few that are indexed. */
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
 * A short indexed slice is compared whole, with one entry after the other, and
 * the filter by size comes last. Most lists are short, and finding the ends of a
 * window would take longer than comparing what is outside of it. Entries of
 * larger records than x count for nothing, so x's own size bounds theirs.
 */
static void
probe_short_slice(ListJoiner *joiner, Slice probing, Slice indexed)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entries = joiner->entries;
	int64 largest = index->classes[entries[indexed.end - 1].size_class].size;
	bool with_itself = probing.first == indexed.first;
	int32 distances[SHORT_STEP];

	for (uint32 first = probing.first; first < probing.end; first += SHORT_STEP)
	{
		uint32 end = Min(probing.end, first + SHORT_STEP);

		for (uint32 x = first; x < end; x++)
		{
			int64 size = index->classes[entries[x].size_class].size;
			int64 distance = PairGreatestDistance(&index->bounds, size, Min(size, largest));

			distances[x - first] = Max(Min(distance, PG_INT32_MAX), -1);
		}
		for (uint32 block = indexed.first; block < indexed.end; block += SIGNATURE_LANES)
		{
			/* In a slice with itself, what comes before a block precedes it. */
			uint32 x = with_itself ? Max(first, block + 1) : first;
			Slice few = {block, Min(block + SIGNATURE_LANES, indexed.end)};

			if (x >= end)
				break;
			JoinTick(joiner->host, (uint64) (end - x) * SIGNATURE_LANES);
			probe_block(joiner, (Slice){x, end}, few, distances + (x - first));
		}
	}
}

/* Both slices are in the order of records, so the ends of the windows mostly move ahead. */
static void
probe_slice(ListJoiner *joiner, Slice probing, Slice indexed)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entries = joiner->entries;
	uint32 first = indexed.first;
	uint32 preceding = indexed.first; /* up to here, entries precede x */
	bool with_itself = probing.first == indexed.first;

	/* An entry does not meet itself. */
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
		while (first < indexed.end && entries[first].record < class->outgrown)
			first++;
		if (!joiner->asymmetric)
		{
			while (!with_itself && preceding < indexed.end &&
				   entries[preceding].record < entries[x].record)
				preceding++;
			end = with_itself ? x : preceding;
			if (entries[x].position >= class->indexing_prefix && end > first + SHORT_WINDOW)
			{
				uint32 too_big = index->too_big[class->first_too_big + entries[x].position -
												class->indexing_prefix];

				if (too_big <= entries[x].record)
					end = first_from_record(entries, first, end, too_big);
			}
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
	uint32 tokens = index->partition_tokens[partition + 1] - index->partition_tokens[partition];
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
 * Partitions of long lists, which take far longer to join than to sort, are
 * sorted by each participant, who joins its part of them. They are the last
 * ones, since tokens are in the order of their frequency.
 */
static uint32
divided_partitions(const ListIndex *index)
{
	uint32 count = 0;

	while (count < index->partition_count)
	{
		uint32 p = index->partition_count - 1 - count;
		uint64 postings = index->partition_starts[p + 1] - index->partition_starts[p];
		uint64 tokens = index->partition_tokens[p + 1] - index->partition_tokens[p];

		if (postings < tokens * LONG_LIST)
			break;
		count++;
	}
	return count;
}

uint32
ListJoinUnits(const ListIndex *index)
{
	return index->partition_count + divided_partitions(index) * (index->participants - 1);
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
	join_partition(joiner, index->partition_count - 1 - from_last);
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
	JoinRelease(host, joiner->entries, joiner->entry_count, sizeof(ListEntry));
	JoinRelease(host, joiner, 1, sizeof(ListJoiner));
}

/* The first record of the run that a repeat is in; the repeat itself if it is in none. */
static uint32
run_start(const ListIndex *index, uint32 record)
{
	const JoinRecords *records = index->spec->records;
	uint32 key_run = JoinKeyRun(records, record);
	uint32 start = record;

	if (key_run == 0)
		return record;
	while (ListIndexIsRepeat(index, start) && JoinKeyRun(records, start - 1) == key_run)
	{
		JoinTick(records->host, 1);
		start--;
	}
	return start;
}

/* The first repeat of first .. end - 1; end if there is none. */
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

void
ListJoinRepeats(const ListIndex *index, uint32 first, uint32 end, JoinEmit emit, void *emit_context)
{
	const JoinRecords *records = index->spec->records;
	bool asymmetric = MeasureIsAsymmetric(index->spec->predicate.measure);
	uint32 start = first; /* of the present run */

	if (records->two_sided)
		return;
	for (uint32 i = next_repeat(records, first, end); i < end; i = next_repeat(records, i + 1, end))
	{
		const JoinRecord *x = &records->records[i];
		int64 least_overlap;

		JoinTick(records->host, 1);
		if (i == first)
			start = run_start(index, i);
		else if (JoinKeyRun(records, i) == 0 ||
				 JoinKeyRun(records, i) != JoinKeyRun(records, i - 1))
			start = i;
		else if (!ListIndexIsRepeat(index, i - 1))
			start = i - 1;
		/* α of 0 or less: they are joined by size. */
		least_overlap = PairLeastOverlap(&index->bounds, x->size, x->size);
		if (least_overlap <= 0 || least_overlap > x->size)
			continue;
		for (uint32 j = start; ListIndexIsRepeat(index, j); j--)
		{
			const JoinRecord *y = &records->records[j - 1];

			JoinTick(records->host, 1);
			emit(emit_context, x, y, x->size);
			if (asymmetric)
				emit(emit_context, y, x, x->size);
		}
	}
}
