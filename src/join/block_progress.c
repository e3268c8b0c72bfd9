/*
 * block_progress.c
 *		How much of a join block by block is done.
 *
 * Blocks and parts of what they meet are of about the same size in memory, and
 * so in time. A block meets what the size filter lets it meet, which differs:
 * in a self-join the last ones meet little. So each token of the left side is
 * weighted by how many of the right are met, as the profiles of the sizes tell;
 * the weights are scaled to a unit of progress a token. Within a block, all that it
 * meets counts alike.
 */
#include "postgres.h"

#include "join/block_progress.h"
#include "join/progress.h"

/* Tokens of the right side that sets of these sizes meet; in a self-join from their first one on. */
static uint64
tokens_met(const BlockProgress *progress, uint64 begin, uint32 least_size, uint32 greatest_size)
{
	Predicate predicate = progress->predicate;
	int64 greatest = PredicateGreatestSize(predicate, greatest_size);
	uint64 end = SizeProfileTokensBelow(progress->right, greatest + 1);

	if (progress->left != progress->right)
		begin = SizeProfileTokensBelow(progress->right, PredicateLeastSize(predicate, least_size));
	return end > begin ? end - begin : 0;
}

/* The work of the tokens before this one of the left side. */
static double
work_before(const BlockProgress *progress, uint64 token)
{
	uint64 stride = progress->left->stride;
	uint64 point = token / stride;
	double work;

	if (point >= progress->left->point_count)
		return progress->work_before[progress->left->point_count];
	work = progress->work_before[point + 1] - progress->work_before[point];
	return progress->work_before[point] + work * (token - point * stride) / stride;
}

void
BlockProgressBegin(BlockProgress *progress, const SizeProfile *left, const SizeProfile *right,
				   Predicate predicate)
{
	double work = 0;

	progress->predicate = predicate;
	progress->left = left;
	progress->right = right;
	progress->begin = progress->end = 0;
	progress->work_before[0] = 0;
	for (uint32 point = 0; point < left->point_count; point++)
	{
		uint64 begin = point * left->stride;
		uint32 size = left->sizes[point];

		work += (double) Min(left->stride, left->token_count - begin) *
				tokens_met(progress, begin, size, size);
		progress->work_before[point + 1] = work;
	}
	for (uint32 point = 0; work > 0 && point <= left->point_count; point++)
		progress->work_before[point] *= left->token_count / work;
	JoinProgressPhase(PROGRESS_BLOCKS, Max(left->token_count, 1));
}

void
BlockProgressBlock(BlockProgress *progress, uint64 tokens, uint32 least_size, uint32 greatest_size)
{
	progress->begin = progress->end;
	progress->end += tokens;
	progress->met = 0;
	progress->to_meet = tokens_met(progress, progress->begin, least_size, greatest_size);
	JoinProgressGoal((uint64) work_before(progress, progress->begin));
}

void
BlockProgressPart(BlockProgress *progress, uint64 tokens)
{
	double before = work_before(progress, progress->begin);
	double after = work_before(progress, progress->end);
	double share = 1;

	progress->met += tokens;
	if (progress->met < progress->to_meet)
		share = (double) progress->met / progress->to_meet;
	JoinProgressGoal((uint64) (before + share * (after - before)));
}
