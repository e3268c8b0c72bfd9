/*
 * list_join.c
 *		Joins an index list by list.
 *
 * Algorithm 1 of the paper goes record by record: each record looks up the lists of its prefix, and
 * each look-up reads another place of memory. Here the loops are exchanged. The list of a token has
 * all records with the token in their prefix, and is joined with itself while the cache holds it.
 * What this costs is comparing the records' signatures, many of which stand next to each other. The
 * pairs are the same: those that meet in some list, and pass the same bounds.
 *
 * A pair meets in each list that both prefixes share, and must be emitted once: at its first common
 * token. Take y and x at Jaccard 0.5, with letters in the order of document frequency. Both have 6
 * tokens, of which 3 are the indexing prefix and 4 the probing prefix (prefix_filter.h):
 *
 *		y = [A B D | F | G H]		x = [A C D | F | G H]
 *
 * y comes first in the order of records, so x looks up 4 tokens, and finds y under 3. They meet in
 * the lists of A and D. A is the first token of both: there the pair is taken. In the list of D,
 * the preceding tokens are B and C, which decide nothing; only the search for a common token among
 * [A B] and [A C] finds A, and the pair is dropped. Were both preceding tokens B, that search would
 * not be needed: the pair has met in the list of B, if not before. Near duplicates mostly have the
 * same tokens in the same order, so that usually the preceding token decides. Therefore each entry
 * of a list has it.
 *
 * An entry is in one of two slices, by whether the token is in the record's indexing prefix or
 * beyond it (list_slices.h). An entry of either slice meets the earlier records of the first.
 *
 * A pair takes the filters in this order:
 *
 * - the size filter: entries are in the order of sizes, and those that x may be similar to are a
 *	 window of the list, which ends at x or before;
 * - the bitmap filter over the window, with the distance that its largest record may have;
 * - the preceding token;
 * - the positional filter, and the bitmap filter with the pair's own distance;
 * - the search for a common token before this one;
 * - verification, from this token on. The last three are in list_candidates.c.
 *
 * Most lists are short, and to find the window of each entry would take longer than to compare all
 * of them. In a short list all signatures are compared, and the few pairs that are near take the
 * size filter last.
 *
 * If only pairs that connect groups are wanted (connecting_pairs.h), none within a group is.
 * Then each list of a self-join takes one of its groups for a right side, which does not meet itself:
 * the one of most entries if it has more than half of them. So the pairs within groups that are
 * compared are never much more than the others. A list whose records are all connected costs nothing.
 *
 * Lists are joined by partitions, which are ranges of tokens (list_partitions.h). The postings of a
 * partition are sorted into lists here, together with copies of the signatures, in memory that the
 * cache holds. Partitions are units, which workers share; a partition of long lists is divided
 * between all of them. Workers only read the index.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "bisect.h"
#include "kernel/demand/best_pairs.h"
#include "kernel/demand/connecting_pairs.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/filters/signature_scan.h"
#include "kernel/lists/list_candidates.h"
#include "kernel/lists/list_entries.h"
#include "kernel/lists/list_families.h"
#include "kernel/lists/list_join.h"

/* A window is compared in steps, each with the distance of its own largest record. */
#define WINDOW_STEP 512

/* Partitions are divided between workers if their tokens have this many postings on average. */
#define LONG_LIST 1024

/* In a window that is no longer, the size filter end is not searched. */
#define SHORT_WINDOW 16

/* A slice of no more indexed entries is compared whole, without windows. */
#define SHORT_SLICE 32

/* It is compared with this many probing entries at a time. */
#define SHORT_STEP 64

/* Prefetch distance of postings, in postings. */
#define POSTINGS_AHEAD 128

/* Prefetch distance of signatures, in postings. */
#define SIGNATURES_AHEAD 32

/* Majority vote: the group of more than half of a list's entries, or else any one. */
typedef struct GroupVote
{
	uint32 group; /* a record that stands for it */
	uint32 count;
	bool is_mixed; /* whether the list has entries of two groups */
} GroupVote;

struct ListJoiner
{
	const ListIndex *index;
	const JoinRecords *records;
	JoinHost *host;
	JoinCounters *counters;
	SignatureScan scan;
	ListCandidates candidates;

	ListEntries list;		  /* the partition's entries, list by list and slice by slice */
	uint32 *slice_ends;		  /* where the postings of each token and slice end */
	const OpenGroups *groups; /* the demand, if only connecting pairs are wanted, else NULL */
	GroupVote *votes;		  /* the vote of each token; NULL if there are no groups */
	const OpenBest *best;	  /* the demand, if only the best pairs are wanted, else NULL */
	ListFamilies *families;	  /* NULL if there is no such demand, or the join is directed */

	/* What a step of a window has found. */
	uint32 near[WINDOW_STEP];
	uint32 distances[WINDOW_STEP];

	/* Of a divided partition, this unit takes the probing entries part, part + parts and so on. */
	uint32 part;
	uint32 parts;

	uint64 slice_count; /* of slice_ends, for the partition of most tokens */
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

/* Returns the size class of a record, searched upward from `size_class`. */
static inline uint32
class_from(const ListIndex *index, uint32 size_class, uint32 record)
{
	while (size_class + 1 < index->spec->records->class_count &&
		   record >= index->classes[size_class + 1].first_record)
		size_class++;
	return size_class;
}

/*
 * Returns what stands for the group of a record. All workers must have the same slices, and none
 * knows what another one has connected.
 */
static inline uint32
group_of(const ListJoiner *joiner, uint32 record)
{
	return joiner->index->participants == 1 ? OpenGroupsRoot(joiner->groups, record)
											: joiner->groups->groups[record];
}

/* Chooses the group of each of the partition's lists that is its right side. */
static void
vote_for_groups(ListJoiner *joiner, const ListPosting *postings, uint32 count, uint32 first_token,
				uint32 tokens)
{
	for (uint32 token = 0; token < tokens; token++)
		joiner->votes[token] = (GroupVote){0};
	for (uint32 i = 0; i < count; i++)
	{
		GroupVote *vote = &joiner->votes[postings[i].token - first_token];
		uint32 group = group_of(joiner, postings[i].record);

		JoinTick(joiner->host, 1);
		vote->is_mixed |= vote->count > 0 && vote->group != group;
		if (vote->count == 0)
			vote->group = group;
		if (vote->group == group)
			vote->count++;
		else
			vote->count--;
	}
}

static inline uint32
slice_of(const ListJoiner *joiner, const ListPosting *posting, uint32 first_token)
{
	uint32 slice = ListPostingSlice(posting);

	if (joiner->votes != NULL && !joiner->records->two_sided &&
		joiner->votes[posting->token - first_token].group == group_of(joiner, posting->record))
		slice += RIGHT_INDEXED;
	return slice;
}

/*
 * Sorts the partition's postings by (token, slice) into entries. It is a counting sort, and equal
 * ones keep the order of records, in which they were written. That is also the order of the index's
 * signatures, so that the processor reads these ascending.
 */
static void
sort_partition(ListJoiner *joiner, uint32 partition)
{
	const ListIndex *index = joiner->index;
	const ListPosting *postings = index->postings + index->partition_starts[partition];
	uint32 count = index->partition_starts[partition + 1] - index->partition_starts[partition];
	uint32 first_token = index->partitions.tokens[partition];
	uint32 tokens = index->partitions.tokens[partition + 1] - first_token;
	uint64 slices = (uint64) tokens * index->slice_count;
	uint32 *next = joiner->slice_ends;
	uint32 words = index->signature_words;
	uint32 size_class = 0;
	uint32 so_far = 0;

	if (joiner->votes != NULL)
		vote_for_groups(joiner, postings, count, first_token, tokens);
	JoinTick(joiner->host, count);
	memset(next, 0, slices * sizeof(uint32));
	for (uint32 i = 0; i < count; i++)
	{
		__builtin_prefetch(&postings[i + POSTINGS_AHEAD]);
		next[(uint64) (postings[i].token - first_token) * index->slice_count +
			 slice_of(joiner, &postings[i], first_token)]++;
	}
	for (uint64 s = 0; s < slices; s++)
	{
		uint32 of_slice = next[s];

		next[s] = so_far;
		so_far += of_slice;
	}

	for (uint32 i = 0; i < count; i++)
	{
		const ListPosting *posting = &postings[i];
		const uint64 *signature = index->signatures + (uint64) posting->record * words;
		uint32 to = next[(uint64) (posting->token - first_token) * index->slice_count +
						 slice_of(joiner, posting, first_token)]++;

		if (i + SIGNATURES_AHEAD < count)
		{
			uint64 ahead = posting[SIGNATURES_AHEAD].record;

			__builtin_prefetch(index->signatures + ahead * words);
			if (index->is_weighted)
				__builtin_prefetch(&index->classes[ahead]);
		}
		size_class =
			index->is_weighted ? posting->record : class_from(index, size_class, posting->record);
		joiner->list.entries[to] = (ListEntry){.record = posting->record,
											   .previous = posting->previous,
											   .position = ListPostingPosition(posting),
											   .size_class = size_class};
		if (index->is_weighted)
			joiner->list.weights[to] =
				(ListEntryWeight){.extent = index->classes[posting->record].extent,
								  .rest = index->rests[index->partition_starts[partition] + i]};
		for (uint32 w = 0; w < words; w++)
			joiner->list.signatures.planes[w][to] = signature[w];
	}
}

/*
 * Takes a pair with near signatures, unless both records have the same preceding token: then the
 * pair has met in the list of that token. In a large family most pairs are connected already, and go
 * before they take a place in the queue.
 */
static pg_attribute_always_inline void
consider(ListJoiner *joiner, uint32 x, uint32 y, uint32 distance)
{
	const ListEntry *x_entry = &joiner->list.entries[x];
	const ListEntry *y_entry = &joiner->list.entries[y];

	if (x_entry->previous == y_entry->previous && x_entry->position > 0)
		return;
	if (joiner->groups != NULL &&
		OpenGroupsConnect(joiner->groups, x_entry->record, y_entry->record))
		return;
	if (joiner->index->is_weighted)
		ListCandidatesAddWeighted(&joiner->candidates, x_entry, y_entry, joiner->list.weights[x],
								  joiner->list.weights[y], distance);
	else
		ListCandidatesAdd(&joiner->candidates, x_entry, y_entry, distance);
}

/*
 * Returns the greatest distance that the signature of entry x can have to a similar record's, if
 * that record is no larger than entry y's.
 */
static inline int64
distance_up_to(const ListJoiner *joiner, uint32 x, uint32 y)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entries = joiner->list.entries;
	int64 size;

	if (index->is_weighted)
		return WeightedBitmapDistance(
			&index->bitmap, &index->bounds, joiner->list.weights[x].extent,
			Min(joiner->list.weights[x].extent, joiner->list.weights[y].extent));
	size = index->classes[entries[x].size_class].size;
	return BitmapFilterDistanceUpTo(&index->least_overlaps, size,
									index->classes[entries[y].size_class].size);
}

/* Returns the first of the entries first .. end - 1 whose record is not before this one, or end. */
static uint32
first_entry_from(const ListEntry *entries, uint32 first, uint32 end, uint32 record)
{
	BISECT(uint32, first, end, at, entries[at].record < record);
	return first;
}

/* Returns the first of the entries first .. end - 1 whose extent is greater than this, or end. */
static uint32
first_above_extent(const ListEntryWeight *weights, uint32 first, uint32 end, double extent)
{
	BISECT(uint32, first, end, at, weights[at].extent <= extent);
	return first;
}

/*
 * Returns the first of the entries first .. end - 1 that is too large to be similar to x, or end,
 * if this token is their first common one: the rest of x from the token on must reach the overlap.
 * The token is beyond the indexing prefix of x.
 */
static uint32
first_too_large(const ListJoiner *joiner, uint32 x, uint32 first, uint32 end)
{
	const ListIndex *index = joiner->index;
	const ListEntry *entry = &joiner->list.entries[x];
	uint32 size_end;

	if (index->is_weighted)
		return first_above_extent(joiner->list.weights, first, end,
								  WeightGreatestExtent(&index->bounds,
													   joiner->list.weights[x].extent,
													   joiner->list.weights[x].rest));
	size_end = SizeFilterEnd(&index->size_filter_ends, entry->size_class, entry->position);
	if (size_end > entry->record)
		return end;
	return first_entry_from(joiner->list.entries, first, end, size_end);
}

/* Compares entry x with the entries first .. end - 1, all of which pass the size filter. */
static void
probe_window(ListJoiner *joiner, uint32 x, uint32 first, uint32 end)
{
	while (first < end)
	{
		uint32 stop = end - first > WINDOW_STEP ? first + WINDOW_STEP : end;
		int64 distance = distance_up_to(joiner, x, stop - 1);
		uint32 count = 0;

		JoinTick(joiner->host, stop - first);
		if (distance >= 0)
			count = joiner->scan.one(&joiner->list.signatures, x, first, stop, distance,
									 joiner->near, joiner->distances);
		joiner->counters->pruned_by_bitmap += stop - first - count;
		for (uint32 i = 0; i < count; i++)
			consider(joiner, x, joiner->near[i], joiner->distances[i]);
		first = stop;
	}
}

/*
 * Takes the pairs of entry x with the entries of a block whose bits are set in `lanes`, if they
 * precede x and pass the size filter. They had been counted as pruned.
 */
static inline void
consider_lanes(ListJoiner *joiner, uint32 x, uint32 block, uint32 lanes)
{
	const ListEntry *entries = joiner->list.entries;

	while (lanes != 0)
	{
		uint32 y = block + pg_rightmost_one_pos32(lanes);

		lanes &= lanes - 1;
		joiner->counters->pruned_by_bitmap--;
		if (entries[y].record < entries[x].record &&
			entries[y].record >= joiner->index->classes[entries[x].size_class].size_filter_start)
			consider(joiner, x, y, SignatureDistance(&joiner->list.signatures, x, y));
	}
}

/* Compares all probing entries with a block of at most SIGNATURE_LANES entries. */
static inline void
probe_block(ListJoiner *joiner, EntryRange probing, EntryRange block, const int32 *distances)
{
	uint8 near[SHORT_STEP];
	uint32 count = probing.end - probing.first;

	joiner->counters->pruned_by_bitmap += (uint64) count * (block.end - block.first);
	if (!joiner->scan.many(&joiner->list.signatures, probing.first, probing.end, block.first,
						   block.end, distances, near))
		return;
	for (uint32 i = 0; i < count; i++)
		consider_lanes(joiner, probing.first + i, block.first, near[i]);
}

/*
 * Compares all probing entries with all of a short slice. The size filter comes last, so that pairs
 * of very different sizes count as pruned by the bitmap filter.
 */
static void
probe_short_slice(ListJoiner *joiner, EntryRange probing, EntryRange indexed)
{
	const ListEntry *entries = joiner->list.entries;
	uint32 largest = indexed.end - 1;
	bool with_itself = probing.first == indexed.first;
	int32 distances[SHORT_STEP];

	for (uint32 first = probing.first; first < probing.end; first += SHORT_STEP)
	{
		uint32 end = Min(probing.end, first + SHORT_STEP);

		for (uint32 x = first; x < end; x++)
		{
			/* Only records up to x itself can be met. */
			bool is_smaller = entries[x].size_class < entries[largest].size_class;
			int64 distance = distance_up_to(joiner, x, is_smaller ? x : largest);

			distances[x - first] = Max(Min(distance, PG_INT32_MAX), -1);
		}
		for (uint32 block = indexed.first; block < indexed.end; block += SIGNATURE_LANES)
		{
			/* Within one slice, an entry meets those before it. */
			uint32 x = with_itself ? Max(first, block + 1) : first;
			EntryRange few = {block, Min(block + SIGNATURE_LANES, indexed.end)};

			if (x >= end)
				break;
			JoinTick(joiner->host, (uint64) (end - x) * SIGNATURE_LANES);
			probe_block(joiner, (EntryRange){x, end}, few, distances + (x - first));
		}
	}
}

/*
 * Joins the entries of the probing slice with the records of the indexed slice that they look up.
 * Both slices are in the order of records, so windows only move ahead.
 */
static void
probe_slice(ListJoiner *joiner, EntryRange probing, EntryRange indexed)
{
	const ListIndex *index = joiner->index;
	const JoinSpec *spec = index->spec;
	const ListEntry *entries = joiner->list.entries;
	EntryRange window = {indexed.first, indexed.first};
	bool with_itself = probing.first == indexed.first;

	if (indexed.first == indexed.end || probing.first + with_itself >= probing.end)
		return;
	if (!spec->is_directed && indexed.end - indexed.first <= SHORT_SLICE)
	{
		if (joiner->part == 0)
			probe_short_slice(joiner, probing, indexed);
		return;
	}
	for (uint32 x = probing.first + joiner->part; x < probing.end; x += joiner->parts)
	{
		const ListClass *class = &index->classes[entries[x].size_class];
		uint32 look_up_end = JoinSpecLookUpEnd(spec, entries[x].record);
		uint32 end;

		JoinTick(joiner->host, 1);
		if (joiner->host->is_stopped)
			return;
		while (window.end < indexed.end && entries[window.end].record < look_up_end)
			window.end++;
		while (window.first < window.end && entries[window.first].record < class->size_filter_start)
			window.first++;
		end = window.end;
		if (entries[x].position >= class->indexing_prefix && end > window.first + SHORT_WINDOW)
			end = first_too_large(joiner, x, window.first, end);
		if (window.first < end)
			probe_window(joiner, x, window.first, end);
	}
}

/* Joins the records of two slices in either order, except within families or with them. */
static void
probe_both_ways(ListJoiner *joiner, const EntryRange *slices)
{
	probe_slice(joiner, slices[LEFT_INDEXED], slices[RIGHT_INDEXED]);
	probe_slice(joiner, slices[LEFT_PROBING], slices[RIGHT_INDEXED]);
	probe_slice(joiner, slices[RIGHT_INDEXED], slices[LEFT_INDEXED]);
	probe_slice(joiner, slices[RIGHT_PROBING], slices[LEFT_INDEXED]);
}

/* Joins each two slices whose entries meet (list_slices.h). */
static void
join_list(ListJoiner *joiner, EntryRange *slices)
{
	ListFamilies *families = joiner->families;

	if (families != NULL)
		ListFamiliesSplit(families, slices);
	if (!joiner->records->two_sided)
	{
		probe_slice(joiner, slices[LEFT_INDEXED], slices[LEFT_INDEXED]);
		probe_slice(joiner, slices[LEFT_PROBING], slices[LEFT_INDEXED]);
	}
	if (joiner->index->slice_count == LIST_SLICES)
		probe_both_ways(joiner, slices);
	if (families != NULL)
		ListFamiliesJoin(families, slices, joiner->part, joiner->parts);
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
	for (uint32 token = 0; token < tokens && !joiner->host->is_stopped; token++)
	{
		EntryRange slices[LIST_SLICES] = {{0, 0}};
		uint32 list_first = first;

		for (uint32 s = 0; s < index->slice_count; s++)
		{
			slices[s] = (EntryRange){first, *slice_end};
			first = *slice_end++;
		}
		if (first - list_first > 1 && (joiner->votes == NULL || joiner->votes[token].is_mixed))
			join_list(joiner, slices);
		if (joiner->part == 0)
			joiner->host->done += first - list_first;
	}
}

/*
 * Returns how many of the last partitions are divided. Partitions of long lists take far longer to
 * join than to sort, and are few: one of them could keep a single worker busy when all others are
 * done. So there is a unit for each participant, which sorts the whole partition and joins a part
 * of the probing entries. Lists are the longest in the last partitions, of the most frequent
 * tokens.
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

/*
 * Units start with the first partition, of the rarest tokens, and divided partitions come last. Rare
 * tokens come first in records, so that similar records meet and are emitted in their lists. A join that
 * is stopped when it has many pairs is stopped before it reads the long lists, in which these pairs meet
 * again.
 */
void
ListJoinUnit(ListJoiner *joiner, uint32 unit)
{
	const ListIndex *index = joiner->index;
	uint32 whole = index->partitions.count - divided_partitions(index);
	bool is_divided = unit >= whole;

	joiner->part = is_divided ? (unit - whole) % index->participants : 0;
	joiner->parts = is_divided ? index->participants : 1;
	join_partition(joiner, is_divided ? whole + (unit - whole) / index->participants : unit);
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
	joiner->counters = counters;
	joiner->scan = SignatureScanBest();
	ListCandidatesBegin(&joiner->candidates, index, emit, emit_context, counters);
	ListEntriesInit(&joiner->list, index, largest_partition(index));
	joiner->groups = OpenGroupsOf(joiner->candidates.demand);
	joiner->best = OpenBestOf(joiner->candidates.demand);
	joiner->families = joiner->best != NULL && !spec->is_directed
						   ? ListFamiliesBegin(&joiner->list, &joiner->candidates, joiner->best)
						   : NULL;
	joiner->slice_count = (uint64) most_tokens(index) * index->slice_count;
	joiner->slice_ends = JoinAllocate(host, joiner->slice_count, sizeof(uint32));
	joiner->votes =
		joiner->groups != NULL ? JoinAllocate(host, most_tokens(index), sizeof(GroupVote)) : NULL;
	return joiner;
}

void
ListJoinerEnd(ListJoiner *joiner)
{
	JoinHost *host = joiner->host;

	ListCandidatesEnd(&joiner->candidates);
	if (joiner->families != NULL)
		ListFamiliesEnd(joiner->families);
	JoinRelease(host, joiner->slice_ends, joiner->slice_count, sizeof(uint32));
	if (joiner->votes != NULL)
		JoinRelease(host, joiner->votes, most_tokens(joiner->index), sizeof(GroupVote));
	ListEntriesFree(&joiner->list);
	JoinRelease(host, joiner, 1, sizeof(ListJoiner));
}
