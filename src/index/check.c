/*
 * check.c
 *		neardup_index_check: whether an index is as it should be, and has every row of its table.
 *
 * First the structure. The extents of the metapage must not overlap. The lists of each segment are
 * read in the order of frequency, so that the place of a token in a record must be the number of
 * lists so far that had the record. In the end each record has as many tokens as its size class
 * says, and its signature is the signature of these tokens.
 *
 * Then the rows. Each row of the index puts its TID and a sum over its tokens into a Bloom filter;
 * then each row of the table that the snapshot shows must be in the filter. Rows that the index has
 * too many are no fault, since they may be dead. A Bloom filter also accepts a few elements that it
 * does not have: one or two in a hundred missing rows, and more where maintenance_work_mem is small
 * for the index.
 *
 * Nobody is blocked. The index is read by a view, as scans read it. VACUUM may make records dead
 * meanwhile, which is allowed for; rows inserted meanwhile are beyond the view. The snapshot is
 * older than the view, so that the index has each row that it shows, and VACUUM removes none.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/transam.h"
#include "access/xact.h"
#include "catalog/index.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "commands/defrem.h"
#include "funcapi.h"
#include "lib/bloomfilter.h"
#include "miscadmin.h"
#include "nodes/execnodes.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "index/entry_sort.h"
#include "index/page_io.h"
#include "index/pending.h"
#include "index/row_set.h"
#include "index/scan.h"
#include "index/segment.h"
#include "index/signature.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(neardup_index_check);

/* An element of the Bloom filter. It has no padding, whose bytes would be hashed too. */
typedef struct RowMark
{
	ItemPointerData tid;
	uint16 unused;
	uint64 tokens; /* sum of their hashes; 0 for NULL and empty sets */
} RowMark;

typedef struct Check
{
	Relation index;
	IndexView view;
	bloom_filter *rows;
	MemoryContext row_context; /* of a row of the table */
	const IndexSegment *segment;
	IndexSizeClass *classes;

	/* What the lists that were read so far say of each record of the segment. */
	uint32 *sizes;
	uint64 *signatures; /* signature_words each */
	uint64 *marks;		/* sums of the tokens' hashes */

	int64 row_count; /* not dead */
	int64 dead_count;
	int64 posting_count;
} Check;

#define CHECK_COLUMNS 7

/* Raises index_corrupted with the detail `otherwise` unless the condition holds. */
static inline void
check_expect(const Check *check, bool holds, const char *otherwise)
{
	if (unlikely(!holds))
		IndexCorrupted(check->index, otherwise);
}

/* Adds a row of the index to the filter. */
static void
check_add_row(Check *check, const ItemPointerData *tid, uint64 tokens)
{
	RowMark mark = {.tid = *tid, .tokens = tokens};

	bloom_add_element(check->rows, (unsigned char *) &mark, sizeof(mark));
	check->row_count++;
}

static uint64
hash_of_tokens(const Token *tokens, uint32 count)
{
	uint64 sum = 0;

	for (uint32 i = 0; i < count; i++)
		sum += IndexTokenHash(tokens[i]);
	return sum;
}

/* Checks the entries of the dictionary, and puts them into a sort by frequency. */
static void
check_dictionary(const Check *check, EntrySort *sort)
{
	const IndexSegment *segment = check->segment;
	DictionaryScan scan;
	const IndexEntry *entry;
	uint64 postings = 0;
	uint32 count = 0;

	DictionaryScanBegin(&scan, &check->view.store, segment);
	while ((entry = DictionaryScanNext(&scan)) != NULL)
	{
		uint64 hash = IndexTokenHash(entry->token);

		check_expect(check, IndexBucket(hash, segment->buckets) == scan.bucket - 1,
					 "An entry of the dictionary is in the wrong bucket.");
		check_expect(check,
					 entry->count > 1 || (entry->last_page == 0 && entry->offset == 0 &&
										  entry->place <= POSTING_MOST_PLACE),
					 "An entry with one posting is damaged.");
		EntrySortPut(sort, entry->count, entry, sizeof(*entry));
		postings += entry->count;
		count++;
	}
	DictionaryScanEnd(&scan);
	check_expect(check, count == segment->token_count && postings == segment->posting_count,
				 "The dictionary lacks entries.");
}

/* Checks a posting's place, and adds its token to what is known of the record. */
static void
check_posting(const Check *check, Token token, uint32 record, uint32 place)
{
	check_expect(check, place == Min(check->sizes[record], POSTING_MOST_PLACE),
				 "A posting has the wrong place.");
	check->sizes[record]++;
	check->marks[record] += IndexTokenHash(token);
	IndexSignatureToggle(check->signatures + (Size) record * check->view.signature_words,
						 IndexSignatureBit(token, check->view.signature_words));
}

static void
check_list(const Check *check, const IndexEntry *entry)
{
	PostingScan scan;
	PostingBlock block;
	uint32 count = 0;

	PostingScanBegin(&scan, &check->view.store, check->segment, entry, 0);
	while (PostingScanNext(&scan, &block))
	{
		uint32 records[POSTINGS_PER_BLOCK];

		PostingScanRecords(&scan, &block, records);
		for (uint32 i = 0; i < block.count; i++)
			check_posting(check, entry->token, records[i], block.places[i]);
		count += block.count;
	}
	check_expect(check, count == entry->count, "A list has the wrong number of postings.");
}

/* Checks all lists, from the rarest token to the most frequent one. */
static void
check_lists(const Check *check)
{
	EntrySort sort;
	const void *bytes;
	Size size;

	EntrySortBegin(&sort, ENTRIES_BY_COUNT, maintenance_work_mem / 2);
	check_dictionary(check, &sort);
	EntrySortPerform(&sort);
	while ((bytes = EntrySortGet(&sort, &size)) != NULL)
	{
		IndexEntry entry;

		memcpy(&entry, bytes, sizeof(entry));
		check_list(check, &entry);
	}
	EntrySortEnd(&sort);
}

/* Checks the size and the signature of each record, when all lists have been read. */
static void
check_signatures(const Check *check)
{
	uint32 words = check->view.signature_words;
	uint32 size_class = 0;
	RecordTable signatures;

	RecordTableSignatures(&signatures, &check->view.store, check->segment, words, true);
	for (uint32 i = 0; i < check->segment->record_count; i++)
	{
		while (i >= check->classes[size_class + 1].first)
			size_class++;
		check_expect(check, check->sizes[i] == check->classes[size_class].size,
					 "A record's size is not its number of tokens.");
		check_expect(check,
					 memcmp(RecordTableGet(&signatures, i), check->signatures + (Size) i * words,
							words * sizeof(uint64)) == 0,
					 "A record's signature is not that of its tokens.");
	}
	RecordTableEnd(&signatures);
}

/* Returns how many dead records the segment has at this moment; all of them if it is gone. */
static uint32
count_dead(const Check *check)
{
	const IndexMeta *meta;
	Buffer buffer = IndexMetaRead(check->index, &meta);
	uint32 dead = check->segment->record_count;

	for (uint32 i = 0; i < meta->segment_count; i++)
	{
		if (meta->segments[i].id == check->segment->id)
			dead = meta->segments[i].dead_count;
	}
	UnlockReleaseBuffer(buffer);
	return dead;
}

/*
 * Adds the living records to the filter, and checks the number of dead ones. VACUUM may make
 * records dead meanwhile, so that it lies between the numbers before and after.
 */
static void
check_tids(Check *check)
{
	uint32 dead = 0;
	RecordTable tids;

	RecordTableTids(&tids, &check->view.store, check->segment, NULL, true);
	for (uint32 i = 0; i < check->segment->record_count; i++)
	{
		const ItemPointerData *tid = RecordTableGet(&tids, i);

		if (ItemPointerIsValid(tid))
			check_add_row(check, tid, check->marks[i]);
		else
			dead++;
	}
	RecordTableEnd(&tids);
	check_expect(check, dead >= check->segment->dead_count && dead <= count_dead(check),
				 "Dead records are not counted.");
	check->dead_count += dead;
}

/* Returns an array of zeros, which may be larger than 1 GB. */
static void *
allocate_zero(Size count, Size size)
{
	return palloc_extended(Max(mul_size(count, size), 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

static void
check_segment(Check *check, const IndexSegment *segment)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup index check", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);

	check->segment = segment;
	check->classes = SegmentClasses(&check->view.store, segment);
	check->sizes = allocate_zero(segment->record_count, sizeof(uint32));
	check->marks = allocate_zero(segment->record_count, sizeof(uint64));
	check->signatures =
		allocate_zero((Size) segment->record_count * check->view.signature_words, sizeof(uint64));
	check_lists(check);
	check_signatures(check);
	check_tids(check);
	check->posting_count += (int64) segment->posting_count;
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
}

/* Checks a stream, adds its rows to the filter, and returns their number, dead ones included. */
static int64
check_stream(Check *check, const IndexStream *stream)
{
	PendingScan scan;
	const PendingRow *row;
	int64 count = 0;

	PendingScanBegin(&scan, check->index, stream, NULL);
	while ((row = PendingScanNext(&scan)) != NULL)
	{
		PendingRow head = *row;
		const Token *tokens = PendingScanTokens(&scan, head.size);
		uint64 signature;

		check_expect(check, head.unused == 0 && head.unused2 == 0,
					 "A pending row's head is damaged.");
		IndexSignatureMake(&signature, 1, tokens, head.size);
		check_expect(check, signature == head.signature,
					 "A pending row's signature is not that of its tokens.");
		for (uint32 i = 1; i < head.size; i++)
			check_expect(check, tokens[i - 1] < tokens[i], "A pending row's tokens do not ascend.");
		if (ItemPointerIsValid(&head.tid))
			check_add_row(check, &head.tid, hash_of_tokens(tokens, head.size));
		else
			check->dead_count++;
		count++;
	}
	PendingScanEnd(&scan);
	check_expect(check, count == (int64) stream->row_count, "Pending rows are not counted.");
	return count;
}

/* Called for each row of the table that the snapshot shows: raises an error if it is missing. */
static void
find_row(Relation index, ItemPointer tid, Datum *values, bool *isnull, bool is_alive, void *context)
{
	Check *check = context;
	MemoryContext previous = MemoryContextSwitchTo(check->row_context);
	RowMark mark = {.tid = *tid};
	Datum datum;

	if (IndexRowSet(index, values, isnull, &datum))
	{
		const Tokenset *set = DatumGetTokenset(datum);

		mark.tokens = hash_of_tokens(set->tokens, (uint32) TokensetCount(set));
	}
	MemoryContextSwitchTo(previous);
	MemoryContextReset(check->row_context);
	if (bloom_lacks_element(check->rows, (unsigned char *) &mark, sizeof(mark)))
		IndexCorrupted(check->index,
					   psprintf("It lacks the row at (%u,%u).", ItemPointerGetBlockNumber(tid),
								ItemPointerGetOffsetNumber(tid)));
}

/* Looks for all rows of the table that the snapshot shows. */
static void
find_rows(Check *check, Relation heap, Snapshot snapshot)
{
	IndexInfo *info = BuildIndexInfo(check->index);
	TableScanDesc scan = table_beginscan_strat(heap, snapshot, 0, NULL, true, true);

	info->ii_Concurrent = true;
	check->row_context = AllocSetContextCreate(CurrentMemoryContext, "neardup index check row",
											   ALLOCSET_DEFAULT_SIZES);
	table_index_build_scan(heap, check->index, info, true, false, find_row, check, scan);
	MemoryContextDelete(check->row_context);
}

static void
check_metapage(Check *check)
{
	const IndexMeta *meta;
	Buffer buffer = IndexMetaRead(check->index, &meta);

	IndexMetaCheckSpaces(meta);
	for (uint32 i = 0; i < meta->segment_count; i++)
		check_expect(check, meta->segments[i].id < meta->next_id,
					 "A segment's number may be used again.");
	check_expect(check, meta->open.id < meta->next_id && meta->closed.id < meta->next_id,
				 "A stream's number may be used again.");
	UnlockReleaseBuffer(buffer);
}

/* Opens an index of this access method, perhaps a partitioned one, that the caller owns. */
static Relation
open_index(Oid oid)
{
	Relation index;
	char relkind = get_rel_relkind(oid);

	if (relkind != RELKIND_INDEX && relkind != RELKIND_PARTITIONED_INDEX)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not an index of the access method neardup",
							   relkind == '\0' ? "?" : get_rel_name(oid))));
	index = index_open(oid, AccessShareLock);
	if (index->rd_indam->amgettuple != IndexScanNext)
		ereport(ERROR, (errcode(ERRCODE_WRONG_OBJECT_TYPE),
						errmsg("\"%s\" is not an index of the access method neardup",
							   RelationGetRelationName(index))));
	if (!nd_is_owner_of_relation(oid, GetUserId()))
		aclcheck_error(ACLCHECK_NOT_OWNER, OBJECT_INDEX, RelationGetRelationName(index));
	return index;
}

/*
 * Raises an error if the snapshot is older than the index, and the index need not have all rows that
 * it shows: only the last version of a row whose versions were one HOT chain when it was built.
 */
static void
check_snapshot(const Check *check, Snapshot snapshot)
{
	TransactionId builder = HeapTupleHeaderGetXmin(check->index->rd_indextuple->t_data);

	if (IsolationUsesXactSnapshot() && check->index->rd_index->indcheckxmin &&
		!TransactionIdPrecedes(builder, snapshot->xmin))
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("index \"%s\" cannot be checked with the snapshot of the transaction",
						RelationGetRelationName(check->index)),
				 errdetail("The snapshot shows rows that are older than the index."),
				 errhint("Check it in another transaction.")));
}

/* Returns the rows of a view, dead ones included. */
static int64
view_rows(const IndexView *view)
{
	int64 rows = (int64) (view->streams[0].row_count + view->streams[1].row_count);

	for (uint32 i = 0; i < view->segment_count; i++)
		rows += view->segments[i].record_count;
	return rows;
}

/* Checks the whole index, then looks for the rows of the table. *pending counts pending rows. */
static void
check_index(Check *check, Relation heap, int64 *pending)
{
	Snapshot snapshot = RegisterSnapshot(GetTransactionSnapshot());

	check_snapshot(check, snapshot);
	check_metapage(check);
	IndexViewOpen(&check->view, check->index, NULL);
	check->rows = bloom_create(Max(view_rows(&check->view), 1), maintenance_work_mem, 0);
	for (uint32 i = 0; i < check->view.segment_count; i++)
		check_segment(check, &check->view.segments[i]);
	for (int i = 0; i < 2; i++)
		*pending += check_stream(check, &check->view.streams[i]);
	IndexViewClose(&check->view);
	find_rows(check, heap, snapshot);
	bloom_free(check->rows);
	UnregisterSnapshot(snapshot);
}

/* Checks with the rights of the table's owner: expressions of the index may call any function. */
static void
check_as_owner(Check *check, Relation heap, int64 *pending)
{
	Oid user;
	int context;
	int nest_level;

	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(heap->rd_rel->relowner, context | SECURITY_RESTRICTED_OPERATION);
	nest_level = NewGUCNestLevel();
	nd_restrict_search_path();
	check_index(check, heap, pending);
	AtEOXact_GUC(false, nest_level);
	SetUserIdAndSecContext(user, context);
}

/*
 * Checks an index and adds its figures to the columns of the result. A partitioned index has no
 * figures of its own: its partitions are checked. The lock of the table keeps them meanwhile.
 */
static void
add_figures(Oid oid, int64 *figures)
{
	Oid heap_oid = IndexGetRelation(oid, true);
	Relation heap = OidIsValid(heap_oid) ? table_open(heap_oid, AccessShareLock) : NULL;
	Check check = {.index = open_index(oid)};
	uint32 retired;

	check_stack_depth();
	if (check.index->rd_rel->relkind == RELKIND_PARTITIONED_INDEX)
	{
		ListCell *cell;

		foreach(cell, find_inheritance_children(oid, NoLock))
			add_figures(lfirst_oid(cell), figures);
	}
	else
	{
		check_as_owner(&check, heap, &figures[2]);
		figures[0] += check.view.segment_count;
		figures[1] += check.row_count;
		figures[3] += check.dead_count;
		figures[4] += check.posting_count;
		figures[6] += IndexFreePages(check.index, &retired);
		figures[6] += retired;
		figures[5] += RelationGetNumberOfBlocks(check.index);
	}
	index_close(check.index, AccessShareLock);
	table_close(heap, AccessShareLock);
}

Datum
neardup_index_check(PG_FUNCTION_ARGS)
{
	int64 figures[CHECK_COLUMNS] = {0};
	Datum values[CHECK_COLUMNS];
	bool nulls[CHECK_COLUMNS] = {false};
	TupleDesc columns;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	add_figures(PG_GETARG_OID(0), figures);
	values[0] = Int32GetDatum((int32) figures[0]);
	for (int i = 1; i < CHECK_COLUMNS; i++)
		values[i] = Int64GetDatum(figures[i]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls)));
}
