/*
 * size_profile.c
 *		A sample of ascending sizes. When it is full, every second point is
 *		dropped, and from then on half as many are taken.
 */
#include "postgres.h"

#include "join/size_profile.h"

static void
halve(SizeProfile *profile)
{
	for (uint32 i = 0; i < SIZE_PROFILE_POINTS / 2; i++)
		profile->sizes[i] = profile->sizes[2 * i];
	profile->point_count = SIZE_PROFILE_POINTS / 2;
	profile->stride *= 2;
}

void
SizeProfileAdd(SizeProfile *profile, uint32 size)
{
	if (profile->stride == 0)
		profile->stride = 1;
	profile->token_count += size;
	while (profile->point_count * profile->stride < profile->token_count)
	{
		if (profile->point_count == SIZE_PROFILE_POINTS)
			halve(profile);
		else
			profile->sizes[profile->point_count++] = size;
	}
}

uint64
SizeProfileTokensBelow(const SizeProfile *profile, int64 size)
{
	uint32 low = 0;
	uint32 high = profile->point_count;

	while (low < high)
	{
		uint32 middle = low + (high - low) / 2;

		if (profile->sizes[middle] < size)
			low = middle + 1;
		else
			high = middle;
	}
	return Min(low * profile->stride, profile->token_count);
}
