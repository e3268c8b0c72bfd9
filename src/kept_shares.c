/*
 * kept_shares.c
 *		Estimates that a backend keeps.
 */
#include "postgres.h"

#include "kept_shares.h"

#define KEPT_SHARES 256

static ShareKey keys[KEPT_SHARES];
static double shares[KEPT_SHARES];
static int next = 0;

static bool
is_same_share(const ShareKey *a, const ShareKey *b)
{
	return a->what == b->what && StatisticsRowIsSame(&a->x, &b->x) &&
		   (a->what == SHARE_OF_SETS || StatisticsRowIsSame(&a->y, &b->y)) && a->rows == b->rows &&
		   a->predicate.measure == b->predicate.measure &&
		   a->predicate.threshold == b->predicate.threshold;
}

bool
KeptShareFind(const ShareKey *key, double *share)
{
	for (int i = 0; i < KEPT_SHARES; i++)
	{
		if (!is_same_share(&keys[i], key))
			continue;
		*share = shares[i];
		return true;
	}
	return false;
}

void
KeptSharePut(const ShareKey *key, double share)
{
	if (!StatisticsRowExists(&key->x))
		return;
	keys[next] = *key;
	shares[next] = share;
	next = (next + 1) % KEPT_SHARES;
}
