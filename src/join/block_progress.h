/*
 * block_progress.h
 *		The progress of a join block by block.
 */
#ifndef NEARDUP_JOIN_BLOCK_PROGRESS_H
#define NEARDUP_JOIN_BLOCK_PROGRESS_H

#include "join/size_profile.h"
#include "measure/measure.h"

typedef struct BlockProgress
{
	Predicate predicate;
	const SizeProfile *left;
	const SizeProfile *right; /* in a self-join the same */

	/* By point of the left profile: the work of the tokens before it, in units of progress. */
	double work_before[SIZE_PROFILE_POINTS + 1];

	/* The present block: where it begins and ends, in tokens, and what it meets. */
	uint64 begin;
	uint64 end;
	uint64 met;
	uint64 to_meet;
} BlockProgress;

/* The phase begins. Profiles of the sides' files; in a self-join the same one twice. */
extern void BlockProgressBegin(BlockProgress *progress, const SizeProfile *left,
							   const SizeProfile *right, Predicate predicate);

/* The next block of the left side has so many tokens, in sets of these sizes. */
extern void BlockProgressBlock(BlockProgress *progress, uint64 tokens, uint32 least_size,
							   uint32 greatest_size);

/*
 * It is about to be joined with so many tokens of the right side; in a self-join first its own,
 * with those that are joined along with them.
 */
extern void BlockProgressPart(BlockProgress *progress, uint64 tokens);

#endif
