/*
 * verify.c
 *		Verification of candidates (section 4.2 of the paper, Algorithm 2).
 */
#include "c.h"

#include "join/kernel/verify.h"

/* Tokens that are compared at once where the records are equal for a while. */
#define RUN 4

static inline bool
equal_run(const uint32 *x, const uint32 *y)
{
	uint64 x_words[RUN / 2];
	uint64 y_words[RUN / 2];

	memcpy(x_words, x, sizeof(x_words));
	memcpy(y_words, y, sizeof(y_words));
	return ((x_words[0] ^ y_words[0]) | (x_words[1] ^ y_words[1])) == 0;
}

int64
OverlapAtLeast(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size,
			   int64 needed)
{
	const uint32 *x_begin = x;
	const uint32 *x_end = x + x_size;
	const uint32 *y_end = y + y_size;

	/* How many more tokens of each side may stay without a match. */
	int64 x_slack = (int64) x_size - needed;
	int64 y_slack = (int64) y_size - needed;

	if (x_slack < 0 || y_slack < 0)
		return Min(x_size, y_size);
	while (x < x_end && y < y_end)
	{
		const uint32 *x_stop = x + Min(x_end - x, JOIN_STRIDE);
		const uint32 *y_stop = y + Min(y_end - y, JOIN_STRIDE);

		JoinTick(host, (x_stop - x) + (y_stop - y));
		while (x < x_stop && y < y_stop)
		{
			while (x_stop - x >= RUN && y_stop - y >= RUN && equal_run(x, y))
			{
				x += RUN;
				y += RUN;
			}
			while (x < x_stop && y < y_stop && *x == *y)
			{
				x++;
				y++;
			}
			while (x < x_stop && y < y_stop && *x != *y)
			{
				if (*x < *y)
				{
					x++;
					x_slack--;
				}
				else
				{
					y++;
					y_slack--;
				}
				if ((x_slack | y_slack) < 0)
					return needed - 1;
			}
		}
	}
	/* What x has passed without losing slack was matched. */
	return (x - x_begin) - ((int64) x_size - needed - x_slack);
}

bool
HaveCommonToken(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size)
{
	const uint32 *x_end = x + x_size;
	const uint32 *y_end = y + y_size;

	while (x < x_end && y < y_end)
	{
		JoinTick(host, 1);
		if (*x == *y)
			return true;
		if (*x < *y)
			x++;
		else
			y++;
	}
	return false;
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
