/*
 * verify.c
 *		Verification of candidates (section 4.2 of the paper, Algorithm 2).
 */
#include "c.h"

#include "join/kernel/verify.h"

/* Tokens of either side between two checks for interrupts. */
#define STRIDE (1 << 20)

int64
OverlapAtLeast(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size,
			   int64 needed)
{
	const uint32 *x_end = x + x_size;
	const uint32 *y_end = y + y_size;
	int64 overlap = 0;

	/* How many more tokens of each side may stay without a match. */
	int64 x_slack = (int64) x_size - needed;
	int64 y_slack = (int64) y_size - needed;

	if (x_slack < 0 || y_slack < 0)
		return Min(x_size, y_size);
	while (x < x_end && y < y_end)
	{
		const uint32 *x_stop = x + Min(x_end - x, STRIDE);
		const uint32 *y_stop = y + Min(y_end - y, STRIDE);

		while (x < x_stop && y < y_stop)
		{
			if (*x == *y)
			{
				overlap++;
				x++;
				y++;
			}
			else if (*x < *y)
			{
				x++;
				if (--x_slack < 0)
					return overlap;
			}
			else
			{
				y++;
				if (--y_slack < 0)
					return overlap;
			}
		}
		if (x < x_end && y < y_end)
			JoinCheckInterrupts(host);
	}
	return overlap;
}

int64
VerifyOverlap(JoinHost *host, const PrefixedRecord *x, const PrefixedRecord *y,
			  uint32 prefix_overlap, int64 least_overlap)
{
	const PrefixedRecord *u = x;
	const PrefixedRecord *v = y;
	int64 needed = least_overlap - prefix_overlap;

	/* u: the record whose prefix ends first; its suffix may match anything in v. */
	if (x->tokens[x->prefix - 1] >= y->tokens[y->prefix - 1])
	{
		u = y;
		v = x;
	}
	if ((int64) u->size - u->prefix < needed)
		return prefix_overlap;

	/* At least prefix_overlap tokens of v are matched by u's prefix: they come first in v. */
	return prefix_overlap + OverlapAtLeast(host, u->tokens + u->prefix, u->size - u->prefix,
										   v->tokens + prefix_overlap, v->size - prefix_overlap,
										   needed);
}
