/*
 * canonical.c
 *		The canonical order: tokens as ranks, ascending within a record;
 *		records by (size, content, side, key, row), one after the other in memory.
 *
 * One size after the other: the tokens of its records are sorted where they are, then records are
 * put in order, and copied once. The records of most sizes are in the second-level cache meanwhile.
 *
 * Sorting the tokens of each record by comparisons would cost more than the
 * join. Where the processor can sort small sets in its registers (rank_sort.h), it does.
 * Otherwise blocks of records are sorted at once by radix, as pairs (rank,
 * record): by the digits of the rank, the least significant first, and then
 * by the record, which is where each pair's token is written to. A block is
 * small enough for the second-level cache.
 */
#include "c.h"

#include "port/pg_bitutils.h"
#include "join/kernel/key_runs.h"
#include "join/kernel/rank_sort.h"

/* Digits of so many bits are counted in the first-level cache. */
#define MOST_DIGIT_BITS 11

/* Tokens that are worth counting digits for. */
#define LEAST_BLOCK 256

/* A rank, and in the lower bits, as many as it leaves, the record's place in its block. */
typedef uint32 BlockToken;

typedef struct BlockSorter
{
	JoinHost *host;
	const uint32 *rank_of_id;
	RankSort sort_small;
	uint32 most_small; /* the largest set for sort_small; 0 if there is none */
	uint32 block;	   /* tokens, at most */
	int record_bits;
	int digits;
	int digit_bits;
	BlockToken *from;
	BlockToken *to;
	uint32 **next;	   /* by record of the block: where its next token goes */
	uint32 *counts[2]; /* by value of a digit, and of the next one */
} BlockSorter;

/* The records of one size. */
typedef struct Arrivals
{
	const JoinRecords *records;
	uint32 size;
	uint32 count;
	uint32 **tokens; /* by record; the row stands before */
} Arrivals;

/* Counts become the places where the values of each digit begin. */
static void
counts_to_starts(uint32 *counts, uint32 values)
{
	uint32 so_far = 0;

	for (uint32 i = 0; i < values; i++)
	{
		uint32 count = counts[i];

		counts[i] = so_far;
		so_far += count;
	}
}

/* The ranks of count records from first on, and how many have each value of the first digit. */
static void
look_up_ranks(BlockSorter *sorter, const Arrivals *arrivals, uint32 first, uint32 count,
			  uint32 *restrict counts)
{
	const uint32 *rank_of_id = sorter->rank_of_id;
	BlockToken *restrict to = sorter->from;
	uint32 mask = ((uint32) 1 << sorter->digit_bits) - 1;
	int record_bits = sorter->record_bits;

	for (uint32 i = 0; i < count; i++)
	{
		uint32 *ids = arrivals->tokens[first + i];

		sorter->next[i] = ids;
		for (uint32 k = 0; k < arrivals->size; k++)
		{
			uint32 rank = rank_of_id[ids[k]];

			counts[rank & mask]++;
			*to++ = rank << record_bits | i;
		}
	}
}

/* Sorts by the digit above shift, and counts the values of the next. */
static void
sort_by_digit(const BlockToken *restrict from, BlockToken *restrict to, uint32 count, int shift,
			  int digit_bits, uint32 *restrict starts, uint32 *restrict next_counts)
{
	uint32 mask = ((uint32) 1 << digit_bits) - 1;

	for (uint32 i = 0; i < count; i++)
	{
		BlockToken token = from[i];
		uint32 digits = token >> shift;

		to[starts[digits & mask]++] = token;
		next_counts[digits >> digit_bits & mask]++;
	}
}

/* Writes the ranks, which are in order, to their records. */
static void
distribute(const BlockToken *restrict from, uint32 count, int record_bits, uint32 **next)
{
	uint32 record_mask = ((uint32) 1 << record_bits) - 1;

	for (uint32 i = 0; i < count; i++)
		*next[from[i] & record_mask]++ = from[i] >> record_bits;
}

/* The sorted ranks of count records from first on. */
static void
sort_block(BlockSorter *sorter, const Arrivals *arrivals, uint32 first, uint32 count)
{
	uint32 values = (uint32) 1 << sorter->digit_bits;
	uint32 tokens = count * arrivals->size;

	memset(sorter->counts[0], 0, values * sizeof(uint32));
	look_up_ranks(sorter, arrivals, first, count, sorter->counts[0]);
	for (int digit = 0; digit < sorter->digits; digit++)
	{
		uint32 *starts = sorter->counts[digit & 1];
		uint32 *next_counts = sorter->counts[(digit + 1) & 1];
		BlockToken *from = sorter->from;

		counts_to_starts(starts, values);
		memset(next_counts, 0, values * sizeof(uint32));
		sort_by_digit(from, sorter->to, tokens, sorter->record_bits + digit * sorter->digit_bits,
					  sorter->digit_bits, starts, next_counts);
		sorter->from = sorter->to;
		sorter->to = from;
	}
	distribute(sorter->from, tokens, sorter->record_bits, sorter->next);
	JoinTick(sorter->host, (uint64) tokens * (sorter->digits + 2));
}

static inline int
compare_ranks(const uint32 *a, const uint32 *b, JoinHost *host)
{
	JoinTick(host, 1);
	return *a < *b ? -1 : *a > *b;
}

#define ST_SORT sort_ranks
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b, host) compare_ranks(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* A record by itself. */
static void
sort_record(const BlockSorter *sorter, uint32 *tokens, uint32 size)
{
	for (uint32 k = 0; k < size; k++)
	{
		JoinStrideTick(sorter->host, k);
		tokens[k] = sorter->rank_of_id[tokens[k]];
	}
	sort_ranks(tokens, size, sorter->host);
}

/* No more than there are of one size that is sorted so. */
uint32
JoinBlockTokens(const JoinRecords *records)
{
	uint64 most = Min(records->token_count / PART_OF_BLOCK, RECORDS_BLOCK);

	return (uint32) (RankSortBest() == NULL ? most : Min(most, records->most_large_tokens));
}

static void
sorter_init(BlockSorter *sorter, const JoinRecords *records, const uint32 *rank_of_id)
{
	JoinHost *host = records->host;
	int bits = KeyBits(records->distinct_tokens);

	sorter->host = host;
	sorter->rank_of_id = rank_of_id;
	sorter->sort_small = RankSortBest();
	sorter->most_small = sorter->sort_small != NULL ? RANK_SORT_MOST : 0;
	sorter->block = JoinBlockTokens(records);
	sorter->record_bits = Min(32 - bits, 16);
	sorter->digits = (bits + MOST_DIGIT_BITS - 1) / MOST_DIGIT_BITS;
	sorter->digit_bits = (bits + sorter->digits - 1) / sorter->digits;
	sorter->from = JoinAllocate(host, sorter->block, sizeof(BlockToken));
	sorter->to = JoinAllocate(host, sorter->block, sizeof(BlockToken));
	sorter->next = JoinAllocate(host, sorter->block, sizeof(uint32 *));
	for (int i = 0; i < 2; i++)
		sorter->counts[i] = JoinAllocate(host, 1 << sorter->digit_bits, sizeof(uint32));
}

static void
sorter_free(BlockSorter *sorter)
{
	JoinHost *host = sorter->host;

	for (int i = 0; i < 2; i++)
		JoinRelease(host, sorter->counts[i], 1 << sorter->digit_bits, sizeof(uint32));
	JoinRelease(host, sorter->next, sorter->block, sizeof(uint32 *));
	JoinRelease(host, sorter->to, sorter->block, sizeof(BlockToken));
	JoinRelease(host, sorter->from, sorter->block, sizeof(BlockToken));
}

/* Ranks instead of ids, ascending in each record, of records that are not small. */
static void
sort_blocks(BlockSorter *sorter, const Arrivals *arrivals)
{
	uint32 size = arrivals->size;
	uint32 most = Min((uint32) 1 << sorter->record_bits, sorter->block / size);

	for (uint32 first = 0, count; first < arrivals->count; first += count)
	{
		count = Min(arrivals->count - first, most);
		if (count > 0 && count * size >= LEAST_BLOCK)
			sort_block(sorter, arrivals, first, count);
		else
		{
			count = 1;
			sort_record(sorter, arrivals->tokens[first], size);
		}
	}
}

/* By the first tokens: as many, and as many bits of the last, as the key has place for. */
static void
make_keys(const Arrivals *arrivals, uint32 first, uint32 end, KeyedItem *order)
{
	int token_bits = KeyBits(arrivals->records->distinct_tokens);

	for (uint32 i = first; i < end; i++)
	{
		const uint32 *tokens = arrivals->tokens[i];
		uint64 key = 0;
		int left = 64;
		uint32 k = 0;

		JoinTick(arrivals->records->host, 1);
		for (; left >= token_bits; left -= token_bits, k++)
			key = key << token_bits | (k < arrivals->size ? tokens[k] : 0);
		if (left > 0)
			key = key << left | (k < arrivals->size ? tokens[k] >> (token_bits - left) : 0);
		order[i] = (KeyedItem){.key = key, .item = i};
	}
}

/* By side, then by key where keys are compared. */
static int
compare_rows(const JoinRecords *records, uint32 a, uint32 b)
{
	const int64 *order = records->key_order;

	if (order != NULL && (a < records->first_right_row) == (b < records->first_right_row) &&
		order[a] != order[b])
		return order[a] < order[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* How many first tokens are the same, of two records of this size. */
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

static int
compare_contents(uint32 a, uint32 b, void *context)
{
	const Arrivals *arrivals = context;
	const JoinRecords *records = arrivals->records;
	const uint32 *x = arrivals->tokens[a];
	const uint32 *y = arrivals->tokens[b];
	uint32 common = common_tokens(records->host, x, y, arrivals->size);

	if (common < arrivals->size)
		return x[common] < y[common] ? -1 : 1;
	return compare_rows(records, x[-1], y[-1]);
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
 * The records of a class, from first on, as the order says, with tokens from offset on. A key that
 * equals the one before may be that of a repeat.
 */
static void
copy_records(JoinRecords *records, const Arrivals *arrivals, const KeyedItem *order,
			 uint32 size_class, uint32 first, uint64 offset)
{
	JoinHost *host = records->host;
	uint32 size = arrivals->size;
	uint32 *tokens = records->tokens + offset;

	for (uint32 i = 0; i < arrivals->count; i++, tokens += size)
	{
		const uint32 *from = arrivals->tokens[order[i].item];
		uint32 number = first + i;

		JoinTick(host, size);
		if (i + RECORDS_AHEAD < arrivals->count)
			JoinAskForTokens(arrivals->tokens[order[i + RECORDS_AHEAD].item]);
		__builtin_prefetch(&records->records[number + RECORDS_AHEAD], 1);
		__builtin_prefetch(tokens + (uint64) RECORDS_AHEAD * size, 1);
		copy_tokens(host, tokens, from, size);
		if (i > 0 && order[i].key == order[i - 1].key &&
			common_tokens(host, tokens, tokens - size, size) == size)
			records->repeats[number / 64] |= UINT64CONST(1) << (number % 64);
		records->records[number] =
			(JoinRecord){.row = from[-1], .size = size, .size_class = size_class};
	}
}

static inline int
compare_sizes(const ArrivedRecords *a, const ArrivedRecords *b, JoinHost *host)
{
	JoinTick(host, 1);
	return a->size < b->size ? -1 : 1;
}

#define ST_SORT sort_sizes
#define ST_ELEMENT_TYPE ArrivedRecords
#define ST_COMPARE(a, b, host) compare_sizes(a, b, host)
#define ST_COMPARE_ARG_TYPE JoinHost
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

/* Gives back what the content has grown to beyond its chunks. */
static void
finish_content(JoinRecords *records)
{
	if (records->content_count == 0)
		return;
	records->content = JoinEnlarge(records->host, records->content, records->content_capacity,
								   records->content_count, sizeof(uint32));
	records->content_capacity = records->content_count;
}

/*
 * The records of one size: where they are, with ranks in order, and the keys by which they will be
 * ordered. Small sets are looked at chunk by chunk.
 */
static void
take_arrivals(BlockSorter *sorter, Arrivals *arrivals, const ArrivedRecords *arrived,
			  KeyedItem *order)
{
	bool are_small = arrived->size <= sorter->most_small;
	ArrivedScan scan;
	uint32 *record;
	uint32 count;

	arrivals->size = arrived->size;
	arrivals->count = 0;
	JoinArrivedBegin(&scan, arrivals->records, arrived);
	while ((count = JoinArrivedNext(&scan, &record)) > 0)
	{
		uint32 first = arrivals->count;

		for (uint32 i = 0; i < count; i++)
			arrivals->tokens[arrivals->count++] = record + i * JoinArrivedStride(arrived->size) + 1;
		JoinTick(sorter->host, (uint64) count * arrived->size);
		if (!are_small)
			continue;
		sorter->sort_small(sorter->rank_of_id, arrivals->tokens + first, count, arrived->size);
		make_keys(arrivals, first, arrivals->count, order);
	}
	if (are_small)
		return;
	sort_blocks(sorter, arrivals);
	make_keys(arrivals, 0, arrivals->count, order);
}

/* The classes of the sizes, ascending, and their records. */
static void
order_records(JoinRecords *records, const uint32 *rank_of_id)
{
	JoinHost *host = records->host;
	uint32 class_count = records->arrival_count;
	uint32 most = records->most_records;
	KeyedItem *order = JoinAllocate(host, most, sizeof(KeyedItem));
	Arrivals arrivals = {.records = records, .tokens = JoinAllocate(host, most, sizeof(uint32 *))};
	uint32 first = 0;
	uint64 offset = 0;
	BlockSorter sorter;

	sorter_init(&sorter, records, rank_of_id);
	sort_sizes(records->arrivals, class_count, host);
	for (uint32 c = 0; c < class_count; c++)
	{
		take_arrivals(&sorter, &arrivals, &records->arrivals[c], order);
		KeySort(order, arrivals.count, compare_contents, &arrivals, host);
		copy_records(records, &arrivals, order, c, first, offset);
		records->class_sizes[c] = arrivals.size;
		records->class_starts[c] = first;
		records->class_origins[c] = (int64) offset - (int64) first * arrivals.size;
		first += arrivals.count;
		offset += (uint64) arrivals.count * arrivals.size;
	}
	records->class_starts[class_count] = first;
	sorter_free(&sorter);
	JoinRelease(host, arrivals.tokens, most, sizeof(uint32 *));
	JoinRelease(host, order, most, sizeof(KeyedItem));
}

static void
allocate_ordered(JoinRecords *records)
{
	JoinHost *host = records->host;

	records->class_count = records->arrival_count;
	records->class_sizes = JoinAllocate(host, records->class_count, sizeof(uint32));
	records->class_starts = JoinAllocate(host, records->class_count + 1, sizeof(uint32));
	records->class_origins = JoinAllocate(host, records->class_count, sizeof(int64));
	records->repeats = JoinAllocateZero(host, JoinRecordsBitmapWords(records), sizeof(uint64));
	records->records = JoinAllocate(host, records->record_count, sizeof(JoinRecord));
	records->tokens = JoinAllocate(host, records->token_count, sizeof(uint32));
}

/* What keys are made of, while the tokens themselves are still known. */
static void
keep_values(JoinRecords *records, const uint32 *rank_of_id)
{
	const DictionaryEntry *entries = records->dictionary.entries;

	records->values = JoinAllocate(records->host, records->distinct_tokens, sizeof(uint64));
	for (uint32 id = 1; id <= records->distinct_tokens; id++)
	{
		JoinStrideTick(records->host, id);
		records->values[rank_of_id[id]] = BucketTokenValue(records->buckets, entries[id].token);
	}
}

/* The rank of each id. */
static uint32 *
rank_tokens(JoinRecords *records)
{
	uint32 *rank_of_id;

	records->distinct_tokens = records->dictionary.token_count;
	rank_of_id = JoinAllocate(records->host, records->distinct_tokens + 1, sizeof(uint32));
	records->first_shared_token = TokenDictionaryRank(&records->dictionary, rank_of_id);
	if (records->buckets != NULL)
		keep_values(records, rank_of_id);
	TokenDictionaryFree(&records->dictionary);
	return rank_of_id;
}

void
JoinRecordsCanonicalize(JoinRecords *records)
{
	uint32 *rank_of_id;

	JoinRecordsNumber(records);
	finish_content(records);
	rank_of_id = rank_tokens(records);
	allocate_ordered(records);
	order_records(records, rank_of_id);
	JoinRelease(records->host, rank_of_id, records->distinct_tokens + 1, sizeof(uint32));
	JoinRecordsFreeArrived(records);
	JoinNumberKeyRuns(records);
}
