/*
 * nearest.c
 *		The rows of an index by ascending distance from a set.
 *
 * A segment's lists are read from the rarest token on. A record that appears for the first time
 * while `left` tokens are to come shares at most these, and no more than the token's place in it
 * allows: so its distance has a lower bound, by which it waits in a bucket. Of records that have
 * not appeared, none can be nearer than one that has all the tokens to come.
 *
 * A bucket's turn comes once no segment's next list can add to it or to an earlier one. Then more
 * is known: in how many lists the record was, and how many are left. Records whose bound has risen
 * wait in a later bucket; so do those whose signature excludes the present one. The others are
 * given out. The caller computes their distances, and reads on until these are below the bound of
 * the next row.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/nearest.h"
#include "index/pending.h"
#include "index/signature.h"

#define BUCKETS 1024
#define END_OF_BUCKET PG_UINT32_MAX
#define MOST_COUNT PG_UINT16_MAX

/* A record in a bucket, and the next one. */
typedef struct Waiting
{
	uint32 record;
	uint32 next;
} Waiting;

typedef struct Source
{
	const IndexSegment *segment;
	IndexSizeClass *classes;
	RankedToken *tokens;
	uint32 next_token;
	bool is_exhausted; /* records without common tokens are in their bucket, too */
	uint16 *counts;	   /* of the lists that had the record, at most MOST_COUNT */
	Waiting *waiting;
	uint32 waiting_count;
	uint32 waiting_capacity;
	uint32 heads[BUCKETS + 1];
} Source;

struct Nearest
{
	const IndexView *view;
	const SetQuery *query;
	MemoryContext context;
	uint32 source_count;
	Source *sources;
	FoundRows pending; /* by bound */
	Size next_pending;

	/* The bucket that is being given out. */
	uint32 bucket;
	FoundRows rows;
	Size next_row;
};

static uint32
bucket_of(const Nearest *nearest, int64 overlap, uint32 size)
{
	double distance = SetQueryDistance(nearest->query, overlap, size);

	/* By a damaged signature the overlap may be negative, and the distance above 1. */
	return (uint32) (Min(Max(distance, 0), 1) * BUCKETS);
}

static void
wait_in_bucket(Source *source, uint32 record, uint32 bucket)
{
	if (source->waiting_count == source->waiting_capacity)
	{
		source->waiting_capacity *= 2;
		source->waiting =
			repalloc_huge(source->waiting, (Size) source->waiting_capacity * sizeof(Waiting));
	}
	source->waiting[source->waiting_count] =
		(Waiting){.record = record, .next = source->heads[bucket]};
	source->heads[bucket] = source->waiting_count++;
}

static void
begin_source(Nearest *nearest, Source *source, const IndexSegment *segment)
{
	Relation index = nearest->view->index;

	memset(source, 0, sizeof(*source));
	source->segment = segment;
	source->classes = SegmentClasses(index, segment);
	source->tokens = SearchRankTokens(index, segment, nearest->query);
	source->counts = palloc_extended((Size) segment->record_count * sizeof(uint16),
									 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	source->waiting_capacity = BUCKETS;
	source->waiting = palloc(source->waiting_capacity * sizeof(Waiting));
	memset(source->heads, 0xff, sizeof(source->heads));
}

static void
read_block(Nearest *nearest, Source *source, PostingScan *scan, const PostingBlock *block,
		   int64 left, uint32 *size_class)
{
	uint32 records[POSTINGS_PER_BLOCK];

	PostingScanRecords(scan, block, records);
	for (uint32 i = 0; i < block->count; i++)
	{
		uint16 *count = &source->counts[records[i]];
		int64 most = left;
		uint32 size;

		*count += *count < MOST_COUNT;
		if (*count > 1)
			continue;
		while (records[i] >= source->classes[*size_class + 1].first)
			(*size_class)++;
		size = source->classes[*size_class].size;
		if (block->places[i] < POSTING_MOST_PLACE)
			most = Min(most, (int64) size - block->places[i]);
		wait_in_bucket(source, records[i], bucket_of(nearest, Min(most, size), size));
	}
}

static void
read_list(Nearest *nearest, Source *source, const IndexEntry *entry, int64 left)
{
	uint32 size_class = 0;
	PostingScan scan;
	PostingBlock block;

	PostingScanBegin(&scan, nearest->view->index, source->segment, entry, 0);
	while (PostingScanNext(&scan, &block))
		read_block(nearest, source, &scan, &block, left, &size_class);
}

/* Least bucket of records that have not appeared; beyond all if there are none. */
static uint32
unseen_bucket(const Nearest *nearest, const Source *source)
{
	uint32 left = nearest->query->size - source->next_token;

	if (source->is_exhausted)
		return BUCKETS + 1;
	return bucket_of(nearest, left, left);
}

/* Those without a common token, when all lists are read. */
static void
place_rest(Source *source)
{
	for (uint32 record = 0; record < source->segment->record_count; record++)
	{
		if (source->counts[record] == 0)
			wait_in_bucket(source, record, BUCKETS);
	}
	source->is_exhausted = true;
}

static void
advance(Nearest *nearest, Source *source)
{
	const RankedToken *token = &source->tokens[source->next_token];
	int64 left = (int64) nearest->query->size - source->next_token;

	CHECK_FOR_INTERRUPTS();
	if (left == 0)
	{
		place_rest(source);
		return;
	}
	if (token->entry.count > 0)
		read_list(nearest, source, &token->entry, left);
	source->next_token++;
}

/* Lists are read until nothing can be added to the bucket. */
static void
advance_to(Nearest *nearest, uint32 bucket)
{
	for (uint32 s = 0; s < nearest->source_count; s++)
	{
		while (unseen_bucket(nearest, &nearest->sources[s]) <= bucket)
			advance(nearest, &nearest->sources[s]);
	}
}

static int
compare_records(const void *a, const void *b)
{
	uint32 x = *(const uint32 *) a;
	uint32 y = *(const uint32 *) b;

	return x < y ? -1 : x > y;
}

/* By the lists that the record was in. */
static int64
most_by_count(const Nearest *nearest, const Source *source, uint32 record, uint32 size)
{
	int64 left = (int64) nearest->query->size - source->next_token;
	int64 most = Min(nearest->query->size, size);

	if (source->counts[record] < MOST_COUNT)
		most = Min(most, source->counts[record] + left);
	return most;
}

static int64
most_by_signature(const Nearest *nearest, const uint64 *signature, uint32 size)
{
	const SetQuery *query = nearest->query;

	return ((int64) query->size + size -
			IndexSignatureDistance(signature, query->signature, nearest->view->signature_words)) /
		   2;
}

/* Takes a bucket's records out; sorted, palloc'd. */
static uint32 *
empty_bucket(Source *source, uint32 bucket, uint32 *count)
{
	uint32 *records;
	uint32 n = 0;

	for (uint32 w = source->heads[bucket]; w != END_OF_BUCKET; w = source->waiting[w].next)
		n++;
	records = palloc_extended((Size) Max(n, 1) * sizeof(uint32), MCXT_ALLOC_HUGE);
	*count = n;
	for (uint32 w = source->heads[bucket]; w != END_OF_BUCKET; w = source->waiting[w].next)
		records[--n] = source->waiting[w].record;
	source->heads[bucket] = END_OF_BUCKET;
	qsort(records, *count, sizeof(uint32), compare_records);
	return records;
}

/* Keeps those whose distance may lie in the bucket; the others wait in later ones. */
static uint32
refine_bucket(const Nearest *nearest, Source *source, uint32 bucket, uint32 *records, uint32 count)
{
	RecordTable signatures;
	uint32 size_class = 0;
	uint32 kept = 0;

	RecordTableSignatures(&signatures, nearest->view->index, source->segment,
						  nearest->view->signature_words, true);
	for (uint32 i = 0; i < count; i++)
	{
		uint32 size;
		int64 most;
		uint32 least_bucket;

		while (records[i] >= source->classes[size_class + 1].first)
			size_class++;
		size = source->classes[size_class].size;
		most = most_by_count(nearest, source, records[i], size);
		least_bucket = bucket_of(nearest, most, size);
		if (least_bucket <= bucket)
		{
			most = Min(most,
					   most_by_signature(nearest, RecordTableGet(&signatures, records[i]), size));
			least_bucket = bucket_of(nearest, most, size);
		}
		if (least_bucket > bucket)
			wait_in_bucket(source, records[i], least_bucket);
		else
			records[kept++] = records[i];
	}
	RecordTableEnd(&signatures);
	return kept;
}

static void
take_bucket(Nearest *nearest, Source *source, uint32 bucket)
{
	uint32 count;
	uint32 *records;
	RecordTable tids;

	if (source->heads[bucket] == END_OF_BUCKET)
		return;
	records = empty_bucket(source, bucket, &count);
	count = refine_bucket(nearest, source, bucket, records, count);
	RecordTableTids(&tids, nearest->view->index, source->segment, true);
	for (uint32 i = 0; i < count; i++)
	{
		const ItemPointerData *tid = RecordTableGet(&tids, records[i]);

		if (ItemPointerIsValid(tid))
			FoundRowsAdd(&nearest->rows, tid, (double) bucket / BUCKETS);
	}
	RecordTableEnd(&tids);
	pfree(records);
}

/* Rows of streams come with their distances, which are rounded as those of the others. */
static void
take_pending(Nearest *nearest, uint32 bucket)
{
	while (nearest->next_pending < nearest->pending.count &&
		   nearest->pending.rows[nearest->next_pending].bound * BUCKETS < bucket + 1)
	{
		FoundRowsAdd(&nearest->rows, &nearest->pending.rows[nearest->next_pending].tid,
					 (double) bucket / BUCKETS);
		nearest->next_pending++;
	}
}

static void
fill_bucket(Nearest *nearest, uint32 bucket)
{
	nearest->rows.count = nearest->next_row = 0;
	advance_to(nearest, bucket);
	for (uint32 s = 0; s < nearest->source_count; s++)
		take_bucket(nearest, &nearest->sources[s], bucket);
	take_pending(nearest, bucket);
}

static int
compare_bounds(const void *a, const void *b)
{
	double x = ((const FoundRow *) a)->bound;
	double y = ((const FoundRow *) b)->bound;

	return x < y ? -1 : x > y;
}

Nearest *
NearestBegin(const IndexView *view, const SetQuery *query)
{
	Nearest *nearest = palloc0(sizeof(Nearest));

	nearest->view = view;
	nearest->query = query;
	nearest->context = CurrentMemoryContext;
	nearest->source_count = view->segment_count;
	nearest->sources = palloc(Max(view->segment_count, 1) * sizeof(Source));
	for (uint32 s = 0; s < view->segment_count; s++)
		begin_source(nearest, &nearest->sources[s], &view->segments[s]);
	SearchStreams(view, NULL, query, &nearest->pending);
	if (nearest->pending.count > 0)
		qsort(nearest->pending.rows, nearest->pending.count, sizeof(FoundRow), compare_bounds);
	nearest->bucket = 0;
	return nearest;
}

const FoundRow *
NearestNext(Nearest *nearest)
{
	MemoryContext previous = MemoryContextSwitchTo(nearest->context);

	while (nearest->next_row == nearest->rows.count && nearest->bucket <= BUCKETS)
		fill_bucket(nearest, nearest->bucket++);
	MemoryContextSwitchTo(previous);
	if (nearest->next_row == nearest->rows.count)
		return NULL;
	return &nearest->rows.rows[nearest->next_row++];
}
