/*
 * verify.c
 *		Computes the overlap of candidates.
 *
 * Sequences are compared by token_overlap.h. A weighted overlap is computed by a merge, which stops as
 * soon as the slack of x or y is used up: what their tokens that have no equal one may weigh.
 */
#include "c.h"

#include "kernel/filters/token_overlap.h"
#include "kernel/filters/verify.h"
#include "measure/token_weight.h"

int64
OverlapAtLeast(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size,
			   int64 needed)
{
	JoinTick(host, (uint64) x_size + y_size);
	return TokenOverlap(x, x_size, y, y_size, needed, PG_INT64_MAX);
}

bool
HaveCommonToken(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size)
{
	JoinTick(host, (uint64) x_size + y_size);
	return TokenOverlap(x, x_size, y, y_size, 1, 1) > 0;
}

int64
VerifyOverlap(JoinHost *host, const PrefixedRecord *x, const PrefixedRecord *y,
			  uint32 prefix_overlap, int64 least_overlap)
{
	const PrefixedRecord *u = x;
	const PrefixedRecord *v = y;
	int64 needed = least_overlap - prefix_overlap;

	/*
	 * The prefix of u ends first. Its tokens are below all of the suffix of v, and so have been
	 * counted; the suffix of u may match any token of v.
	 */
	if (x->tokens[x->prefix - 1] >= y->tokens[y->prefix - 1])
	{
		u = y;
		v = x;
	}
	if ((int64) u->size - u->prefix < needed)
		return prefix_overlap;

	/*
	 * At least prefix_overlap tokens of v are common with the prefix of u, so its first are below
	 * the suffix.
	 */
	return prefix_overlap + OverlapAtLeast(host, u->tokens + u->prefix, u->size - u->prefix,
										   v->tokens + prefix_overlap, v->size - prefix_overlap,
										   needed);
}

int64
WeightedOverlap(JoinHost *host, TokenTerms terms, const uint32 *x, uint32 x_size, const uint32 *y,
				uint32 y_size, double x_slack, double y_slack)
{
	const uint32 *x_end = x + x_size;
	const uint32 *y_end = y + y_size;
	int64 x_left = (int64) x_slack;
	int64 y_left = (int64) y_slack;
	int64 overlap = 0;

	JoinTick(host, (uint64) x_size + y_size);
	while (x < x_end && y < y_end && (x_left | y_left) >= 0)
	{
		int64 term = TokenWeightTerm(terms.weights[Min(*x, *y)], terms.squares);

		if (*x == *y)
		{
			overlap += term;
			x++;
			y++;
		}
		else if (*x < *y)
		{
			x_left -= term;
			x++;
		}
		else
		{
			y_left -= term;
			y++;
		}
	}
	return overlap;
}
