/*
 * size_profile.h
 *		How many tokens there are in the sets up to a size, about, in constant
 *		memory.
 */
#ifndef NEARDUP_JOIN_SIZE_PROFILE_H
#define NEARDUP_JOIN_SIZE_PROFILE_H

#define SIZE_PROFILE_POINTS 256

/* The sizes of the sets of every so many-th token, in the order of sizes. Zeroed, it is empty. */
typedef struct SizeProfile
{
	uint64 token_count;
	uint64 stride;
	uint32 point_count;
	uint32 sizes[SIZE_PROFILE_POINTS]; /* at the tokens 0, stride, 2 stride and so on */
} SizeProfile;

/* The next set, of a size no less than that of the one before. */
extern void SizeProfileAdd(SizeProfile *profile, uint32 size);

/* How many tokens are in smaller sets: precisely, or more by less than a stride. */
extern uint64 SizeProfileTokensBelow(const SizeProfile *profile, int64 size);

#endif
