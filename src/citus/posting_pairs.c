/*
 * posting_pairs.c
 *		The set-returning functions posting_pairs and simhash_posting_pairs.
 *
 * They run on shards, where a function cannot run queries of its own: the list is an argument.
 * Pairs go to a tuplestore, which spills to a file. Any user can pass any bytes, therefore all
 * figures are checked before they are used.
 */
#include "postgres.h"

#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "kernel/filters/bitmap_filter.h"
#include "kernel/postings/posting_list.h"
#include "measure/threshold.h"
#include "memory/palloc_host.h"
#include "citus/posting_bytes.h"
#include "simhash/distance.h"

PG_FUNCTION_INFO_V1(posting_pairs);
PG_FUNCTION_INFO_V1(simhash_posting_pairs);

/* Raises an error. */
static void
not_a_list(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
					errmsg("bytes are not a list of postings"),
					errhint("Lists are made by posting_list_agg, on the same server.")));
}

/* Raises an error unless the figures of a posting are possible. */
static void
postings_check(const StoredPosting *stored)
{
	if (stored->size == 0 || stored->size > PG_INT32_MAX || stored->position > stored->size ||
		stored->side > POSTING_RIGHT || stored->part > POSTING_MAX_PART)
		not_a_list();
}

/* Returns the header of a list, whose size must hold a whole number of postings. */
static PostingBytesHeader
read_header(const char *bytes, Size size)
{
	PostingBytesHeader header = {0};

	if (size >= sizeof(header))
		memcpy(&header, bytes, sizeof(header));
	if (header.magic != POSTING_BYTES_MAGIC || header.words == 0 ||
		header.words > SIGNATURE_MAX_WORDS ||
		(size - sizeof(header)) % StoredPostingSize(header.words) != 0)
		not_a_list();
	return header;
}

/* Returns the postings in the order in which they are stored, palloc'd, to be freed afterwards. */
static PostingList
postings_read(const bytea *value)
{
	const char *bytes = VARDATA_ANY(value);
	Size size = VARSIZE_ANY_EXHDR(value);
	PostingBytesHeader header = read_header(bytes, size);
	PostingList list = {.words = header.words};
	Size words_size = header.words * sizeof(uint64);
	char *arrived;

	list.count = (uint32) ((size - sizeof(header)) / StoredPostingSize(header.words));
	list.postings = palloc_extended(Max(list.count, 1) * sizeof(Posting), MCXT_ALLOC_HUGE);
	list.signatures = palloc_extended(Max(list.count, 1) * words_size, MCXT_ALLOC_HUGE);
	arrived = palloc_extended(Max(list.count, 1) * words_size, MCXT_ALLOC_HUGE);
	bytes += sizeof(header);
	for (uint32 i = 0; i < list.count; i++)
	{
		StoredPosting stored;

		memcpy(&stored, bytes, sizeof(stored));
		postings_check(&stored);
		list.postings[i] = (Posting){.key = stored.key,
									 .size = stored.size,
									 .position = stored.position,
									 .number = i,
									 .side = stored.side,
									 .part = stored.part};
		memcpy(arrived + i * words_size, bytes + sizeof(stored), words_size);
		bytes += StoredPostingSize(header.words);
	}
	list.arrived = (const uint64 *) arrived;
	return list;
}

static void
postings_free(PostingList *list)
{
	pfree(list->postings);
	pfree(list->signatures);
	pfree((void *) list->arrived);
}

/* Called for each pair. A result without a column for the distance ignores it. */
static void
postings_store_pair(void *context, int64 a, int64 b, uint32 distance)
{
	ReturnSetInfo *rows = context;
	Datum values[3] = {nd_int64_datum(&a), nd_int64_datum(&b), Int32GetDatum((int32) distance)};
	bool nulls[3] = {false, false, false};

	tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
}

/* Joins the list that is the first argument, and returns its pairs. */
static Datum
postings_return_pairs(FunctionCallInfo fcinfo, PostingBound bound)
{
	PostingList list = postings_read(PG_GETARG_BYTEA_PP(0));
	JoinHost host = PallocHost(CurrentMemoryContext);

	InitMaterializedSRF(fcinfo, 0);
	PostingListPairs(&host, &list, bound, postings_store_pair, fcinfo->resultinfo);
	postings_free(&list);
	return (Datum) 0;
}

/* Arguments: list, threshold, measure. */
Datum
posting_pairs(PG_FUNCTION_ARGS)
{
	PostingBound bound = {
		.predicate = PredicateOrError(MeasureOrError(text_to_cstring(PG_GETARG_TEXT_PP(2))),
									  PG_GETARG_FLOAT8(1))};

	return postings_return_pairs(fcinfo, bound);
}

/* Arguments: list, distance. */
Datum
simhash_posting_pairs(PG_FUNCTION_ARGS)
{
	PostingBound bound = {.predicate = {.measure = MEASURE_HAMMING,
										.threshold = SimhashMaxDistanceOrError(PG_GETARG_INT32(1))},
						  .of_values = true};

	return postings_return_pairs(fcinfo, bound);
}
