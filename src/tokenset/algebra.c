/*
 * algebra.c
 *		Union, intersection, difference, overlap and containment.
 *
 * Plain set algebra, the empty set included: it is contained in every set and
 * overlaps none. Results are allocated to the token, which costs one more
 * pass to count the overlap, and keeps a sum of two sizes from exceeding the
 * limit where the union does not.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "tokenset/tokenset.h"

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
		CHECK_FOR_INTERRUPTS();
	}
	memcpy(to, x, (x_end - x) * sizeof(Token));
	to += x_end - x;
	memcpy(to, y, (y_end - y) * sizeof(Token));
	return result;
}

Tokenset *
TokensetIntersection(const Tokenset *a, const Tokenset *b)
{
	const Tokenset *small = TokensetCount(a) <= TokensetCount(b) ? a : b;
	const Tokenset *large = small == a ? b : a;
	const Token *y = large->tokens;
	const Token *y_end = y + TokensetCount(large);
	int32 count = TokensetCount(small);
	Tokenset *result = TokensetAllocate(TokensetOverlap(a, b));
	Token *to = result->tokens;

	for (int32 i = 0; i < count; i++)
	{
		y = TokensSeek(y, y_end, small->tokens[i]);
		if (y == y_end)
			break;
		if (*y == small->tokens[i])
			*to++ = *y;
		CHECK_FOR_INTERRUPTS();
	}
	return result;
}

Tokenset *
TokensetDifference(const Tokenset *a, const Tokenset *b)
{
	const Token *y = b->tokens;
	const Token *y_end = y + TokensetCount(b);
	int32 count = TokensetCount(a);
	Tokenset *result = TokensetAllocate(count - TokensetOverlap(a, b));
	Token *to = result->tokens;

	for (int32 i = 0; i < count; i++)
	{
		y = TokensSeek(y, y_end, a->tokens[i]);
		if (y == y_end || *y != a->tokens[i])
			*to++ = a->tokens[i];
		CHECK_FOR_INTERRUPTS();
	}
	return result;
}

/* Alternates seeks, each side's token in the other, up to the first that is in both. */
bool
TokensetOverlaps(const Tokenset *a, const Tokenset *b)
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
	PG_RETURN_TOKENSET(TokensetIntersection(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
}

Datum
tokenset_difference(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetDifference(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
}

Datum
tokenset_overlaps(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(TokensetOverlaps(PG_GETARG_TOKENSET(0), PG_GETARG_TOKENSET(1)));
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
