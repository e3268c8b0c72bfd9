/*
 * parts.c
 *		The order in which parts of the spilled rows meet.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "progress/progress.h"
#include "rows/parts.h"

/* Bytes of a part for each reserved token: the dictionary takes at most a third. */
#define LEAST_BYTES_PER_TOKEN 96

/* The part of the memory that the map of a block's tokens takes at most. */
#define PART_OF_MAP 8

/* A block shrinks if rows of fewer tokens than this part of its own have room beside it. */
#define LEAST_PART_BESIDE 4

#define ROLE_BIT(role) ((uint8) (1 << (role)))

/* The roles of the rows of blocks and of the rest in each pass. */
static const uint8 block_roles[PARTS_PASSES] = {ROLE_BIT(JOIN_SEEKS), ROLE_BIT(JOIN_SEEKS),
												ROLE_BIT(JOIN_LOOKS_UP)};
static const uint8 rest_roles[PARTS_PASSES] = {ROLE_BIT(JOIN_SEEKS), ROLE_BIT(JOIN_IS_MET),
											   ROLE_BIT(JOIN_SEEKS) | ROLE_BIT(JOIN_IS_MET)};

static bool
parts_are_of_one_side(const JoinParts *parts)
{
	return parts->left == parts->right && parts->pass == PARTS_SEEKING;
}

/* Tells progress of the rows of the left file before this one. */
static void
tell_progress_to(JoinParts *parts, uint64 row)
{
	JoinProgressAdvance(row - parts->done);
	parts->done = row;
}

/*
 * Reserves room in the dictionary for half of the distinct tokens that the last part had. A larger
 * reserve would end a part where it is used up, since no memory is left to grow it.
 */
static void
parts_begin_part(JoinParts *parts, Size limit)
{
	JoinInputInitLike(&parts->part, parts->input, parts->context);
	JoinInputLimit(&parts->part, parts->predicate, parts->algorithm, limit);
	parts->part.estimate.record_bytes =
		PairDemandRecordBytes(parts->demand) + JoinInputTailBytes(parts->input);
	TokenDictionaryReserve(&parts->part.records.dictionary,
						   (uint32) Min(parts->last_tokens / 2, limit / LEAST_BYTES_PER_TOKEN));
	parts->has_part = true;
}

static void
parts_end_part(JoinParts *parts)
{
	if (!parts->has_part)
		return;
	if (parts->part.records.distinct_tokens > 0)
		parts->last_tokens =
			parts->part.records.distinct_tokens - parts->part.records.known.present;
	JoinInputFree(&parts->part);
	parts->has_part = false;
}

/* Return the least row that a row of the rest can meet, and those that a row of a block can meet. */
static int64
least_met(const JoinParts *parts, int64 measured)
{
	return parts->input->kind->least_similar(parts->predicate, measured, true);
}

static int64
least_sought(const JoinParts *parts, int64 measured)
{
	return parts->input->kind->least_similar(parts->predicate, measured, false);
}

static int64
greatest_sought(const JoinParts *parts, int64 measured)
{
	return parts->input->kind->greatest_similar(parts->predicate, measured, false);
}

/*
 * Returns whether a row has one of the roles that a range takes. The rest has no rows of the group,
 * which have met each other.
 */
static inline bool
takes_row(const JoinParts *parts, const RowRange *range, const SpillRow *row)
{
	const uint8 *roles = parts->demand->roles;

	if (range == &parts->rest && row->number >= parts->group.begin.row &&
		row->number < parts->group.end.row)
		return false;
	return roles == NULL || (range->roles & ROLE_BIT(roles[DatumGetInt64(row->key)])) != 0;
}

/* Reads row `number`, which is the next one of the file. */
static bool
next_stored_row(JoinSpill *spill, uint64 number, SpillRow *row)
{
	CHECK_FOR_INTERRUPTS();
	row->number = number;
	return JoinSpillNext(spill, row);
}

/* Returns the place of the last row that was read; at the end of the file, that. */
static RowPlace
place_of_last_row(const JoinSpill *spill, uint64 number)
{
	return (RowPlace){.mark = JoinSpillTell(spill), .row = number};
}

/* Whether a row may be similar to one of the block, as far as the map of its tokens tells. */
static bool
meets_block(JoinParts *parts, const SpillRow *row)
{
	int64 least;

	if (parts->tokens.words == NULL)
		return true;
	least = parts->input->kind->least_common(parts->predicate, row->size, parts->block.least);
	return BlockTokensMayHave(&parts->tokens, row, least);
}

/*
 * Appends rows from the beginning of the range that have its role and may meet the block, while they
 * fit, are not above `greatest`, and are before row `end`; the first need not fit. Sets the rest of
 * the range. Returns whether there was such a row.
 */
static bool
load_rows(JoinParts *parts, JoinSpill *spill, int64 greatest, uint64 end, RowRange *range)
{
	JoinInput *part = &parts->part;
	uint64 number = range->begin.row;
	SpillRow row;

	range->loaded = range->token_count = 0;
	range->cut = 0;
	JoinSpillSeek(spill, range->begin.mark);
	for (; next_stored_row(spill, number, &row) && number < end && row.measured <= greatest;
		 number++)
	{
		if (!takes_row(parts, range, &row) || !meets_block(parts, &row))
			continue;
		if (range->loaded > 0 && !JoinInputFits(part, &row))
		{
			range->cut = row.size;
			break;
		}
		JoinInputAppendSpilled(part, &row);
		if (range->loaded++ == 0)
			range->least = row.measured;
		range->greatest = row.measured;
		range->token_count += row.size;
	}
	range->end = place_of_last_row(spill, number);
	return range->loaded > 0;
}

/* Makes the map of the block's tokens, if its rows have any. */
static void
map_block(JoinParts *parts)
{
	const RowRange *block = &parts->block;
	SpillRow row;

	if (parts->input->kind->least_common == NULL)
		return;
	BlockTokensBegin(&parts->tokens, parts->input->records.host, block->token_count,
					 parts->limit / PART_OF_MAP);
	JoinSpillSeek(parts->left, block->begin.mark);
	for (uint64 number = block->begin.row;
		 number < block->end.row && next_stored_row(parts->left, number, &row); number++)
	{
		if (takes_row(parts, block, &row))
			BlockTokensAdd(&parts->tokens, &row);
	}
}

static RowPlace
skip_smaller(JoinSpill *spill, RowPlace from, int64 least)
{
	uint64 number = from.row;
	SpillRow row;

	JoinSpillSeek(spill, from.mark);
	while (next_stored_row(spill, number, &row) && row.measured < least)
		number++;
	return place_of_last_row(spill, number);
}

/*
 * Goes to the next row that a row of a block measured `greatest`, or a lesser one, may meet. Returns
 * false if there is none.
 */
static bool
find_rest(JoinParts *parts, int64 greatest)
{
	RowRange *rest = &parts->rest;
	uint64 number = rest->end.row;
	SpillRow row;

	JoinSpillSeek(parts->right, rest->end.mark);
	for (;; number++)
	{
		if (!next_stored_row(parts->right, number, &row) ||
			row.measured > greatest_sought(parts, greatest))
			return false;
		if (takes_row(parts, rest, &row) && meets_block(parts, &row))
			break;
	}
	rest->begin = place_of_last_row(parts->right, number);
	rest->least = row.measured;
	return least_met(parts, rest->least) <= greatest;
}

/* Loads the next group: as many rows as fit. Returns false if none is left. */
static bool
load_group(JoinParts *parts)
{
	RowRange *group = &parts->group;

	parts_end_part(parts);
	tell_progress_to(parts, group->end.row);
	group->begin = parts->block.end = group->end;
	parts_begin_part(parts, parts->limit);
	return load_rows(parts, parts->left, PG_INT64_MAX, PG_UINT64_MAX, group);
}

/* Whether blocks meet the rows behind the group only, as the rows before it have met the group. */
static bool
rest_is_behind_group(const JoinParts *parts)
{
	return parts_are_of_one_side(parts) && !MeasureIsDirected(parts->predicate.measure);
}

/*
 * Goes to the first row of the group, behind its last block, that may meet a row outside the group.
 * Returns false if there is none.
 */
static bool
seek_block_in_group(JoinParts *parts)
{
	RowRange *block = &parts->block;

	parts->rest.end = rest_is_behind_group(parts) ? parts->group.end : parts->from;
	if (!find_rest(parts, parts->group.greatest))
		return false;
	block->begin = skip_smaller(parts->left, block->end, least_met(parts, parts->rest.least));
	return block->begin.row < parts->group.end.row;
}

/* Returns the limit of a block: half of what is left of the limit of a part. */
static Size
limit_of_block(const JoinParts *parts)
{
	Size taken = Min(parts->input->records.host->bytes, parts->limit);

	return taken + (parts->limit - taken) / 2;
}

/* Loads the next block. Returns false if none is left. */
static bool
load_block(JoinParts *parts)
{
	uint64 end = PG_UINT64_MAX;
	RowRange *block = &parts->block;

	parts_end_part(parts);
	tell_progress_to(parts, block->end.row);
	BlockTokensFree(&parts->tokens);
	block->begin = block->end;
	if (parts_are_of_one_side(parts))
	{
		if (!seek_block_in_group(parts))
			return false;
		end = parts->group.end.row;
	}
	parts->met = block->begin;
	parts->is_new = true;
	parts_begin_part(parts, limit_of_block(parts));
	return load_rows(parts, parts->left, PG_INT64_MAX, end, block);
}

/* Sets where the rows that the block meets begin. */
static void
begin_rest(JoinParts *parts)
{
	if (rest_is_behind_group(parts))
		parts->rest.end = parts->group.end;
	else
		parts->rest.end = parts->from =
			skip_smaller(parts->right, parts->from, least_sought(parts, parts->block.least));
	map_block(parts);
}

/* Loads the block, without rows that are too small for the rest and for all that come after it. */
static void
reload_block(JoinParts *parts)
{
	const RowRange *block = &parts->block;
	SpillRow row;

	parts->met = skip_smaller(parts->left, parts->met, least_met(parts, parts->rest.least));
	parts_begin_part(parts, parts->limit);
	JoinSpillSeek(parts->left, parts->met.mark);
	for (uint64 number = parts->met.row;
		 number < block->end.row && next_stored_row(parts->left, number, &row); number++)
	{
		if (takes_row(parts, block, &row))
			JoinInputAppendSpilled(&parts->part, &row);
	}
}

/*
 * Whether a block that could be smaller leaves room for hardly any of the rows that it meets. The
 * row that did not fit counts, too: where that is large, a smaller block would not help.
 */
static bool
rest_is_poor(const JoinParts *parts)
{
	const RowRange *block = &parts->block;
	const RowRange *rest = &parts->rest;

	return rest->cut > 0 && block->loaded > 1 &&
		   rest->token_count + rest->cut < block->token_count / LEAST_PART_BESIDE;
}

/* Leaves half of the block's tokens to the next block. */
static void
shrink_block(JoinParts *parts)
{
	RowRange *block = &parts->block;
	uint64 most = block->token_count / 2;
	uint64 number = block->begin.row;
	SpillRow row;

	block->loaded = block->token_count = 0;
	JoinSpillSeek(parts->left, block->begin.mark);
	for (; number < block->end.row && next_stored_row(parts->left, number, &row); number++)
	{
		if (!takes_row(parts, block, &row))
			continue;
		if (block->loaded > 0 && block->token_count + row.size > most)
			break;
		block->loaded++;
		block->token_count += row.size;
		block->greatest = row.measured;
	}
	Assert(number < block->end.row);
	block->end = place_of_last_row(parts->left, number);
}

/*
 * Loads the next rows that the block meets, beside the block, which may be loaded already. Returns
 * false if the block had to shrink, and meets its first rows again.
 */
static bool
load_rest(JoinParts *parts)
{
	RowRange *rest = &parts->rest;

	if (!parts->has_part)
		reload_block(parts);
	JoinInputBeginRight(&parts->part);
	JoinInputRaiseLimit(&parts->part, parts->limit - BlockTokensBytes(&parts->tokens));
	(void) load_rows(parts, parts->right, greatest_sought(parts, parts->block.greatest),
					 PG_UINT64_MAX, rest);
	if (parts->is_new && rest_is_poor(parts))
	{
		parts_end_part(parts);
		shrink_block(parts);
		rest->end = rest->begin;
		return false;
	}
	/* Nor does a later part, since rows of the same block have had room for more. */
	Assert(!rest_is_poor(parts));
	parts->is_new = false;
	return true;
}

/* Returns whether there are rows for a pass. */
static bool
pass_has_rows(const JoinParts *parts, PartsPass pass)
{
	return (parts->occurring & block_roles[pass]) != 0 &&
		   (parts->occurring & rest_roles[pass]) != 0;
}

/* Goes to the first pass from `pass` on that has rows, if there is one. */
static void
begin_pass(JoinParts *parts, PartsPass pass)
{
	while (pass < PARTS_PASSES && !pass_has_rows(parts, pass))
		pass++;
	parts->pass = pass;
	if (pass == PARTS_PASSES)
		return;
	parts->group = parts->block = (RowRange){.roles = block_roles[pass]};
	parts->rest = (RowRange){.roles = rest_roles[pass]};
	parts->from = (RowPlace){.row = 0};
	parts->done = 0;
	parts->stage = parts_are_of_one_side(parts) ? PARTS_GROUP : PARTS_BLOCK;
}

static void
begin_next_pass(JoinParts *parts)
{
	parts_end_part(parts);
	tell_progress_to(parts, JoinSpillRows(parts->left));
	begin_pass(parts, parts->pass + 1);
}

void
JoinPartsBegin(JoinParts *parts, JoinInput *input, Predicate predicate, JoinAlgorithm algorithm,
			   const PairDemand *demand, MemoryContext context, Size limit)
{
	uint64 passes = 0;

	memset(parts, 0, sizeof(*parts));
	parts->input = input;
	parts->predicate = predicate;
	parts->algorithm = algorithm;
	parts->demand = demand;
	parts->occurring = PairDemandOccurringRoles(demand);
	parts->context = context;
	parts->limit = limit;
	parts->left = input->spills[0];
	parts->right = input->spills[1] != NULL ? input->spills[1] : input->spills[0];
	for (PartsPass pass = PARTS_SEEKING; pass < PARTS_PASSES; pass++)
		passes += pass_has_rows(parts, pass);
	begin_pass(parts, PARTS_SEEKING);
	JoinProgressPhase(PROGRESS_BLOCKS, Max(JoinSpillRows(parts->left), 1) * Max(passes, 1));
}

/* Loads a part of the present stage, and sets the next one; false if the stage has none. */
static bool
next_part_of_stage(JoinParts *parts)
{
	switch (parts->stage)
	{
		case PARTS_GROUP:
			parts->stage = PARTS_BLOCK;
			if (load_group(parts))
				return true;
			begin_next_pass(parts);
			return false;
		case PARTS_BLOCK:
			if (load_block(parts))
			{
				begin_rest(parts);
				parts->stage = PARTS_REST;
			}
			else if (parts_are_of_one_side(parts))
				parts->stage = PARTS_GROUP;
			else
				begin_next_pass(parts);
			return false;
		case PARTS_REST:
			if (!find_rest(parts, parts->block.greatest))
			{
				parts->stage = PARTS_BLOCK;
				return false;
			}
			return load_rest(parts);
	}
	return false;
}

bool
JoinPartsNext(JoinParts *parts)
{
	parts_end_part(parts);
	while (parts->pass < PARTS_PASSES)
	{
		if (next_part_of_stage(parts))
			return true;
	}
	return false;
}

void
JoinPartsEnd(JoinParts *parts)
{
	parts_end_part(parts);
	BlockTokensFree(&parts->tokens);
}
