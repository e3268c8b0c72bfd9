/*
 * algebra.c
 *		Union, intersection, difference, overlap and containment.
 *
 * A first pass counts the overlap, so that results are allocated at their exact size. This also
 * lets a union be made that is within the limit of a tokenset although its operands together exceed
 * it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "tokenset/algebra.h"

PG_FUNCTION_INFO_V1(tokenset_union);
PG_FUNCTION_INFO_V1(tokenset_intersection);
PG_FUNCTION_INFO_V1(tokenset_difference);
PG_FUNCTION_INFO_V1(tokenset_overlaps);
PG_FUNCTION_INFO_V1(tokenset_contains);
PG_FUNCTION_INFO_V1(tokenset_contained);

Tokenset *
TokensetUnion(const Tokenset *a, const Tokenset *b)
{
	const Token *x = a->tokens;
	const Token *y = b->tokens;
	const Token *x_end = x + TokensetCount(a);
	const Token *y_end = y + TokensetCount(b);
	Tokenset *result = TokensetAllocate((x_end - x) + (y_end - y) - (Size) TokensetOverlap(a, b));
	Token *to = result->tokens;

	while (x < x_end && y < y_end)
	{
		Token left = *x;
		Token right = *y;

		*to++ = Min(left, right);
		x += left <= right;
		y += right <= left;
	}
	memcpy(to, x, (x_end - x) * sizeof(Token));
	to += x_end - x;
	memcpy(to, y, (y_end - y) * sizeof(Token));
	return result;
}

Size
TokensSelect(const Token *tokens, Size count, const Token *others, Size other_count, bool found,
			 Token *to)
{
	const Token *others_end = others + other_count;
	Size selected = 0;

	for (Size i = 0; i < count; i++)
	{
		Token token = tokens[i];

		others = TokensSeek(others, others_end, token);
		if ((others < others_end && *others == token) == found)
			to[selected++] = token;
		CHECK_FOR_INTERRUPTS();
	}
	return selected;
}

/* Returns the common tokens as a new set: those of the smaller set are sought in the larger one. */
static Tokenset *
intersection(const Tokenset *a, const Tokenset *b)
{
	const Tokenset *small = TokensetCount(a) <= TokensetCount(b) ? a : b;
	const Tokenset *large = small == a ? b : a;
	Tokenset *result = TokensetAllocate(TokensetOverlap(a, b));

	TokensSelect(small->tokens, TokensetCount(small), large->tokens, TokensetCount(large), true,
				 result->tokens);
	return result;
}

/* Returns the tokens of a that b lacks, as a new set. */
static Tokenset *
difference(const Tokenset *a, const Tokenset *b)
{
	Tokenset *result = TokensetAllocate(TokensetCount(a) - TokensetOverlap(a, b));

	TokensSelect(a->tokens, TokensetCount(a), b->tokens, TokensetCount(b), false, result->tokens);
	return result;
}

/*
 * Returns whether the sets have a common token. Each side in turn skips to the other's token, so
 * that sets of different ranges cost little.
 */
static bool
overlaps(const Tokenset *a, const Tokenset *b)
{
	const Token *x = a->tokens;
	const Token *y = b->tokens;
	const Token *x_end = x + TokensetCount(a);
	const Token *y_end = y + TokensetCount(b);

	while (x < x_end && y < y_end)
	{
		if (*x == *y)
			return true;
		if (*x < *y)
			x = TokensSeek(x, x_end, *y);
		else
			y = TokensSeek(y, y_end, *x);
		CHECK_FOR_INTERRUPTS();
	}
	return false;
}

bool
TokensetContains(const Tokenset *a, const Tokenset *b)
{
	int32 count = TokensetCount(b);

	return TokensetCount(a) >= count && TokensetOverlapIfAtLeast(a, b, count) == count;
}

Datum
tokenset_union(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetUnion(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
}

Datum
tokenset_intersection(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(intersection(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
}

Datum
tokenset_difference(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(difference(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
}

Datum
tokenset_overlaps(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(overlaps(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
}

Datum
tokenset_contains(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(TokensetContains(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
}

Datum
tokenset_contained(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(TokensetContains(PG_GETARG_TOKENSET(1), PG_GETARG_TOKENSET(0)));
}
