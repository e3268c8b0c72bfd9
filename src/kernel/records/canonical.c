/*
 * canonical.c
 *		Putting records in their canonical order.
 *
 * A counting sort by size moves the records, with the ids of their tokens, into classes. Each class
 * is then put in order by itself, so that workers can share the classes. Its ids are replaced by
 * ranks and sorted within each record (block_sort.h). Then the records are sorted by content: each
 * has a key of 64 bits from its first ranks, and only records with equal keys are compared. Equal
 * contents are in the order of rows, which is that of (side, row).
 */
#include "c.h"

#include "kernel/records/block_sort.h"
#include "kernel/records/canonical.h"
#include "kernel/records/key_sort.h"
#include "kernel/records/record_weights.h"
#include "measure/token_weight.h"

/* A class: records of one size. */
typedef struct SizeGroup
{
	JoinHost *host;
	uint32 size;
	uint32 count;
	uint32 *tokens; /* record after record: ids, later ranks */
	JoinRecord *records;
} SizeGroup;

static inline uint32 *
tokens_of(const SizeGroup *group, uint32 record)
{
	return group->tokens + (uint64) record * group->size;
}

/*
 * Writes the keys of a class's records. A key is the first ranks, each in as many bits as the
 * greatest rank needs, as far as they go into 64 bits. So keys are in the order of contents, as far
 * as they differ.
 */
static void
make_keys(const SizeGroup *group, int token_bits, KeyedItem *order)
{
	for (uint32 i = 0; i < group->count; i++)
	{
		const uint32 *tokens = tokens_of(group, i);
		uint64 key = 0;
		int left = 64;
		uint32 k = 0;

		JoinTick(group->host, 1);
		for (; left >= token_bits; left -= token_bits, k++)
			key = key << token_bits | (k < group->size ? tokens[k] : 0);
		if (left > 0)
			key = key << left | (k < group->size ? tokens[k] >> (token_bits - left) : 0);
		order[i] = (KeyedItem){.key = key, .item = i};
	}
}

/* Returns how many leading tokens two records of a size have in common. */
static uint32
common_tokens(JoinHost *host, const uint32 *x, const uint32 *y, uint32 size)
{
	uint32 i = 0;

	while (i < size)
	{
		uint32 end = JoinStrideEnd(host, i, size);

		while (i < end && x[i] == y[i])
			i++;
		if (i < end)
			break;
	}
	JoinTick(host, i % JOIN_STRIDE);
	return i;
}

/* Compares two records that have the same key. */
static int
compare_contents(uint32 a, uint32 b, void *context)
{
	const SizeGroup *group = context;
	const uint32 *x = tokens_of(group, a);
	const uint32 *y = tokens_of(group, b);
	uint32 common = common_tokens(group->host, x, y, group->size);

	if (common < group->size)
		return x[common] < y[common] ? -1 : 1;
	return group->records[a].row < group->records[b].row
			   ? -1
			   : group->records[a].row > group->records[b].row;
}

static inline void
copy_tokens(JoinHost *host, uint32 *to, const uint32 *from, uint32 count)
{
	for (uint32 i = 0, end; i < count; i = end)
	{
		end = JoinStrideEnd(host, i, count);
		memcpy(to + i, from + i, (end - i) * sizeof(uint32));
	}
}

/*
 * A copy of a class, before its records are put in order. The arrays serve one class after another.
 */
typedef struct Unordered
{
	uint64 token_capacity;
	uint32 capacity; /* records */
	uint32 *tokens;
	uint32 *rows;
	KeyedItem *order; /* numbers within the class, in the canonical order */
} Unordered;

static void
copy_class(const SizeGroup *group, Unordered *unordered)
{
	for (uint32 i = 0; i < group->count; i++)
	{
		JoinTick(group->host, group->size);
		unordered->rows[i] = group->records[i].row;
		copy_tokens(group->host, unordered->tokens + (uint64) i * group->size, tokens_of(group, i),
					group->size);
	}
}

/*
 * Says that a record repeats the one before. Classes of two units may share a word of the bitmap.
 */
static inline void
set_repeats(JoinRecords *records, uint32 number)
{
	__atomic_fetch_or(&records->repeats[number / 64], UINT64CONST(1) << (number % 64),
					  __ATOMIC_RELAXED);
}

/* Moves the records of a class from the copy to their places, and finds those that repeat. */
static void
class_put_in_order(JoinRecords *records, const SizeGroup *group, const Unordered *unordered)
{
	const KeyedItem *order = unordered->order;
	uint32 size = group->size;
	uint32 first = group->records - records->records;

	for (uint32 i = 0; i < group->count; i++)
	{
		uint32 *tokens = tokens_of(group, i);

		JoinTick(group->host, size);
		if (i + RECORDS_AHEAD < group->count)
			JoinPrefetchTokens(unordered->tokens + (uint64) order[i + RECORDS_AHEAD].item * size);
		copy_tokens(group->host, tokens, unordered->tokens + (uint64) order[i].item * size, size);
		group->records[i].row = unordered->rows[order[i].item];
		if (i > 0 && order[i].key == order[i - 1].key &&
			common_tokens(group->host, tokens, tokens - size, size) == size)
			set_repeats(records, first + i);
	}
}

static int64
total_weight(const JoinRecords *records, const uint32 *tokens, uint32 size)
{
	bool squares = records->weighing.squares;
	int64 total = 0;

	JoinTick(records->host, size);
	for (uint32 k = 0; k < size; k++)
		total += TokenWeightTerm(records->weights[tokens[k]], squares);
	return total;
}

static void
weigh_records(JoinRecords *records, const SizeGroup *group)
{
	uint32 first = group->records - records->records;

	for (uint32 i = 0; i < group->count; i++)
		records->totals[first + i] = total_weight(records, tokens_of(group, i), group->size);
}

/* Tells where the next record of a size goes, and which class the size has. */
typedef struct SizePlace
{
	uint32 next; /* number of a record; before classes are made, how many records have the size */
	uint32 size_class;
} SizePlace;

static SizePlace *
count_sizes(const JoinRecords *records)
{
	SizePlace *places =
		JoinAllocateZero(records->host, (Size) records->largest + 1, sizeof(SizePlace));

	for (uint32 i = 0; i < records->record_count; i++)
	{
		JoinStrideTick(records->host, i);
		places[records->arrived[i].size].next++;
	}
	return places;
}

/* Makes a class of each size that occurs, and turns the counts of the sizes into places. */
static void
make_classes(JoinRecords *records, SizePlace *places)
{
	JoinHost *host = records->host;
	uint32 first = 0;
	uint64 offset = 0;

	records->class_count = 0;
	for (uint32 size = 1; size <= records->largest; size++)
	{
		JoinStrideTick(host, size);
		records->class_count += places[size].next > 0;
	}
	records->class_sizes = JoinAllocateShared(host, records->class_count, sizeof(uint32));
	records->class_starts = JoinAllocateShared(host, records->class_count + 1, sizeof(uint32));
	records->class_origins = JoinAllocateShared(host, records->class_count, sizeof(int64));
	for (uint32 size = 1, c = 0; size <= records->largest; size++)
	{
		uint32 count = places[size].next;

		JoinStrideTick(host, size);
		if (count == 0)
			continue;
		places[size] = (SizePlace){.next = first, .size_class = c};
		records->class_sizes[c] = size;
		records->class_starts[c] = first;
		records->class_origins[c++] = (int64) offset - (int64) first * size;
		first += count;
		offset += (uint64) count * size;
	}
	records->class_starts[records->class_count] = first;
}

/* Moves each record to its class, and frees the records as they arrived. */
static void
group_by_size(JoinRecords *records)
{
	JoinHost *host = records->host;
	SizePlace *places = count_sizes(records);
	const uint32 *ids = records->ids;

	make_classes(records, places);
	records->repeats =
		JoinAllocateSharedZero(host, JoinRecordsBitmapWords(records), sizeof(uint64));
	records->records = JoinAllocateShared(host, records->record_count, sizeof(JoinRecord));
	records->tokens = JoinAllocateShared(host, records->token_count, sizeof(uint32));
	for (uint32 i = 0; i < records->record_count; i++)
	{
		ArrivedRecord arrived = records->arrived[i];
		SizePlace *place = &places[arrived.size];
		JoinRecord *record = &records->records[place->next++];

		JoinTick(host, arrived.size);
		*record =
			(JoinRecord){.row = arrived.row, .size = arrived.size, .size_class = place->size_class};
		copy_tokens(host, unconstify(uint32 *, JoinRecordTokens(records, record)), ids,
					arrived.size);
		ids += arrived.size;
	}
	JoinRelease(host, places, (Size) records->largest + 1, sizeof(SizePlace));
	JoinRecordsFreeArrived(records);
}

static SizeGroup
group_of_class(const JoinRecords *records, uint32 size_class)
{
	uint32 first = records->class_starts[size_class];
	JoinRecord *record = &records->records[first];

	return (SizeGroup){.host = records->host,
					   .size = records->class_sizes[size_class],
					   .count = records->class_starts[size_class + 1] - first,
					   .tokens = unconstify(uint32 *, JoinRecordTokens(records, record)),
					   .records = record};
}

static void
unordered_init(Unordered *unordered, const JoinRecords *records, uint32 first_class,
			   uint32 end_class)
{
	JoinHost *host = records->host;

	memset(unordered, 0, sizeof(*unordered));
	for (uint32 c = first_class; c < end_class; c++)
	{
		SizeGroup group = group_of_class(records, c);

		unordered->capacity = Max(unordered->capacity, group.count);
		unordered->token_capacity =
			Max(unordered->token_capacity, (uint64) group.count * group.size);
	}
	unordered->tokens = JoinAllocate(host, unordered->token_capacity, sizeof(uint32));
	unordered->rows = JoinAllocate(host, unordered->capacity, sizeof(uint32));
	unordered->order = JoinAllocate(host, unordered->capacity, sizeof(KeyedItem));
}

static void
unordered_free(Unordered *unordered, JoinHost *host)
{
	JoinRelease(host, unordered->order, unordered->capacity, sizeof(KeyedItem));
	JoinRelease(host, unordered->rows, unordered->capacity, sizeof(uint32));
	JoinRelease(host, unordered->tokens, unordered->token_capacity, sizeof(uint32));
}

/* Returns the first class that begins at this token or a later one. */
static uint32
class_from_token(const JoinRecords *records, uint64 number)
{
	uint32 c = 0;

	while (c < records->class_count && group_of_class(records, c).tokens < records->tokens + number)
		c++;
	return c;
}

void
JoinRecordsOrder(JoinRecords *records, uint32 unit, uint32 units)
{
	uint32 first = class_from_token(records, records->token_count / units * unit);
	uint32 end = unit + 1 == units
					 ? records->class_count
					 : class_from_token(records, records->token_count / units * (unit + 1));
	int token_bits = KeyBits(records->distinct_tokens);
	Unordered unordered;
	BlockSorter sorter;

	if (first == end)
		return;
	unordered_init(&unordered, records, first, end);
	BlockSorterInit(&sorter, records->host, records->rank_of_id, records->distinct_tokens,
					records->token_count);
	for (uint32 c = first; c < end; c++)
	{
		SizeGroup group = group_of_class(records, c);

		BlockSort(&sorter, group.tokens, group.count, group.size);
		make_keys(&group, token_bits, unordered.order);
		KeySort(unordered.order, group.count, compare_contents, &group, records->host);
		copy_class(&group, &unordered);
		class_put_in_order(records, &group, &unordered);
		if (records->weighing.is_weighted)
			weigh_records(records, &group);
	}
	BlockSorterFree(&sorter);
	unordered_free(&unordered, records->host);
}

/* Keeps what bucket keys need of each token, before the dictionary is freed. */
static void
keep_values(JoinRecords *records)
{
	const DictionaryEntry *entries = records->dictionary.entries;

	records->values = JoinAllocateShared(records->host, records->distinct_tokens, sizeof(uint64));
	for (uint32 id = 1; id <= records->distinct_tokens; id++)
	{
		JoinStrideTick(records->host, id);
		records->values[records->rank_of_id[id]] =
			BucketTokenValue(records->buckets, entries[id].token);
	}
}

/* Ranks the known tokens after those of the dictionary. */
static void
rank_known(JoinRecords *records)
{
	uint32 before = records->dictionary.token_count;

	for (uint32 id = 1; id <= records->known_tokens; id++)
	{
		JoinStrideTick(records->host, id);
		records->rank_of_id[id] = before + records->known_ranks[id];
	}
	if (before == 0)
		records->first_shared_token = records->first_shared_known;
}

/* Gives each token its rank, and frees the dictionary. */
static void
rank_tokens(JoinRecords *records)
{
	records->distinct_tokens = records->known_tokens + records->dictionary.token_count;
	records->rank_of_id =
		JoinAllocateShared(records->host, records->distinct_tokens + 1, sizeof(uint32));
	records->first_shared_token =
		TokenDictionaryRank(&records->dictionary, records->rank_of_id + records->known_tokens);
	if (records->known_tokens > 0)
		rank_known(records);
	if (records->buckets != NULL)
		keep_values(records);
	if (records->weighing.is_weighted)
		JoinWeightsRank(records);
	TokenDictionaryFree(&records->dictionary);
}

void
JoinRecordsGroup(JoinRecords *records)
{
	JoinRecordsNumber(records);
	rank_tokens(records);
	JoinRecordsTrim(records);
	group_by_size(records);
	if (records->weighing.is_weighted)
		records->totals = JoinAllocateShared(records->host, records->record_count, sizeof(int64));
}
