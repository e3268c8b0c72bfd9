/*
 * token_sort.c
 *		Sorting of tokens: a bucket sort by their leading bits.
 *
 * Hashes are uniform, so there are about as many buckets as tokens, up to a limit, and each gets
 * few. One pass counts the buckets, a second one distributes the tokens, and if all buckets are
 * small, one insertion sort over the whole array finishes the work: no token has to move further
 * than its bucket. Integers need not be uniform. Where one bucket has many tokens, every bucket is
 * sorted by comparisons.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "text/token_sort.h"

/* Tokens that insertion alone sorts, and the largest bucket for which it finishes the work. */
#define MOST_BY_INSERTION 16

/* At most 2^12 buckets, whose counters fit into the first-level cache. */
#define MOST_BUCKET_BITS 12

#define ST_SORT sort_by_comparisons
#define ST_ELEMENT_TYPE Token
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static inline void
sort_by_insertion(Token *tokens, Size count)
{
	for (Size i = 1; i < count; i++)
	{
		Token token = tokens[i];
		Size place = i;

		for (; place > 0 && tokens[place - 1] > token; place--)
			tokens[place] = tokens[place - 1];
		tokens[place] = token;
	}
}

static bool
is_sorted(const Token *tokens, Size count)
{
	for (Size i = 1; i < count; i++)
	{
		if (tokens[i - 1] > tokens[i])
			return false;
	}
	return true;
}

/* Returns the bucket of a token: its leading bits, in the order of signed integers. */
static inline uint32
token_bucket(Token token, int shift)
{
	return ((uint64) token ^ (UINT64CONST(1) << 63)) >> shift;
}

/* Finds the end of each bucket, and returns how many tokens the largest one has. */
static uint32
find_bucket_ends(const Token *tokens, Size count, int shift, uint32 *ends, uint32 buckets)
{
	uint32 so_far = 0;
	uint32 largest = 0;

	memset(ends, 0, buckets * sizeof(uint32));
	for (Size i = 0; i < count; i++)
		ends[token_bucket(tokens[i], shift)]++;
	for (uint32 i = 0; i < buckets; i++)
	{
		largest = Max(largest, ends[i]);
		ends[i] = so_far += ends[i];
	}
	return largest;
}

static void
sort_buckets(Token *tokens, Size count, const uint32 *starts, uint32 buckets)
{
	for (uint32 i = 0; i < buckets; i++)
	{
		Size end = i + 1 < buckets ? starts[i + 1] : count;

		sort_by_comparisons(tokens + starts[i], end - starts[i]);
	}
}

/* Sorts tokens into another array. */
static void
sort_by_buckets(const Token *tokens, Size count, Token *sorted)
{
	int bits = Min(pg_leftmost_one_pos64(count), MOST_BUCKET_BITS);
	int shift = 64 - bits;
	uint32 buckets = (uint32) 1 << bits;
	uint32 starts[1 << MOST_BUCKET_BITS];
	uint32 largest = find_bucket_ends(tokens, count, shift, starts, buckets);

	CHECK_FOR_INTERRUPTS();
	for (Size i = count; i-- > 0;)
		sorted[--starts[token_bucket(tokens[i], shift)]] = tokens[i];
	CHECK_FOR_INTERRUPTS();
	if (largest <= MOST_BY_INSERTION)
		sort_by_insertion(sorted, count);
	else
		sort_buckets(sorted, count, starts, buckets);
}

void
TokensSort(Token *tokens, Size count)
{
	Token few[FEW_TOKENS];
	Token *sorted = few;

	if (count <= MOST_BY_INSERTION)
	{
		sort_by_insertion(tokens, count);
		return;
	}
	if (is_sorted(tokens, count))
		return;
	if (count > FEW_TOKENS)
		sorted = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(Token));
	sort_by_buckets(tokens, count, sorted);
	memcpy(tokens, sorted, count * sizeof(Token));
	if (sorted != few)
		pfree(sorted);
}

Size
TokensUnique(Token *tokens, Size count)
{
	Token previous = count > 0 ? tokens[0] : 0;
	Size kept = Min(count, 1);

	for (Size i = 1; i < count; i++)
	{
		Token token = tokens[i];
		bool is_new = token != previous;

		tokens[kept] = previous = token;
		kept += is_new;
	}
	return kept;
}
