/*
 * nearest.c
 *		The rows of an index by ascending distance from a set, as far as they are asked for.
 *
 * There is no threshold that would say how many lists to read. The lists of the query's tokens are
 * read one after the other, the rarest token first, and after each of them two bounds say which
 * rows can be given out already. Say the query has 10 tokens, and the distance is the Jaccard
 * distance. (The numbers that are kept are negative similarities, which have the same order and are
 * not rounded.)
 *
 * The bound of what is seen. A record that is in a list for the first time, while `left` tokens are
 * to come, this one included, shares at most `left` tokens; at place p of its `size` tokens it
 * shares at most size - p. A record of 8 tokens that is found at place 2 of it by the third list
 * shares at most min(8, 8 - 2) = 6 tokens. So its similarity is at most 6 / (10 + 8 - 6), its
 * distance at least 0.5. It waits in the bucket of this bound; there are BUCKETS of them for the
 * distances from 0 to 1.
 *
 * The bound of what is unseen. A record that was in none of the first three lists shares at most
 * the other 7 tokens. The nearest such record has just these tokens, a similarity of 7 / 10. No
 * record that has not been seen has a distance below 0.3, whatever it is.
 *
 * By the distances of containment, 7 common tokens are a distance of 0.3 from the query's side (<@>>)
 * too, however large the record is. From the record's side (<<@>) they may be all that it has, a
 * distance of 0: nearly all lists are read before the first row is given out.
 *
 * So once three lists are read, the buckets below 0.3 are complete, and can be given out. Before
 * that their records are looked at again, since more is known by then: in how many lists a record
 * was, and how many are left. A record that was in 2 of the first 3 lists shares at most 2 + 7
 * tokens. Its signature bounds the overlap as well. If the new bound lies in a later bucket, the
 * record waits there; by and by a record moves to the bucket of its true distance, or close to it.
 * Records without a common token are in the last bucket, of distance 1, once all lists are read.
 *
 * A bucket that is complete may have many records that only the lists to come would show to be
 * farther. If the next list is short against their number, it is read before any row is given out.
 *
 * All rows of the last bucket are equally far. A query whose order goes on by another column reads all of
 * them, if too few rows have a common token; so these come in the order of the table.
 *
 * The rows of a bucket are given out in the order of their bounds. The executor fetches them,
 * computes the distances, and returns a row when its distance is not above the bound of the next row.
 * So for the 10 nearest rows, lists and rows are read about as far as the distance of the tenth. Of
 * many rows at one distance, as containment has them, few are fetched once the bounds are exact.
 *
 * In a scope all of this is about the tokens that the index keeps (scope.c), one more on each side.
 * The token of the scope itself is shared by all its rows, and its list, the longest of all, is
 * usually read last: so the last bucket has the rows of the scope, and no others.
 *
 * Each segment has its own order of tokens, and so its own bound of what is unseen. A bucket is
 * complete when it is complete in all segments. The distances of pending rows are computed when the
 * search begins.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/list_counts.h"
#include "index/nearest.h"
#include "index/pending.h"
#include "index/ranked_tokens.h"
#include "index/signature.h"

/*
 * The similarities above 0 are divided into this many buckets, those of 1 in the first one; another
 * one has the similarity 0.
 */
#define BUCKETS 1024
#define END_OF_BUCKET PG_UINT32_MAX

/* Fetching a row from the table takes the time of reading this many postings. */
#define POSTINGS_PER_ROW 512

/* Rows without a common token that are given out before the others are put into the order of the table. */
#define ROWS_BEFORE_REST 256

/* An element of a bucket, which is a linked list. Each move of a record makes a new element. */
typedef struct Waiting
{
	uint32 record;
	uint32 next; /* index of an element, or END_OF_BUCKET */
} Waiting;

/* A segment that is searched. */
typedef struct NearestSource
{
	const IndexSegment *segment;
	IndexSizeClass *classes;
	RankedToken *tokens; /* of the query, the rarest of the segment first */
	uint32 next_token;	 /* whose list is read next */
	uint32 least_size;	 /* of a record that has tokens */
	uint32
		first_filled;  /* the first record with tokens besides its scope's; others may be of NULL */
	bool is_exhausted; /* records without common tokens are in their bucket, too */
	ListCounts counts; /* of the lists so far */
	Waiting *waiting;  /* the elements of all buckets */
	uint32 waiting_count;
	Size waiting_capacity;
	uint32 heads[BUCKETS + 1]; /* of each bucket, the element that was added last */
} NearestSource;

struct Nearest
{
	const IndexView *view;
	const SetQuery *query;
	MemoryContext context;
	uint32 source_count;
	NearestSource *sources;
	FoundRows pending; /* pending rows by ascending distance */
	Size next_pending;

	uint32 bucket;	/* that comes next */
	FoundRows rows; /* of the bucket before, which is being given out */
	Size next_row;
};

/*
 * Returns the bucket of a distance, which is a negative similarity. As BUCKETS is a power of 2, nothing
 * is rounded but to the whole number. A damaged signature may make the similarity negative.
 */
static uint32
bucket_of_distance(double distance)
{
	double place = Min(Max(-distance, 0), 1) * BUCKETS;
	uint32 whole = (uint32) place;

	return BUCKETS - whole - (place > whole);
}

/* Returns a number that no distance in the bucket is below. */
static double
least_in_bucket(uint32 bucket)
{
	return (double) bucket / BUCKETS - 1;
}

/* Returns the bucket of records of this size that share `overlap` tokens with the query. */
static uint32
nearest_bucket(const Nearest *nearest, int64 overlap, uint32 size)
{
	return bucket_of_distance(SetQueryDistance(nearest->query, overlap, size));
}

/* Puts a record into a bucket. */
static void
wait_in_bucket(NearestSource *source, uint32 record, uint32 bucket)
{
	if (source->waiting_count == source->waiting_capacity)
	{
		source->waiting_capacity *= 2;
		source->waiting =
			repalloc_huge(source->waiting, source->waiting_capacity * sizeof(Waiting));
	}
	if (unlikely(source->waiting_count == END_OF_BUCKET))
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("too many rows to be ordered by a distance"),
						errhint("Ask for fewer rows by LIMIT, or by a condition.")));
	source->waiting[source->waiting_count] =
		(Waiting){.record = record, .next = source->heads[bucket]};
	source->heads[bucket] = source->waiting_count++;
}

/* Returns the smallest size but 0, 0 if there is no other. Classes ascend by size. */
static uint32
least_size(const IndexSizeClass *classes, uint32 count)
{
	for (uint32 c = 0; c < count; c++)
	{
		if (classes[c].size > 0)
			return classes[c].size;
	}
	return 0;
}

/* Returns the first record with more tokens than those of its scope. Records ascend by size. */
static uint32
first_filled(const IndexSizeClass *classes, const IndexSegment *segment, uint32 scope)
{
	for (uint32 c = 0; c < segment->class_count; c++)
	{
		if (classes[c].size > scope)
			return classes[c].first;
	}
	return segment->record_count;
}

static void
nearest_begin_source(Nearest *nearest, NearestSource *source, const IndexSegment *segment)
{
	const SegmentStore *store = &nearest->view->store;

	memset(source, 0, sizeof(*source));
	source->segment = segment;
	source->classes = SegmentClasses(store, segment);
	source->tokens = RankTokens(store, segment, nearest->query);
	source->least_size = least_size(source->classes, segment->class_count);
	source->first_filled = first_filled(source->classes, segment, nearest->query->scope);
	ListCountsBegin(&source->counts, segment->record_count,
					RankedPostings(source->tokens, nearest->query->size));
	source->waiting_capacity = BUCKETS;
	source->waiting = palloc(source->waiting_capacity * sizeof(Waiting));
	memset(source->heads, 0xff, sizeof(source->heads));
}

/*
 * Counts the records of a block, and puts those that come for the first time into the bucket of
 * their bound. *size_class is the class of the record before, and moves on with the blocks of a
 * list.
 */
static void
nearest_read_block(Nearest *nearest, NearestSource *source, PostingScan *scan,
				   const PostingBlock *block, int64 left, uint32 *size_class)
{
	uint32 records[POSTINGS_PER_BLOCK];

	PostingScanRecords(scan, block, records);
	for (uint32 i = 0; i < block->count; i++)
	{
		int64 most = left;
		uint32 size;

		if (ListCountAdd(&source->counts, records[i]) > 1)
			continue;
		while (records[i] >= source->classes[*size_class + 1].first)
			(*size_class)++;
		size = source->classes[*size_class].size;
		if (block->places[i] < POSTING_MOST_PLACE)
			most = Min(most, (int64) size - block->places[i]);
		wait_in_bucket(source, records[i], nearest_bucket(nearest, Min(most, size), size));
	}
}

/* Reads a whole list, while `left` tokens are to come, the list's own token included. */
static void
nearest_read_list(Nearest *nearest, NearestSource *source, const IndexEntry *entry, int64 left)
{
	uint32 size_class = 0;
	PostingScan scan;
	PostingBlock block;

	PostingScanBegin(&scan, &nearest->view->store, source->segment, entry, 0);
	while (PostingScanNext(&scan, &block))
		nearest_read_block(nearest, source, &scan, &block, left, &size_class);
}

/*
 * Returns the least bucket that records not seen so far can be in; beyond all if there are none. No
 * distance becomes less with a greater size and the same overlap, so the smallest size counts with
 * which a record has all tokens that are left.
 */
static uint32
unseen_bucket(const Nearest *nearest, const NearestSource *source)
{
	uint32 left = nearest->query->size - source->next_token;

	if (source->is_exhausted)
		return BUCKETS + 1;
	return nearest_bucket(nearest, left, Max(left, source->least_size));
}

/*
 * Puts the records without a common token into the last bucket, when all lists are read. In a scope
 * there are none, since all records of the scope have its token.
 */
static void
place_rest(const Nearest *nearest, NearestSource *source)
{
	source->is_exhausted = true;
	if (nearest->query->scope > 0)
		return;
	for (uint32 record = 0; record < source->segment->record_count; record++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ListCountGet(&source->counts, record) == 0)
			wait_in_bucket(source, record, BUCKETS);
	}
}

/* Reads the next list of a segment. */
static void
advance(Nearest *nearest, NearestSource *source)
{
	const RankedToken *token = &source->tokens[source->next_token];
	int64 left = (int64) nearest->query->size - source->next_token;

	CHECK_FOR_INTERRUPTS();
	if (left == 0)
	{
		place_rest(nearest, source);
		return;
	}
	if (token->entry.count > 0)
		nearest_read_list(nearest, source, &token->entry, left);
	source->next_token++;
}

/* Reads lists until nothing can be added to the bucket, or to one before, in any segment. */
static void
advance_to(Nearest *nearest, uint32 bucket)
{
	for (uint32 s = 0; s < nearest->source_count; s++)
	{
		while (unseen_bucket(nearest, &nearest->sources[s]) <= bucket)
			advance(nearest, &nearest->sources[s]);
	}
}

#define ST_SORT sort_waiting_records
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Returns the most tokens that a record can share, by the number of lists that had it. */
static int64
most_by_count(const Nearest *nearest, const NearestSource *source, uint32 record, uint32 size)
{
	int64 left = (int64) nearest->query->size - source->next_token;
	int64 most = Min(nearest->query->size, size);
	uint32 count = ListCountGet(&source->counts, record);

	return count < LIST_COUNT_MOST ? Min(most, count + left) : most;
}

/* Returns the most tokens that a record can share, by its signature. */
static int64
most_by_signature(const Nearest *nearest, const uint64 *signature, uint32 size)
{
	const SetQuery *query = nearest->query;

	return ((int64) query->size + size -
			IndexSignatureDistance(signature, query->signature, nearest->view->signature_words)) /
		   2;
}

/* Takes all records out of a bucket. Returns them sorted, palloc'd, and their number. */
static uint32 *
empty_bucket(NearestSource *source, uint32 bucket, uint32 *count)
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
	sort_waiting_records(records, *count);
	return records;
}

/*
 * Keeps the records whose distance may lie in the bucket, at the beginning of the array, and
 * returns their number. The others go to later buckets. bounds[i] becomes the least distance that
 * records[i] can have.
 */
static uint32
refine_bucket(const Nearest *nearest, NearestSource *source, uint32 bucket, uint32 *records,
			  double *bounds, uint32 count)
{
	RecordTable signatures;
	uint32 size_class = 0;
	uint32 kept = 0;

	RecordTableSignatures(&signatures, &nearest->view->store, source->segment,
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
		least_bucket = nearest_bucket(nearest, most, size);
		if (least_bucket <= bucket)
		{
			most = Min(most,
					   most_by_signature(nearest, RecordTableGet(&signatures, records[i]), size));
			least_bucket = nearest_bucket(nearest, most, size);
		}
		if (least_bucket > bucket)
		{
			wait_in_bucket(source, records[i], least_bucket);
			continue;
		}
		bounds[kept] = Max(SetQueryDistance(nearest->query, most, size), least_in_bucket(bucket));
		records[kept++] = records[i];
	}
	RecordTableEnd(&signatures);
	return kept;
}

/* Whether reading the next list takes less time than fetching this many rows. */
static bool
next_list_is_cheaper(const Nearest *nearest, const NearestSource *source, uint32 rows)
{
	return source->next_token < nearest->query->size &&
		   source->tokens[source->next_token].entry.count < (uint64) rows * POSTINGS_PER_ROW;
}

/*
 * Gives out the rows of a bucket of one segment, but for those that turn out to be farther. No distance is
 * above 0, so that a bound of 0 is the distance itself.
 */
static void
take_bucket(Nearest *nearest, NearestSource *source, uint32 bucket)
{
	uint32 count;
	uint32 *records;
	double *bounds;
	RecordTable tids;

	if (source->heads[bucket] == END_OF_BUCKET)
		return;
	records = empty_bucket(source, bucket, &count);
	bounds = palloc_extended((Size) Max(count, 1) * sizeof(double), MCXT_ALLOC_HUGE);
	count = refine_bucket(nearest, source, bucket, records, bounds, count);
	while (next_list_is_cheaper(nearest, source, count))
	{
		advance(nearest, source);
		count = refine_bucket(nearest, source, bucket, records, bounds, count);
	}
	RecordTableTids(&tids, &nearest->view->store, source->segment, nearest->view->snapshot, true);
	for (uint32 i = 0; i < count; i++)
	{
		const ItemPointerData *tid = RecordTableGet(&tids, records[i]);

		if (ItemPointerIsValid(tid))
			FoundRowsAdd(
				&nearest->rows,
				&(FoundRow){.tid = *tid,
							.bound = bounds[i],
							.is_distance = bounds[i] == 0 && records[i] >= source->first_filled});
	}
	RecordTableEnd(&tids);
	pfree(bounds);
	pfree(records);
}

/* Gives out the pending rows whose distances are in the bucket. */
static void
take_pending(Nearest *nearest, uint32 bucket)
{
	while (nearest->next_pending < nearest->pending.count &&
		   bucket_of_distance(nearest->pending.rows[nearest->next_pending].bound) <= bucket)
	{
		FoundRowsAdd(&nearest->rows, &nearest->pending.rows[nearest->next_pending++]);
	}
}

#define ST_SORT sort_rows_by_bound
#define ST_ELEMENT_TYPE FoundRow
#define ST_COMPARE(a, b) ((a)->bound < (b)->bound ? -1 : (a)->bound > (b)->bound)
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Finds all rows of a bucket, by ascending bounds. */
static void
fill_bucket(Nearest *nearest, uint32 bucket)
{
	nearest->rows.count = nearest->next_row = 0;
	advance_to(nearest, bucket);
	for (uint32 s = 0; s < nearest->source_count; s++)
		take_bucket(nearest, &nearest->sources[s], bucket);
	take_pending(nearest, bucket);
	if (nearest->rows.count > 0)
		sort_rows_by_bound(nearest->rows.rows, nearest->rows.count);
}

Nearest *
NearestBegin(const IndexView *view, const SetQuery *query)
{
	Nearest *nearest = palloc0(sizeof(Nearest));

	nearest->view = view;
	nearest->query = query;
	nearest->context = CurrentMemoryContext;
	nearest->source_count = view->segment_count;
	nearest->sources = palloc(Max(view->segment_count, 1) * sizeof(NearestSource));
	for (uint32 s = 0; s < view->segment_count; s++)
		nearest_begin_source(nearest, &nearest->sources[s], &view->segments[s]);
	SearchStreams(view, NULL, query, &nearest->pending);
	if (nearest->pending.count > 0)
		sort_rows_by_bound(nearest->pending.rows, nearest->pending.count);
	nearest->bucket = 0;
	return nearest;
}

/*
 * Whether a row comes next that is the first of many others without a common token. Who asks for more of
 * them asks for all, as a query does whose order goes on by another column.
 */
static bool
begins_rest(const Nearest *nearest)
{
	return nearest->bucket > BUCKETS && nearest->next_row == ROWS_BEFORE_REST;
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
	if (begins_rest(nearest))
		FoundRowsSortByTid(&nearest->rows.rows[nearest->next_row],
						   nearest->rows.count - nearest->next_row);
	return &nearest->rows.rows[nearest->next_row++];
}
