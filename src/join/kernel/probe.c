/*
 * probe.c
 *		Candidate generation and verification: Algorithm 1 of the paper, its
 *		extension by Algorithm 5, and the All-Pairs algorithm that it extends.
 *
 * A record x looks up its probing prefix. Each list entry y of sufficient
 * size that precedes x has its overlap counted in met[y], which is what the
 * paper calls A[y]: 0 not met, PRUNED never to be met again, else the tokens
 * that both prefixes share. An array over all records takes the place of the
 * paper's hash map; the records that were met are listed, so that clearing
 * costs no more than what was met.
 *
 * The three algorithms differ in which filters an entry passes, and are three
 * instances of one loop, expanded by the compiler.
 *
 * Where the paper's pseudocode would go wrong or leaves a choice:
 * - Algorithm 5 stands for line 12 where A[y] is 0; where it is greater, line
 *   12 remains, or Verify would start from too small an overlap.
 * - A pair that a filter drops stays dropped. (Line 14 of Algorithm 1 would
 *   turn Algorithm 5's −∞ back into 0.) So the suffix filter looks at a pair
 *   once, at its first common token, which its allowance i + j - 2 relies on.
 */
#include "c.h"

#include "join/kernel/join.h"
#include "join/kernel/suffix_filter.h"
#include "join/kernel/verify.h"

#define PRUNED (-1)

#define POSTINGS_BETWEEN_CHECKS (1 << 16)

/* A size of y, and the overlap that it takes with the present x. */
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

	int32 *met;		  /* A[y], by record */
	uint32 *met_list; /* the records y with A[y] other than 0 */
	uint32 met_count;
	uint64 *heads[2];  /* by index and rank: the first posting not yet too small for good */
	SizeBound *bounds; /* by size class, for records of the class bounds_class */
	uint32 bounds_class;
};

static uint64 *
copy_list_heads(const Prober *prober, const PrefixIndex *index)
{
	uint32 count = prober->records->distinct_tokens;
	uint64 *heads;

	if (index->starts == NULL)
		return NULL;
	heads = JoinAllocate(prober->host, count, sizeof(uint64));
	for (uint32 i = 0; i < count; i++)
	{
		JoinTick(prober->host, 1);
		heads[i] = index->starts[i];
	}
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
	prober->met = JoinAllocateZero(host, records->record_count, sizeof(int32));
	prober->met_list = JoinAllocate(host, records->record_count, sizeof(uint32));
	prober->met_count = 0;
	prober->bounds = JoinAllocate(host, records->class_count, sizeof(SizeBound));
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
	JoinRelease(host, prober->met_list, records->record_count, sizeof(uint32));
	JoinRelease(host, prober->bounds, records->class_count, sizeof(SizeBound));
	JoinRelease(host, prober->heads[0], records->distinct_tokens, sizeof(uint64));
	if (records->two_sided)
		JoinRelease(host, prober->heads[1], records->distinct_tokens, sizeof(uint64));
	JoinRelease(host, prober, 1, sizeof(Prober));
}

/* α for x with each size of y, again only when the size of x changes. */
static void
set_bounds(Prober *prober, const JoinRecord *x)
{
	const JoinRecords *records = prober->records;
	Predicate predicate = prober->spec->predicate;
	uint32 first_record = prober->spec->classes[x->size_class].first_record;
	uint32 end = MeasureIsAsymmetric(predicate.measure) ? records->class_count : x->size_class + 1;

	if (prober->bounds_class == x->size_class)
		return;
	prober->bounds_class = x->size_class;
	if (first_record == records->record_count)
		return;
	for (uint32 i = records->records[first_record].size_class; i < end; i++)
	{
		prober->bounds[i].size = records->class_sizes[i];
		prober->bounds[i].least_overlap =
			PredicateLeastOverlap(predicate, x->size, records->class_sizes[i]);
	}
}

/*
 * Whether x[i], the first token that x and y share, allows for the pair: line
 * 2 of Algorithm 5 with positions that count from 0.
 */
static bool
passes_suffix_filter(const Prober *prober, const JoinRecord *x, uint32 i, const Posting *posting,
					 SizeBound bound)
{
	const JoinRecord *y = &prober->records->records[posting->record];
	uint32 j = posting->position;
	int64 hamming_max = (int64) x->size + bound.size - 2 * (int64) bound.least_overlap - i - j;

	return SuffixFilter(JoinRecordTokens(prober->records, x) + i + 1, (int64) x->size - i - 1,
						JoinRecordTokens(prober->records, y) + j + 1, (int64) bound.size - j - 1,
						hamming_max, 1) <= hamming_max;
}

/*
 * Meets the entries of one list up to the record limit: lines 8 to 14 of
 * Algorithm 1, for the token x[i].
 */
static pg_attribute_always_inline void
meet_list(Prober *prober, const JoinRecord *x, uint32 i, const Posting *posting, const Posting *end,
		  uint32 limit, bool positional, bool suffix)
{
	int32 *met = prober->met;
	int32 x_rest = x->size - i - 1;

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
		if (*overlap + 1 + Min(x_rest, bound.size - (int32) posting->position - 1) <
			bound.least_overlap)
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

/* The first entry of a list, in the order of records, that is not before this record. */
static const Posting *
first_from_record(const Posting *posting, const Posting *end, uint32 record)
{
	while (posting < end)
	{
		const Posting *middle = posting + (end - posting) / 2;

		if (middle->record < record)
			posting = middle + 1;
		else
			end = middle;
	}
	return posting;
}

/* Hands a pair on, with the left record first where sides differ. */
static void
emit_pair(const Prober *prober, const JoinRecord *x, const JoinRecord *y, uint32 overlap)
{
	if (prober->records->two_sided && !JoinRecordIsLeft(prober->records, x))
		prober->emit(prober->emit_context, y, x, overlap);
	else
		prober->emit(prober->emit_context, x, y, overlap);
}

/* Line 16 of Algorithm 1, and the emptying of A. */
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
		/* x meets itself in an asymmetric self-join, which has no order of records. */
		if (prefix_overlap == PRUNED || y == x)
			continue;
		prober->counters->candidates++;
		overlap = VerifyOverlap(prober->host, &probing, &indexed, prefix_overlap, least_overlap);
		if (overlap >= least_overlap)
			emit_pair(prober, x, y, overlap);
	}
	prober->met_count = 0;
}

static pg_attribute_always_inline void
probe_record(Prober *prober, uint32 number, bool positional, bool suffix)
{
	const JoinRecords *records = prober->records;
	const JoinRecord *x = &records->records[number];
	const SizeClass *class = &prober->spec->classes[x->size_class];
	uint32 limit =
		MeasureIsAsymmetric(prober->spec->predicate.measure) ? records->record_count : number;
	int side = records->two_sided && !JoinRecordIsLeft(records, x) ? 0 : 1;
	const PrefixIndex *index = &prober->indexes->sides[side];
	const uint32 *tokens = JoinRecordTokens(records, x);

	if (index->starts == NULL || class->first_record >= limit)
		return;
	set_bounds(prober, x);
	for (uint32 i = 0; i < class->probing_prefix; i++)
	{
		uint64 *head = &prober->heads[side][tokens[i]];
		const Posting *end = index->postings + index->starts[tokens[i] + 1];
		const Posting *posting = index->postings + *head;

		JoinTick(prober->host, 1);
		while (posting < end && posting->record < class->outgrown)
		{
			JoinTick(prober->host, 1);
			posting++;
		}
		*head = posting - index->postings;
		if (class->first_record > class->outgrown)
			posting = first_from_record(posting, end, class->first_record);

		while (posting < end && posting->record < limit)
		{
			const Posting *stop = posting + Min(end - posting, POSTINGS_BETWEEN_CHECKS);

			meet_list(prober, x, i, posting, stop, limit, positional, suffix);
			JoinCheckInterrupts(prober->host);
			posting = stop;
		}
	}
	verify_met(prober, x);
}

void
ProberJoin(Prober *prober, uint32 first, uint32 end)
{
	for (uint32 i = first; i < end; i++)
	{
		switch (prober->spec->algorithm)
		{
			case JOIN_ALLPAIRS:
				probe_record(prober, i, false, false);
				break;
			case JOIN_AUTO:
			case JOIN_BUCKETS:
				pg_unreachable();
			case JOIN_PPJOIN:
				probe_record(prober, i, true, false);
				break;
			case JOIN_PPJOIN_PLUS:
				probe_record(prober, i, true, true);
				break;
		}
		JoinTick(prober->host, 1);
		prober->host->done++;
	}
}
