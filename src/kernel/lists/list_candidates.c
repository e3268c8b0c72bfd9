/*
 * list_candidates.c
 *		Filters, queues and verifies the pairs that meet in lists.
 *
 * Verification starts at the pair's common token. If it is their first common token, the overlap is
 * the overlap of the tokens from there on; if not, the pair is dropped, since it has been taken at
 * the first one.
 */
#include "c.h"

#include "kernel/filters/bitmap_filter.h"
#include "kernel/filters/positional_filter.h"
#include "kernel/filters/repeat_join.h"
#include "kernel/filters/verify.h"
#include "kernel/lists/list_candidates.h"

void
ListCandidatesBegin(ListCandidates *candidates, const ListIndex *index, JoinEmit emit,
					void *emit_context, JoinCounters *counters)
{
	candidates->index = index;
	candidates->records = index->spec->records;
	candidates->host = index->spec->records->host;
	candidates->emit = emit;
	candidates->emit_context = emit_context;
	candidates->counters = counters;
	candidates->queued = 0;
	candidates->demand = RecordDemandOpen(candidates->records, index->spec->predicate);
}

/* Returns the records that equal a record, from it on, or the record alone if one of them suffices. */
static RecordRange
repeats_wanted(const ListCandidates *candidates, uint32 record)
{
	if (candidates->demand != NULL && candidates->demand->kind->one_of_equals)
		return (RecordRange){record, record + 1};
	return RepeatsOf(candidates->records, record);
}

/* Emits the pairs of both records' repeats. The left record comes first. */
static void
emit_repeats(ListCandidates *candidates, const ListCandidate *pair, uint64 overlap)
{
	const JoinRecords *records = candidates->records;
	RecordRange x_range = repeats_wanted(candidates, pair->x.record);
	RecordRange y_range = repeats_wanted(candidates, pair->y.record);

	if (records->two_sided && !JoinRecordIsLeft(records, &records->records[x_range.first]))
		JoinEmitRanges(records, y_range, x_range, overlap, candidates->emit,
					   candidates->emit_context);
	else
		JoinEmitRanges(records, x_range, y_range, overlap, candidates->emit,
					   candidates->emit_context);
}

/* Returns the overlap from the common token on, or less than it if the pair is not similar. */
static int64
overlap_from_token(const ListCandidates *candidates, const ListCandidate *pair, const uint32 *x,
				   uint32 x_rest, const uint32 *y, uint32 y_rest)
{
	const JoinRecords *records = candidates->records;
	TokenTerms terms = {records->weights, records->weighing.squares};

	if (!candidates->index->is_weighted)
		return OverlapAtLeast(candidates->host, x, x_rest, y, y_rest, pair->least_overlap);
	return WeightedOverlap(candidates->host, terms, x, x_rest, y, y_rest,
						   pair->x_rest - pair->least_weight, pair->y_rest - pair->least_weight);
}

static bool
is_similar(const ListCandidates *candidates, const ListCandidate *pair, int64 overlap)
{
	const JoinRecords *records = candidates->records;

	if (!candidates->index->is_weighted)
		return overlap >= pair->least_overlap;
	/* Most pairs fail here, before the totals are read. */
	return (double) overlap >= pair->least_weight &&
		   PredicateHolds(candidates->index->spec->predicate, overlap,
						  records->totals[pair->x.record], records->totals[pair->y.record]);
}

/* Returns what the demand is asked about a pair with this overlap. */
static inline AskedPair
asked_pair(const ListCandidates *candidates, const ListCandidate *pair, int64 overlap)
{
	const ListClass *classes = candidates->index->classes;

	return (AskedPair){.x = pair->x.record,
					   .y = pair->y.record,
					   .x_size = classes[pair->x.size_class].size,
					   .y_size = classes[pair->y.size_class].size,
					   .overlap = overlap};
}

/* Returns whether a pair is wanted, by what it can be at best. */
static bool
may_be_wanted(const ListCandidates *candidates, const ListCandidate *pair)
{
	AskedPair asked = asked_pair(candidates, pair, 0);

	asked.overlap = Min(asked.x_size - pair->x.position, asked.y_size - pair->y.position);
	return candidates->demand->kind->wants(candidates->demand, &asked);
}

/* Notes a similar pair if it is wanted, and returns whether it is. */
static bool
note_if_wanted(ListCandidates *candidates, const ListCandidate *pair, int64 overlap)
{
	AskedPair asked = asked_pair(candidates, pair, overlap);

	return candidates->demand->kind->note(candidates->demand, &asked);
}

/* Verifies the queue; `asks` is whether there is a demand. */
static pg_attribute_always_inline void
verify_queue(ListCandidates *candidates, bool asks)
{
	const ListIndex *index = candidates->index;

	for (uint32 i = 0; i < candidates->queued; i++)
	{
		const ListCandidate *pair = &candidates->queue[i];
		const uint32 *x = ListIndexTokens(index, pair->x.size_class, pair->x.record);
		const uint32 *y = ListIndexTokens(index, pair->y.size_class, pair->y.record);
		uint32 x_rest = index->classes[pair->x.size_class].size - pair->x.position;
		uint32 y_rest = index->classes[pair->y.size_class].size - pair->y.position;
		int64 overlap;

		if ((asks && !may_be_wanted(candidates, pair)) ||
			HaveCommonToken(candidates->host, x, pair->x.position, y, pair->y.position))
			continue;
		candidates->counters->candidates++;
		overlap = overlap_from_token(candidates, pair, x + pair->x.position, x_rest,
									 y + pair->y.position, y_rest);
		if (is_similar(candidates, pair, overlap) &&
			(!asks || note_if_wanted(candidates, pair, overlap)))
			emit_repeats(candidates, pair, overlap);
	}
	candidates->queued = 0;
}

void
ListCandidatesVerify(ListCandidates *candidates)
{
	if (candidates->demand == NULL)
		verify_queue(candidates, false);
	else
		verify_queue(candidates, true);
}

void
ListCandidatesEnd(ListCandidates *candidates)
{
	ListCandidatesVerify(candidates);
	if (candidates->demand != NULL)
		candidates->demand->kind->close(candidates->demand);
}

/*
 * Appends a pair, and prefetches its tokens: x's from the common token on, and y's from both the
 * beginning and the common token. x usually has several pairs, and its beginning is in the cache.
 */
static inline void
enqueue(ListCandidates *candidates, const ListEntry *x, const ListEntry *y, ListCandidate candidate)
{
	const ListIndex *index = candidates->index;

	candidate.x = *x;
	candidate.y = *y;
	candidates->queue[candidates->queued++] = candidate;
	__builtin_prefetch(ListIndexTokens(index, x->size_class, x->record) + x->position);
	__builtin_prefetch(ListIndexTokens(index, y->size_class, y->record));
	__builtin_prefetch(ListIndexTokens(index, y->size_class, y->record) + y->position);
	if (candidates->queued == LIST_QUEUE_SIZE)
		ListCandidatesVerify(candidates);
}

void
ListCandidatesAdd(ListCandidates *candidates, const ListEntry *x, const ListEntry *y,
				  uint32 distance)
{
	const ListIndex *index = candidates->index;
	int64 x_size = index->classes[x->size_class].size;
	int64 y_size = index->classes[y->size_class].size;
	int64 least_overlap;

	/* A record that looks up and is met, whichever is larger, meets itself. */
	if (x->record == y->record)
		return;
	least_overlap = LeastOverlap(&index->least_overlaps, x_size, y_size);
	if (!PositionalFilterPasses(0, x_size - x->position, y_size - y->position, least_overlap))
	{
		candidates->counters->pruned_by_position++;
		return;
	}
	if (distance > BitmapFilterDistance(x_size, y_size, least_overlap))
	{
		candidates->counters->pruned_by_bitmap++;
		return;
	}
	/* SizeJoin finds the pairs that need no overlap. */
	if (least_overlap <= 0)
		return;

	enqueue(candidates, x, y, (ListCandidate){.least_overlap = least_overlap});
}

void
ListCandidatesAddWeighted(ListCandidates *candidates, const ListEntry *x, const ListEntry *y,
						  ListEntryWeight x_weight, ListEntryWeight y_weight, uint32 distance)
{
	const ListIndex *index = candidates->index;
	double least = WeightLeastOverlap(&index->bounds, x_weight.extent, y_weight.extent);

	/* The positional filter, by weights: the overlap is at most what either record has left. */
	if (Min(x_weight.rest, y_weight.rest) < least)
	{
		candidates->counters->pruned_by_position++;
		return;
	}
	if (distance >
		WeightedBitmapDistance(&index->bitmap, &index->bounds, x_weight.extent, y_weight.extent))
	{
		candidates->counters->pruned_by_bitmap++;
		return;
	}
	enqueue(
		candidates, x, y,
		(ListCandidate){.x_rest = x_weight.rest, .y_rest = y_weight.rest, .least_weight = least});
}
