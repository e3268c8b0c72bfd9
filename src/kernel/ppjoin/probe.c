/*
 * probe.c
 *		Implements All-Pairs, ppjoin (Algorithm 1) and ppjoin+ (with Algorithm 5).
 *
 * Record x looks up the lists of its probing prefix. For each record y that it meets, met[y] counts
 * the tokens that both prefixes share: this is the paper's A[y], as an array over all records
 * instead of a hash map. The records that were met are also listed, so that only their places are
 * cleared. A pair whose filters have refused it has PRUNED there. The three algorithms differ in
 * their filters, which are constants of one loop that the compiler expands three times.
 *
 * The size filter is a window of each list, which is in the order of records: it begins at the
 * first posting that is not too small, and ends at x. x grows from probe to probe and the window
 * begins later, so each list has a head, the posting where the last window began.
 *
 * In a weighted join, sums of weights take the place of the counts. At a low threshold most pairs that
 * meet are not similar, and their sums tell it: a sum and the weight behind the prefix that ends first
 * are an upper bound of the overlap. So that this bound is low, records are indexed further than the
 * prefix filter needs (join_spec.c). The positional filter becomes two comparisons: at each of its
 * tokens x meets new records only up to some extent, and each posting has a reach. Of equal records
 * only the first looks up and is indexed (repeat_join.h). Where few records look up, as the roles say,
 * only these traverse lists, and meet larger records too.
 *
 * The pseudocode errs in two points:
 *
 * - Algorithm 5 replaces line 12 of Algorithm 1, but says what happens only where A[y] is 0. Where
 *   it is not, line 12 must stay, or Verify would start from too small an overlap.
 * - Line 14 sets A[y] of a pruned pair to 0, and would do so with the -∞ of Algorithm 5. The pair
 *   would look new at its next common token. Here a pruned pair stays pruned, so that the suffix
 *   filter sees a pair once, at its first common token.
 */
#include "c.h"

#include "bisect.h"
#include "kernel/filters/positional_filter.h"
#include "kernel/filters/repeat_join.h"
#include "kernel/filters/suffix_filter.h"
#include "kernel/filters/verify.h"
#include "kernel/ppjoin/probe.h"
#include "measure/token_weight.h"
#include "measure/weight_bounds.h"

#define PRUNED (-1)

#define POSTINGS_BETWEEN_CHECKS (1 << 16)

/* Prefetch distances of a weighted join: lists of the prefix, and records to verify. */
#define LISTS_AHEAD 3
#define TO_VERIFY_AHEAD 8

/* More than any sum of weights. */
#define NO_BOUND 0x1p62

/* A size that y may have, and α for this size and the size of x. */
typedef struct SizeBound
{
	int32 size;
	int32 least_overlap;
} SizeBound;

struct Prober
{
	const JoinSpec *spec;
	const PrefixIndexes *indexes;
	const JoinRecords *records;
	JoinHost *host;
	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;

	int32 *met;		  /* A[y] by record, or PRUNED */
	uint32 *met_list; /* records whose place in `met` is not 0 */
	uint32 met_count;
	/* By side and token: earlier postings are too small for x and all later records. */
	uint64 *heads[2];
	SizeBound *bounds;	 /* the bound for each size class of y */
	uint32 bounds_class; /* the size class of x that they are for */

	/* In a weighted join, where there are neither `met` nor bounds of sizes. */
	bool is_weighted;
	WeightBounds weight_bounds;
	int64 *sums; /* by record, the weight of the tokens that both prefixes share so far */
};

static uint64 *
copy_list_heads(const Prober *prober, const PrefixIndex *index)
{
	uint32 count = prober->records->distinct_tokens;
	uint64 *heads;

	heads = JoinAllocate(prober->host, count, sizeof(uint64));
	for (uint32 i = 0; i < count; i++)
		heads[i] = index->starts[i];
	return heads;
}

Prober *
ProberBegin(const JoinSpec *spec, const PrefixIndexes *indexes, JoinEmit emit, void *emit_context,
			JoinCounters *counters)
{
	const JoinRecords *records = spec->records;
	JoinHost *host = records->host;
	Prober *prober = JoinAllocate(host, 1, sizeof(Prober));

	prober->spec = spec;
	prober->indexes = indexes;
	prober->records = records;
	prober->host = host;
	prober->emit = emit;
	prober->emit_context = emit_context;
	prober->counters = counters;
	prober->is_weighted = records->weighing.is_weighted;
	prober->met = NULL;
	prober->bounds = NULL;
	prober->sums = NULL;
	if (prober->is_weighted)
	{
		prober->weight_bounds = WeightBoundsOf(spec->predicate);
		prober->sums = JoinAllocateZero(host, records->record_count, sizeof(int64));
	}
	else
	{
		prober->met = JoinAllocateZero(host, records->record_count, sizeof(int32));
		prober->bounds = JoinAllocate(host, records->class_count, sizeof(SizeBound));
	}
	prober->met_list = JoinAllocate(host, records->record_count, sizeof(uint32));
	prober->met_count = 0;
	prober->bounds_class = PG_UINT32_MAX;
	prober->heads[0] = copy_list_heads(prober, &indexes->sides[0]);
	prober->heads[1] =
		records->two_sided ? copy_list_heads(prober, &indexes->sides[1]) : prober->heads[0];
	return prober;
}

void
ProberEnd(Prober *prober)
{
	const JoinRecords *records = prober->records;
	JoinHost *host = prober->host;

	JoinRelease(host, prober->met, records->record_count, sizeof(int32));
	JoinRelease(host, prober->sums, records->record_count, sizeof(int64));
	JoinRelease(host, prober->met_list, records->record_count, sizeof(uint32));
	JoinRelease(host, prober->bounds, records->class_count, sizeof(SizeBound));
	JoinRelease(host, prober->heads[0], records->distinct_tokens, sizeof(uint64));
	if (records->two_sided)
		JoinRelease(host, prober->heads[1], records->distinct_tokens, sizeof(uint64));
	JoinRelease(host, prober, 1, sizeof(Prober));
}

/* Computes the bounds for all sizes that x may meet, unless the record before had the same size. */
static void
set_bounds(Prober *prober, const JoinRecord *x)
{
	const JoinRecords *records = prober->records;
	Predicate predicate = prober->spec->predicate;
	uint32 first_record = prober->spec->classes[x->size_class].first_record;
	uint32 number = (uint32) (x - records->records);
	uint32 last = Max(JoinSpecLookUpEnd(prober->spec, number), number + 1) - 1;

	if (prober->bounds_class == x->size_class)
		return;
	prober->bounds_class = x->size_class;
	if (first_record == records->record_count)
		return;
	for (uint32 i = records->records[first_record].size_class;
		 i <= records->records[last].size_class; i++)
	{
		prober->bounds[i].size = records->class_sizes[i];
		prober->bounds[i].least_overlap =
			PredicateLeastOverlap(predicate, x->size, records->class_sizes[i]);
	}
}

static bool
passes_suffix_filter(const Prober *prober, const JoinRecord *x, uint32 i, const Posting *posting,
					 SizeBound bound)
{
	const JoinRecord *y = &prober->records->records[posting->record];

	return SuffixFilterPasses(JoinRecordTokens(prober->records, x), x->size, i,
							  JoinRecordTokens(prober->records, y), bound.size, posting->position,
							  bound.least_overlap);
}

/* Does lines 8 to 14 of Algorithm 1 for the token x[i] and some of its postings. */
static pg_attribute_always_inline void
meet_list(Prober *prober, const JoinRecord *x, uint32 i, const Posting *posting, const Posting *end,
		  uint32 limit, bool positional, bool suffix)
{
	int32 *met = prober->met;
	int32 x_rest = x->size - i;

	for (; posting < end && posting->record < limit; posting++)
	{
		int32 *overlap = &met[posting->record];
		SizeBound bound;

		if (!positional)
		{
			if ((*overlap)++ == 0)
				prober->met_list[prober->met_count++] = posting->record;
			continue;
		}
		if (*overlap == PRUNED)
			continue;
		if (*overlap == 0)
			prober->met_list[prober->met_count++] = posting->record;
		bound = prober->bounds[posting->size_class];
		if (!PositionalFilterPasses(*overlap, x_rest, bound.size - (int32) posting->position,
									bound.least_overlap))
		{
			*overlap = PRUNED;
			prober->counters->pruned_by_position++;
		}
		else if (suffix && *overlap == 0 && !passes_suffix_filter(prober, x, i, posting, bound))
		{
			*overlap = PRUNED;
			prober->counters->pruned_by_suffix++;
		}
		else
			(*overlap)++;
	}
}

/* Returns the first posting whose record is not before this one, or end. */
static const Posting *
first_posting_from(const Posting *posting, const Posting *end, uint32 record)
{
	BISECT(const Posting *, posting, end, at, at->record < record);
	return posting;
}

/* Emits a pair, the left record first. */
static void
probe_emit_pair(const Prober *prober, const JoinRecord *x, const JoinRecord *y, uint64 overlap)
{
	if (prober->records->two_sided && !JoinRecordIsLeft(prober->records, x))
		prober->emit(prober->emit_context, y, x, overlap);
	else
		prober->emit(prober->emit_context, x, y, overlap);
}

/*
 * Returns whether the roles let the pair be found: one record looks up, and one is met. A record that
 * looks up and is met, whichever is larger, meets itself. Where few look up, two of them meet twice,
 * and the pair is found when the later one looks up.
 */
static bool
is_sought(const Prober *prober, const JoinRecord *x, const JoinRecord *y)
{
	const JoinRecords *records = prober->records;
	JoinRole x_role = JoinRecordRole(records, (uint32) (x - records->records));
	JoinRole y_role = JoinRecordRole(records, (uint32) (y - records->records));

	if (x == y || (x_role | y_role) != JOIN_SEEKS)
		return false;
	return !prober->spec->few_look_up || x > y || (x_role & y_role) != JOIN_SEEKS;
}

/* Verifies the records that x has met (line 16 of Algorithm 1), and clears their places. */
static void
verify_met(Prober *prober, const JoinRecord *x)
{
	const JoinRecords *records = prober->records;
	const SizeClass *classes = prober->spec->classes;
	PrefixedRecord probing = {JoinRecordTokens(records, x), x->size,
							  classes[x->size_class].probing_prefix};

	for (uint32 k = 0; k < prober->met_count; k++)
	{
		const JoinRecord *y = &records->records[prober->met_list[k]];
		int32 prefix_overlap = prober->met[prober->met_list[k]];
		PrefixedRecord indexed = {JoinRecordTokens(records, y), y->size,
								  classes[y->size_class].indexing_prefix};
		int32 least_overlap = prober->bounds[y->size_class].least_overlap;
		int64 overlap;

		JoinTick(prober->host, x->size + y->size);
		prober->met[prober->met_list[k]] = 0;
		if (prefix_overlap == PRUNED || !is_sought(prober, x, y))
			continue;
		prober->counters->candidates++;
		overlap = VerifyOverlap(prober->host, &probing, &indexed, prefix_overlap, least_overlap);
		if (overlap >= least_overlap)
			probe_emit_pair(prober, x, y, overlap);
	}
	prober->met_count = 0;
}

/* Returns the first record of first .. end - 1 whose extent is greater than this, or end. */
static uint32
first_record_above(const Prober *prober, uint32 first, uint32 end, double extent)
{
	BISECT(uint32, first, end, at,
		   WeightExtent(&prober->weight_bounds, prober->records->totals[at]) <= extent);
	return first;
}

/*
 * Adds the weight of a token to the sums of the records that were met before. Meets the others if the
 * token may be the first common one, by the weight that both records have from there on: x meets new
 * records before new_end only, and y has a reach.
 */
static pg_attribute_always_inline void
meet_weighted_list(Prober *prober, int64 term, double extent, const Posting *posting,
				   const Posting *end, uint32 limit, uint32 new_end)
{
	int64 *sums = prober->sums;
	uint32 *met_list = prober->met_list;
	uint32 count = prober->met_count;

	for (; posting < end && posting->record < limit; posting++)
	{
		uint32 y = posting->record;

		if (sums[y] != 0)
			sums[y] += term;
		else if (y < new_end && posting->reach >= extent)
		{
			sums[y] = term;
			met_list[count++] = y;
		}
	}
	prober->met_count = count;
}

/*
 * Keeps the records that x has met and that may be similar, by the sum and the weight behind the
 * prefix that ends first. Clears the sums of the others. x_rest is the weight behind x's prefix.
 */
static void
drop_by_sums(Prober *prober, double extent, uint32 x_last, double x_rest)
{
	const IndexedWeights *weights = prober->indexes->weights;
	uint32 count = 0;

	JoinTick(prober->host, prober->met_count);
	for (uint32 k = 0; k < prober->met_count; k++)
	{
		uint32 number = prober->met_list[k];
		const IndexedWeights *y = &weights[number];
		double rest = x_last < y->last ? x_rest : y->rest;

		if ((double) prober->sums[number] + rest <
			WeightLeastOverlap(&prober->weight_bounds, extent, y->extent))
			prober->sums[number] = 0;
		else
			prober->met_list[count++] = number;
	}
	prober->met_count = count;
}

/* A record, with the prefix that was looked up or indexed, and the weight behind it. */
typedef struct CountedTokens
{
	const uint32 *tokens;
	uint32 size;
	uint32 prefix;
	double rest;
} CountedTokens;

/*
 * Returns the weight of the common tokens that the sum lacks, or less if it is below `needed`. The
 * prefix of u ends first, so the sum has all common tokens up to its last one: those lacking are in
 * the suffix of u, and in v behind that last one.
 */
static int64
overlap_behind(const Prober *prober, CountedTokens u, CountedTokens v, double needed)
{
	const JoinRecords *records = prober->records;
	TokenTerms terms = {records->weights, records->weighing.squares};
	uint32 from = v.prefix;

	while (from > 0 && v.tokens[from - 1] > u.tokens[u.prefix - 1])
		from--;
	return WeightedOverlap(prober->host, terms, u.tokens + u.prefix, u.size - u.prefix,
						   v.tokens + from, v.size - from, u.rest - needed, NO_BOUND);
}

/* Emits the pairs of both records' repeats, the left record first. */
static void
emit_weighted(const Prober *prober, uint32 x, uint32 y, uint64 overlap)
{
	const JoinRecords *records = prober->records;
	RecordRange x_range = RepeatsOf(records, x);
	RecordRange y_range = RepeatsOf(records, y);

	if (records->two_sided && !JoinRecordIsLeft(records, &records->records[x]))
		JoinEmitRanges(records, y_range, x_range, overlap, prober->emit, prober->emit_context);
	else
		JoinEmitRanges(records, x_range, y_range, overlap, prober->emit, prober->emit_context);
}

/* Verifies the records that x has met in a weighted join, and clears their sums. */
static void
verify_sums(Prober *prober, uint32 number, double extent, double x_rest)
{
	const JoinRecords *records = prober->records;
	const IndexedWeights *weights = prober->indexes->weights;
	const JoinRecord *record = &records->records[number];
	CountedTokens x = {JoinRecordTokens(records, record), record->size,
					   prober->spec->classes[number].probing_prefix, x_rest};
	uint32 x_last;

	if (prober->met_count == 0)
		return;
	x_last = x.tokens[x.prefix - 1];
	drop_by_sums(prober, extent, x_last, x_rest);
	for (uint32 k = 0; k < prober->met_count; k++)
	{
		uint32 y_number = prober->met_list[k];
		const IndexedWeights *of_y = &weights[y_number];
		CountedTokens y = {records->tokens + of_y->first_token, of_y->size, of_y->prefix,
						   of_y->rest};
		double least = WeightLeastOverlap(&prober->weight_bounds, extent, of_y->extent);
		int64 overlap = prober->sums[y_number];

		if (k + TO_VERIFY_AHEAD < prober->met_count)
		{
			const IndexedWeights *ahead = &weights[prober->met_list[k + TO_VERIFY_AHEAD]];

			__builtin_prefetch(records->tokens + ahead->first_token + ahead->prefix);
		}
		prober->sums[y_number] = 0;
		if (!is_sought(prober, record, &records->records[y_number]))
			continue;
		prober->counters->candidates++;
		overlap += x_last < of_y->last ? overlap_behind(prober, x, y, least - (double) overlap)
									   : overlap_behind(prober, y, x, least - (double) overlap);
		if ((double) overlap >= least &&
			PredicateHolds(prober->spec->predicate, overlap, records->totals[number],
						   records->totals[y_number]))
			emit_weighted(prober, number, y_number, overlap);
	}
	prober->met_count = 0;
}

/* Finds the pairs of one record: lines 3 to 16 of Algorithm 1, without the indexing. */
static pg_attribute_always_inline void
probe_record(Prober *prober, uint32 number, bool positional, bool suffix, bool weighted)
{
	const JoinRecords *records = prober->records;
	const JoinRecord *x = &records->records[number];
	const SizeClass *class = &prober->spec->classes[x->size_class];
	uint32 limit = JoinSpecLookUpEnd(prober->spec, number);
	int side = records->two_sided && !JoinRecordIsLeft(records, x) ? 0 : 1;
	const PrefixIndex *index = &prober->indexes->sides[side];
	const uint32 *tokens = JoinRecordTokens(records, x);
	uint32 new_end = limit;
	double extent = 0;
	int64 rest = 0; /* weight from the token on */

	if (class->first_record >= limit || (JoinSpecRole(prober->spec, number) & JOIN_LOOKS_UP) == 0)
		return;
	if (weighted)
	{
		rest = records->totals[number];
		extent = WeightExtent(&prober->weight_bounds, rest);
	}
	else
		set_bounds(prober, x);
	for (uint32 i = 0; i < class->probing_prefix; i++)
	{
		uint64 *head = &prober->heads[side][tokens[i]];
		const Posting *end = index->postings + index->starts[tokens[i] + 1];
		const Posting *posting = index->postings + *head;
		int64 term = 0;

		JoinTick(prober->host, 1);
		while (posting < end && posting->record < class->size_filter_start)
			posting++;
		*head = posting - index->postings;
		if (class->first_record > class->size_filter_start)
			posting = first_posting_from(posting, end, class->first_record);

		if (weighted)
		{
			double greatest = WeightGreatestExtent(&prober->weight_bounds, extent, (double) rest);

			if (greatest < extent || prober->spec->few_look_up)
				new_end = first_record_above(prober, class->first_record, new_end, greatest);
			if (i + LISTS_AHEAD < class->probing_prefix)
				__builtin_prefetch(index->postings + prober->heads[side][tokens[i + LISTS_AHEAD]]);
			if (i + 2 * LISTS_AHEAD < class->probing_prefix)
			{
				uint32 ahead = tokens[i + 2 * LISTS_AHEAD];

				__builtin_prefetch(&prober->heads[side][ahead]);
				__builtin_prefetch(&index->starts[ahead + 1]);
				__builtin_prefetch(&records->weights[ahead]);
			}
			term = TokenWeightTerm(records->weights[tokens[i]], records->weighing.squares);
			rest -= term;
		}
		while (posting < end && posting->record < limit)
		{
			const Posting *stop = posting + Min(end - posting, POSTINGS_BETWEEN_CHECKS);

			if (weighted)
				meet_weighted_list(prober, term, extent, posting, stop, limit, new_end);
			else
				meet_list(prober, x, i, posting, stop, limit, positional, suffix);
			JoinTick(prober->host, stop - posting);
			posting = stop;
		}
	}
	if (weighted)
		verify_sums(prober, number, extent, (double) rest);
	else
		verify_met(prober, x);
}

void
ProberJoin(Prober *prober, uint32 first, uint32 end)
{
	for (uint32 i = first; i < end && !prober->host->is_stopped; i++)
	{
		switch (prober->spec->algorithm)
		{
			case JOIN_ALLPAIRS:
				probe_record(prober, i, false, false, false);
				break;
			case JOIN_PPJOIN:
				if (!prober->is_weighted)
					probe_record(prober, i, true, false, false);
				else if (!JoinRecordRepeatsSide(prober->records, i))
					probe_record(prober, i, false, false, true);
				break;
			case JOIN_PPJOIN_PLUS:
				probe_record(prober, i, true, true, false);
				break;
			default:
				pg_unreachable();
		}
		JoinTick(prober->host, 1);
		prober->host->done++;
	}
}
