/*
 * merge.c
 *		Merging several segments into one.
 *
 * The sets themselves are not read: they are nowhere in an index. Everything follows from the
 * sources' tables and lists.
 *
 * New numbers. Records of one size are neighbours in the result: records of the first source, then
 * records of the second, and so on, without dead records. So the new number of a record is the new
 * number of the first record of its size and source, plus the number of living records from that
 * one up to this one. Say source A has the records 0, 1 (size 3) and 2 (size 5), source B has 0
 * (size 3) and 1 (size 5), and A's record 0 is dead. Then A's 1 becomes 0, B's 0 becomes 1, A's 2
 * becomes 2, and B's 1 becomes 3. The numbers of a source keep their order, so that its lists
 * remain sorted.
 *
 * Lists and places. The dictionaries are read side by side, in the order of the hash, so that the
 * entries of one token come together. They are put into the order of the token's frequency in the
 * result, and the lists are then written from the rarest token to the most frequent one: each is
 * the merge of the sources' lists of the token. The place of a token in a record is the number of
 * the record's tokens that are rarer, which is the number of lists so far that had the record. A
 * counter for each record, `places`, is all that this takes. Last, the entries of the new lists are
 * put back into the order of the hash, and become the dictionary.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "index/entry_sort.h"
#include "index/merge.h"
#include "index/page_io.h"
#include "index/segment.h"
#include "index/segment_writer.h"

typedef struct MergeSource
{
	SegmentStore store;
	const IndexSegment *segment;
	IndexSizeClass *classes;
	uint32 *new_firsts; /* by class: new number of the class's first living record */
	uint32 next_class;	/* while the classes of all sources are read side by side */

	/* A bitmap of dead records, and how many are before each word of it; NULL if none is dead. */
	uint64 *dead;
	uint32 *dead_before;

	DictionaryScan dictionary;
	const IndexEntry *entry; /* the next one, NULL after the last */
	uint64 hash;			 /* IndexTokenHash of its token */
} MergeSource;

/* An entry, and the number of its source. */
typedef struct SourceEntry
{
	IndexEntry entry;
	uint32 source;
	uint32 unused;
} SourceEntry;

/* The new numbers of a list's living records, ascending. */
typedef struct RecordList
{
	uint32 *records;
	uint32 count;
	uint32 capacity;
	uint32 next; /* that is to be written */
} RecordList;

typedef struct Merge
{
	uint32 source_count;
	MergeSource sources[MERGE_MOST];
	RecordList lists[MERGE_MOST];
	IndexSizeClass *classes; /* of the result, as are those below */
	uint32 class_count;
	uint32 record_count;
	uint8 *places; /* by record: the place of the next token that the record has */
	SegmentWriter writer;
} Merge;

StaticAssertDecl(MERGE_MOST >= INDEX_SEGMENTS, "all segments of an index can be merged at once");

/* Returns zeroed memory, which may be larger than 1 GB. */
static void *
allocate_large(Size size)
{
	return palloc_extended(Max(size, 1), MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Fills in the bitmap of dead records, if there are any. */
static void
read_dead(MergeSource *source)
{
	const IndexSegment *segment = source->segment;
	uint32 words = segment->record_count / 64 + 1;
	uint32 dead = 0;
	RecordTable tids;

	if (segment->dead_count == 0)
		return;
	source->dead = allocate_large(words * sizeof(uint64));
	source->dead_before = allocate_large(words * sizeof(uint32));
	RecordTableTids(&tids, &source->store, segment, NULL, false);
	for (uint32 i = 0; i < segment->record_count; i++)
	{
		if (!ItemPointerIsValid((ItemPointer) RecordTableGet(&tids, i)))
			source->dead[i / 64] |= UINT64CONST(1) << (i % 64);
	}
	RecordTableEnd(&tids);
	for (uint32 w = 0; w < words; w++)
	{
		source->dead_before[w] = dead;
		dead += (uint32) pg_popcount64(source->dead[w]);
	}
}

static inline bool
merge_is_dead(const MergeSource *source, uint32 record)
{
	return source->dead != NULL && (source->dead[record / 64] >> (record % 64) & 1) != 0;
}

/* Returns how many dead records are before this one. */
static inline uint32
dead_before(const MergeSource *source, uint32 record)
{
	uint64 below = (UINT64CONST(1) << (record % 64)) - 1;

	if (source->dead == NULL)
		return 0;
	return source->dead_before[record / 64] +
		   (uint32) pg_popcount64(source->dead[record / 64] & below);
}

static inline uint32
living_before(const MergeSource *source, uint32 record)
{
	return record - dead_before(source, record);
}

/* Returns the number in the result of a living record of this size class. */
static inline uint32
new_number(const MergeSource *source, uint32 size_class, uint32 record)
{
	return source->new_firsts[size_class] + living_before(source, record) -
		   living_before(source, source->classes[size_class].first);
}

/* Returns how many records of a size class are alive. */
static uint32
class_living(const MergeSource *source, uint32 c)
{
	return living_before(source, source->classes[c + 1].first) -
		   living_before(source, source->classes[c].first);
}

/* Finds the least size of the sources' next classes. Returns false if there are no more. */
static bool
next_size(const Merge *merge, uint32 *size)
{
	bool is_any = false;

	for (uint32 s = 0; s < merge->source_count; s++)
	{
		const MergeSource *source = &merge->sources[s];

		if (source->next_class == source->segment->class_count)
			continue;
		if (!is_any || source->classes[source->next_class].size < *size)
			*size = source->classes[source->next_class].size;
		is_any = true;
	}
	return is_any;
}

/* Makes the size classes of the result, and so the new numbers. */
static void
merge_classes(Merge *merge)
{
	uint32 most = 0;
	uint32 size = 0;

	for (uint32 s = 0; s < merge->source_count; s++)
		most += merge->sources[s].segment->class_count;
	merge->classes = allocate_large(most * sizeof(IndexSizeClass));
	while (next_size(merge, &size))
	{
		uint32 first = merge->record_count;

		for (uint32 s = 0; s < merge->source_count; s++)
		{
			MergeSource *source = &merge->sources[s];
			uint32 c = source->next_class;

			if (c == source->segment->class_count || source->classes[c].size != size)
				continue;
			source->new_firsts[c] = merge->record_count;
			merge->record_count += class_living(source, c);
			source->next_class++;
		}
		if (merge->record_count > first)
			merge->classes[merge->class_count++] = (IndexSizeClass){.size = size, .first = first};
	}
}

typedef void (*WriteElement)(SegmentWriter *writer, const void *element);

static void
write_tid(SegmentWriter *writer, const void *tid)
{
	SegmentWriterTid(writer, tid);
}

static void
write_signature(SegmentWriter *writer, const void *signature)
{
	SegmentWriterSignature(writer, signature);
}

/* Copies the living records' elements in the order of new numbers, from a table of each source. */
static void
copy_tables(Merge *merge, RecordTable *tables, WriteElement write)
{
	uint32 size = 0;

	for (uint32 s = 0; s < merge->source_count; s++)
		merge->sources[s].next_class = 0;
	while (next_size(merge, &size))
	{
		for (uint32 s = 0; s < merge->source_count; s++)
		{
			MergeSource *source = &merge->sources[s];
			const IndexSizeClass *size_class = &source->classes[source->next_class];

			if (source->next_class == source->segment->class_count || size_class->size != size)
				continue;
			for (uint32 i = size_class[0].first; i < size_class[1].first; i++)
			{
				if (!merge_is_dead(source, i))
					write(&merge->writer, RecordTableGet(&tables[s], i));
			}
			source->next_class++;
		}
	}
	for (uint32 s = 0; s < merge->source_count; s++)
		RecordTableEnd(&tables[s]);
}

/* Copies the TIDs and then the signatures. */
static void
copy_records(Merge *merge)
{
	RecordTable tables[MERGE_MOST];

	for (uint32 s = 0; s < merge->source_count; s++)
		RecordTableTids(&tables[s], &merge->sources[s].store, merge->sources[s].segment, NULL,
						false);
	copy_tables(merge, tables, write_tid);
	for (uint32 s = 0; s < merge->source_count; s++)
		RecordTableSignatures(&tables[s], &merge->sources[s].store, merge->sources[s].segment,
							  merge->writer.signature_words, false);
	copy_tables(merge, tables, write_signature);
}

/* Ensures that a list has room for `count` records; what it had is lost. */
static void
merge_reserve(RecordList *list, uint32 count)
{
	if (count <= list->capacity)
		return;
	if (list->records != NULL)
		pfree(list->records);
	list->capacity = count;
	list->records = palloc_extended((Size) count * sizeof(uint32), MCXT_ALLOC_HUGE);
}

/* Reads the list of an entry: the new numbers of its living records. */
static void
merge_read_list(const MergeSource *source, const IndexEntry *entry, RecordList *list)
{
	PostingScan scan;
	PostingBlock block;
	uint32 c = 0;

	list->count = list->next = 0;
	merge_reserve(list, entry->count);
	PostingScanBegin(&scan, &source->store, source->segment, entry, 0);
	while (PostingScanNext(&scan, &block))
	{
		uint32 records[POSTINGS_PER_BLOCK];

		PostingScanRecords(&scan, &block, records);
		for (uint32 i = 0; i < block.count; i++)
		{
			while (records[i] >= source->classes[c + 1].first)
				c++;
			if (!merge_is_dead(source, records[i]))
				list->records[list->count++] = new_number(source, c, records[i]);
		}
	}
	if (scan.left > 0)
		IndexCorrupted(source->store.index, "A list has the wrong number of postings.");
}

/* Returns how many postings of a list are of living records. */
static uint32
living_postings(Merge *merge, const MergeSource *source, const IndexEntry *entry)
{
	if (source->dead == NULL)
		return entry->count;
	merge_read_list(source, entry, &merge->lists[0]);
	return merge->lists[0].count;
}

/* Reads the next entry of a source. */
static void
next_entry(MergeSource *source)
{
	source->entry = DictionaryScanNext(&source->dictionary);
	if (source->entry != NULL)
		source->hash = IndexTokenHash(source->entry->token);
}

/* Finds the least hash of the sources' next entries; false if none is left. */
static bool
least_hash(const Merge *merge, uint64 *hash)
{
	bool is_any = false;

	for (uint32 s = 0; s < merge->source_count; s++)
	{
		const MergeSource *source = &merge->sources[s];

		if (source->entry == NULL || (is_any && source->hash >= *hash))
			continue;
		*hash = source->hash;
		is_any = true;
	}
	return is_any;
}

/*
 * Takes the next token's entries from all sources. Returns how many they are, 0 after the last
 * token; *postings is the number of postings of living records.
 */
static uint32
next_token(Merge *merge, SourceEntry *entries, uint64 *postings)
{
	uint32 count = 0;
	uint64 hash = 0;

	*postings = 0;
	if (!least_hash(merge, &hash))
		return 0;
	for (uint32 s = 0; s < merge->source_count; s++)
	{
		MergeSource *source = &merge->sources[s];

		if (source->entry == NULL || source->hash != hash)
			continue;
		entries[count++] = (SourceEntry){.entry = *source->entry, .source = s};
		*postings += living_postings(merge, source, source->entry);
		next_entry(source);
	}
	return count;
}

/* Writes a posting of a record, and counts it. */
static void
write_record(Merge *merge, uint32 record)
{
	uint8 *place = &merge->places[record];

	SegmentWriterPosting(&merge->writer, record, *place);
	if (*place < POSTING_MOST_PLACE)
		(*place)++;
}

/* Writes the postings of the first `count` lists, merged by record. */
static void
write_merged_lists(Merge *merge, uint32 count)
{
	for (;;)
	{
		RecordList *least = NULL;

		for (uint32 i = 0; i < count; i++)
		{
			RecordList *list = &merge->lists[i];

			if (list->next < list->count &&
				(least == NULL || list->records[list->next] < least->records[least->next]))
				least = list;
		}
		if (least == NULL)
			return;
		write_record(merge, least->records[least->next++]);
	}
}

/* Writes the list of a token that has these entries, and puts its entry into the sort by hash. */
static void
merge_list(Merge *merge, const SourceEntry *entries, uint32 count, EntrySort *by_hash)
{
	IndexEntry entry;

	for (uint32 i = 0; i < count; i++)
	{
		const SourceEntry *from = &entries[i];

		merge_read_list(&merge->sources[from->source], &from->entry, &merge->lists[i]);
	}
	write_merged_lists(merge, count);
	entry = SegmentWriterEndList(&merge->writer, entries[0].entry.token);
	EntrySortPut(by_hash, entry.count, &entry, sizeof(entry));
}

/*
 * Reads the dictionaries side by side. Lists of one posting are the rarest, and come in their
 * order, so that they are written at once. The other tokens are put into a sort by frequency, each
 * with its entries in all sources. Tokens that only dead records have are dropped. Returns the
 * number of tokens.
 */
static uint32
merge_dictionaries(Merge *merge, EntrySort *by_count, EntrySort *by_hash)
{
	SourceEntry entries[MERGE_MOST];
	uint32 token_count = 0;
	uint32 count;
	uint64 postings;

	for (uint32 s = 0; s < merge->source_count; s++)
	{
		MergeSource *source = &merge->sources[s];

		DictionaryScanBegin(&source->dictionary, &source->store, source->segment);
		next_entry(source);
	}
	while ((count = next_token(merge, entries, &postings)) > 0)
	{
		if (postings == 0)
			continue;
		if (postings == 1)
			merge_list(merge, entries, count, by_hash);
		else
			EntrySortPut(by_count, postings, entries, count * sizeof(SourceEntry));
		token_count++;
	}
	for (uint32 s = 0; s < merge->source_count; s++)
		DictionaryScanEnd(&merge->sources[s].dictionary);
	return token_count;
}

/* Writes the lists of more than one posting, in the order of the first sort. */
static void
merge_lists(Merge *merge, EntrySort *by_count, EntrySort *by_hash)
{
	const void *bytes;
	Size size;

	while ((bytes = EntrySortGet(by_count, &size)) != NULL)
	{
		SourceEntry entries[MERGE_MOST];

		CHECK_FOR_INTERRUPTS();
		memcpy(entries, bytes, size);
		merge_list(merge, entries, (uint32) (size / sizeof(SourceEntry)), by_hash);
	}
}

static void
merge_write_dictionary(Merge *merge, EntrySort *by_hash, uint32 token_count)
{
	const void *bytes;
	Size size;

	SegmentWriterBeginDictionary(&merge->writer, token_count);
	while ((bytes = EntrySortGet(by_hash, &size)) != NULL)
	{
		IndexEntry entry;

		memcpy(&entry, bytes, sizeof(entry));
		SegmentWriterEntry(&merge->writer, &entry);
	}
}

/* Writes the lists and the dictionary. */
static void
merge_tokens(Merge *merge)
{
	EntrySort by_count;
	EntrySort by_hash;
	uint32 token_count;

	EntrySortBegin(&by_count, ENTRIES_BY_COUNT, maintenance_work_mem / 8 * 3);
	EntrySortBegin(&by_hash, ENTRIES_BY_HASH, maintenance_work_mem / 8 * 3);
	merge->places = allocate_large(merge->record_count);
	SegmentWriterBeginLists(&merge->writer);
	token_count = merge_dictionaries(merge, &by_count, &by_hash);
	EntrySortPerform(&by_count);
	merge_lists(merge, &by_count, &by_hash);
	EntrySortEnd(&by_count);
	EntrySortPerform(&by_hash);
	merge_write_dictionary(merge, &by_hash, token_count);
	EntrySortEnd(&by_hash);
}

static uint32
sum_of_pages(const IndexSegment *sources, uint32 count)
{
	uint64 pages = 0;

	for (uint32 s = 0; s < count; s++)
		pages += sources[s].space.pages;
	return (uint32) Min(pages, MaxBlockNumber / 2);
}

/* The pages of all files may take a quarter of maintenance_work_mem, each file an equal part. */
static void
cache_file(SegmentFile *file, const IndexSegment *segment, uint32 file_count)
{
	Size pages = (Size) maintenance_work_mem * 1024 / 4 / file_count / BLCKSZ;

	SegmentFileCache(file, (uint32) Max(Min(pages, segment->space.pages), 1));
}

/* Reads what is needed of a source before the records get new numbers. */
static void
merge_begin_source(MergeSource *source)
{
	source->classes = SegmentClasses(&source->store, source->segment);
	source->new_firsts = allocate_large(source->segment->class_count * sizeof(uint32));
	read_dead(source);
}

uint32
MergeRoom(const IndexSegment *segments, uint32 count)
{
	uint64 records = 0;

	for (uint32 i = 0; i < count; i++)
	{
		records += segments[i].record_count - segments[i].dead_count;
		if (records > PG_UINT32_MAX)
			return i;
	}
	return count;
}

IndexSegment
MergeSegments(const SegmentStore *to, const IndexSegment *sources, SegmentFile *const *files,
			  uint32 count)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup index merge", ALLOCSET_DEFAULT_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	Merge *merge = palloc0(sizeof(Merge));
	IndexSegment result = {0};

	merge->source_count = count;
	for (uint32 s = 0; s < count; s++)
	{
		MergeSource *source = &merge->sources[s];

		source->segment = &sources[s];
		source->store = (SegmentStore){.index = to->index};
		if (files != NULL)
		{
			source->store.file = files[s];
			cache_file(files[s], &sources[s], count);
		}
		merge_begin_source(source);
	}
	merge_classes(merge);
	if (merge->record_count > 0)
	{
		SegmentWriterBegin(&merge->writer, to, sum_of_pages(sources, count));
		SegmentWriterClasses(&merge->writer, merge->classes, merge->class_count,
							 merge->record_count);
		copy_records(merge);
		merge_tokens(merge);
		result = SegmentWriterFinish(&merge->writer);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(context);
	return result;
}
