/*
 * parts.c
 *		Which parts of the spilled rows meet, one after the other.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "join/progress/progress.h"
#include "join/rows/parts.h"

/* Of a part's memory by distinct token, so that no more than a third is taken by their dictionary. */
#define LEAST_BYTES_PER_TOKEN 96

static bool
is_self_join(const JoinParts *parts)
{
	return parts->left == parts->right;
}

static uint64
row_count(const RowRange *range)
{
	return range->end.row - range->begin.row;
}

/*
 * An empty part, with a limit of memory, and with room for half as many distinct tokens as the last
 * one had. With room for all, parts end where this is used up, since there is no memory to
 * grow it; and the last one may have had a far larger set.
 */
static void
begin_part(JoinParts *parts, Size limit)
{
	JoinInputInitLike(&parts->part, parts->input, parts->context);
	JoinInputLimit(&parts->part, parts->predicate, parts->algorithm, limit);
	TokenDictionaryReserve(&parts->part.records.dictionary,
						   (uint32) Min(parts->last_tokens / 2, limit / LEAST_BYTES_PER_TOKEN));
	parts->has_part = true;
}

static void
end_part(JoinParts *parts)
{
	if (parts->part.records.distinct_tokens > 0)
		parts->last_tokens = parts->part.records.distinct_tokens;
	JoinInputFree(&parts->part);
	parts->has_part = false;
}

/*
 * Appends rows, from the place where the range begins, as long as they fit and
 * are no larger than greatest_size: at least so many, if there are. Says in the range what was read.
 */
static void
load_rows(JoinParts *parts, JoinSpill *spill, int64 greatest_size, uint64 least_count,
		  RowRange *range)
{
	JoinInput *part = &parts->part;
	SpillRow row;

	range->end = range->begin;
	JoinSpillSeek(spill, range->begin.mark);
	while (JoinSpillNext(spill, &row))
	{
		CHECK_FOR_INTERRUPTS();
		if (row.size > greatest_size ||
			(row_count(range) >= least_count && !JoinInputFits(part, &row)))
			break;
		JoinInputAppendSpilled(part, &row);
		if (row_count(range) == 0)
			range->least_size = row.size;
		range->greatest_size = row.size;
		range->end.mark = JoinSpillTell(spill);
		range->end.row++;
	}
}

/* Appends the rows between two places once more. */
static void
reload_rows(JoinInput *part, JoinSpill *spill, RowPlace begin, RowPlace end)
{
	SpillRow row;

	JoinSpillSeek(spill, begin.mark);
	for (uint64 i = begin.row; i < end.row && JoinSpillNext(spill, &row); i++)
	{
		CHECK_FOR_INTERRUPTS();
		JoinInputAppendSpilled(part, &row);
	}
}

/* The first row of at least this size, from a place on. */
static RowPlace
skip_smaller(JoinSpill *spill, RowPlace from, int64 least_size)
{
	SpillRow row;

	JoinSpillSeek(spill, from.mark);
	while (JoinSpillNext(spill, &row) && row.size < least_size)
	{
		CHECK_FOR_INTERRUPTS();
		from.mark = JoinSpillTell(spill);
		from.row++;
	}
	return from;
}

/* Loads the next block, of half of the memory also where the rest that it meets has larger sets. */
static bool
load_block(JoinParts *parts)
{
	RowRange *block = &parts->block;

	block->begin = block->end;
	begin_part(parts, parts->limit / 2);
	load_rows(parts, parts->left, PG_INT32_MAX, 1, block);
	JoinInputRaiseLimit(&parts->part, parts->limit);
	return row_count(block) > 0;
}

/* Where what the block is still to meet begins. */
static void
begin_block(JoinParts *parts)
{
	const RowRange *block = &parts->block;

	if (is_self_join(parts))
		parts->rest.end = parts->following.end;
	else
		parts->rest.end = parts->from = skip_smaller(
			parts->right, parts->from, PredicateLeastSize(parts->predicate, block->least_size));
	parts->met = block->begin;
}

/* Beside the block that was loaded, the rows that follow it, for one join of all with all. */
static void
load_following(JoinParts *parts)
{
	RowRange *following = &parts->following;

	following->begin = parts->block.end;
	load_rows(parts, parts->left, PG_INT32_MAX, 0, following);
	begin_block(parts);
	parts->left_first = parts->right_first = parts->block.begin.row;
}

/* What followed the last block is the next one. */
static void
take_following(JoinParts *parts)
{
	parts->block = parts->following;
	begin_block(parts);
	parts->following.begin = parts->following.end;
}

/*
 * The next block: it may be loaded, in a self-join with what follows it, but not where it
 * followed the last one. False if there is none.
 */
static bool
next_block(JoinParts *parts)
{
	JoinProgressAdvance(row_count(&parts->block));
	if (row_count(&parts->following) > 0)
	{
		take_following(parts);
		return true;
	}
	if (!load_block(parts))
	{
		end_part(parts);
		return false;
	}
	if (is_self_join(parts))
		load_following(parts);
	else
		begin_block(parts);
	return true;
}

/* Of the block's sets, the least that any of the rest can meet. A set may be contained in one of any size. */
static int64
least_met(const JoinParts *parts)
{
	if (MeasureIsAsymmetric(parts->predicate.measure))
		return 1;
	return PredicateLeastSize(parts->predicate, parts->rest.least_size);
}

/* Whether there is more that the block can meet. In a self-join that follows it. */
static bool
begin_rest(JoinParts *parts)
{
	RowRange *rest = &parts->rest;
	uint32 greatest_size = parts->block.greatest_size;
	SpillRow row;

	rest->begin = rest->end;
	JoinSpillSeek(parts->right, rest->begin.mark);
	if (!JoinSpillNext(parts->right, &row))
		return false;
	rest->least_size = row.size;
	return row.size <= PredicateGreatestSize(parts->predicate, greatest_size) &&
		   least_met(parts) <= greatest_size;
}

/* Loads the block once more, but for what is too small for the rest, and for all that is to come. */
static void
reload_block(JoinParts *parts)
{
	parts->met = skip_smaller(parts->left, parts->met, least_met(parts));
	begin_part(parts, parts->limit);
	reload_rows(&parts->part, parts->left, parts->met, parts->block.end);
}

/* The block, which may be loaded, and the next part of what it can meet, as sides. */
static void
load_rest(JoinParts *parts)
{
	RowRange *rest = &parts->rest;

	if (!parts->has_part)
		reload_block(parts);
	JoinInputBeginRight(&parts->part);
	load_rows(parts, parts->right,
			  PredicateGreatestSize(parts->predicate, parts->block.greatest_size), 1, rest);
	parts->left_first = parts->met.row;
	parts->right_first = rest->begin.row;
}

static void
load_swapped(JoinParts *parts)
{
	begin_part(parts, parts->limit);
	reload_rows(&parts->part, parts->right, parts->rest.begin, parts->rest.end);
	JoinInputBeginRight(&parts->part);
	reload_rows(&parts->part, parts->left, parts->met, parts->block.end);
	parts->left_first = parts->rest.begin.row;
	parts->right_first = parts->met.row;
}

void
JoinPartsBegin(JoinParts *parts, JoinInput *input, Predicate predicate, JoinAlgorithm algorithm,
			   MemoryContext context, Size limit)
{
	memset(parts, 0, sizeof(*parts));
	parts->input = input;
	parts->predicate = predicate;
	parts->algorithm = algorithm;
	parts->context = context;
	parts->limit = limit;
	parts->left = input->spills[0];
	parts->right = input->spills[1] != NULL ? input->spills[1] : input->spills[0];
	JoinProgressPhase(PROGRESS_BLOCKS, Max(JoinSpillRows(parts->left), 1));
}

bool
JoinPartsNext(JoinParts *parts)
{
	if (parts->has_part)
		end_part(parts);
	for (;;)
	{
		switch (parts->stage)
		{
			case PARTS_BLOCK:
				if (!next_block(parts))
					return false;
				parts->stage = PARTS_REST;
				if (is_self_join(parts) && parts->has_part)
					return true;
				break;
			case PARTS_REST:
				if (begin_rest(parts))
				{
					load_rest(parts);
					if (is_self_join(parts) && MeasureIsAsymmetric(parts->predicate.measure))
						parts->stage = PARTS_SWAPPED;
					return true;
				}
				if (parts->has_part)
					end_part(parts);
				parts->stage = PARTS_BLOCK;
				break;
			case PARTS_SWAPPED:
				load_swapped(parts);
				parts->stage = PARTS_REST;
				return true;
		}
	}
}
