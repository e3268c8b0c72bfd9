/*
 * occurrences.c
 *		Numbering of the occurrences of a token.
 *
 * Most occurrences are the first one of their token, and these are in order already. So only the
 * others are numbered and sorted, and then merged into the first ones.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bswap.h"
#include "utils/memutils.h"

#include "text/occurrences.h"
#include "text/token_of_bytes.h"
#include "text/token_sort.h"

/* Hashes little-endian numbers, so that the token is the same on every platform. */
Token
TokenOfOccurrence(Token token, int64 occurrence)
{
	uint64 bytes[2];

	if (occurrence == 1)
		return token;
	bytes[0] = (uint64) token;
	bytes[1] = (uint64) occurrence;
#ifdef WORDS_BIGENDIAN
	bytes[0] = pg_bswap64(bytes[0]);
	bytes[1] = pg_bswap64(bytes[1]);
#endif
	return TokenOfBytes((const char *) bytes, sizeof(bytes));
}

/*
 * Moves the first occurrence of each token to the front of the array, and copies all further ones
 * to `others`; returns how many these are. Both stay in order.
 */
static Size
split_occurrences(Token *tokens, Size count, Token *others)
{
	Token previous = tokens[0];
	Size first_count = 1;
	Size other_count = 0;

	for (Size i = 1; i < count; i++)
	{
		Token token = tokens[i];
		bool is_other = token == previous;

		others[other_count] = token;
		other_count += is_other;
		tokens[first_count] = previous = token;
		first_count += !is_other;
	}
	return other_count;
}

/*
 * Replaces sorted tokens, which are the second and later occurrences, by the tokens of these
 * occurrences.
 */
static void
number_others(Token *others, Size count)
{
	Token current = 0;
	int64 occurrence = 1;

	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		occurrence = (others[i] == current && i > 0 ? occurrence : 1) + 1;
		current = others[i];
		others[i] = TokenOfOccurrence(current, occurrence);
	}
}

/*
 * Merges the sorted others into the sorted first tokens, behind which there is room for them, from
 * the end on. Returns whether all tokens are distinct.
 */
static bool
merge_into(Token *tokens, Size first_count, const Token *others, Size other_count)
{
	bool are_distinct = true;

	while (first_count > 0 && other_count > 0)
	{
		Token first = tokens[first_count - 1];
		Token other = others[other_count - 1];
		bool is_first = first > other;

		are_distinct &= first != other;
		tokens[first_count + other_count - 1] = is_first ? first : other;
		first_count -= is_first;
		other_count -= !is_first;
	}
	memcpy(tokens, others, other_count * sizeof(Token));
	return are_distinct;
}

/*
 * Numbers the others and merges them into the `count` first occurrences, behind which there is room
 * for them. Returns the size of the set.
 */
static Size
merge_others(Token *tokens, Size count, Token *others, Size other_count)
{
	bool are_distinct;

	number_others(others, other_count);
	TokensSort(others, other_count);
	other_count = TokensUnique(others, other_count);
	are_distinct = merge_into(tokens, count, others, other_count);
	count += other_count;
	return are_distinct ? count : TokensUnique(tokens, count);
}

Size
TokensNumberOccurrences(Token *tokens, Size count)
{
	Token few[FEW_TOKENS];
	Token *others = few;
	Size other_count;

	if (count < 2)
		return count;
	if (count > FEW_TOKENS)
		others = MemoryContextAllocHuge(CurrentMemoryContext, count * sizeof(Token));
	other_count = split_occurrences(tokens, count, others);
	if (other_count > 0)
		count = merge_others(tokens, count - other_count, others, other_count);
	if (others != few)
		pfree(others);
	return count;
}
