/*
 * parts.c
 *		The order in which parts of the spilled rows meet.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "join/progress/progress.h"
#include "join/rows/parts.h"

/* Bytes of a part for each reserved token: the dictionary takes at most a third. */
#define LEAST_BYTES_PER_TOKEN 96

/* The part of the memory that the map of a block's tokens takes at most. */
#define PART_OF_MAP 8

/* After this many rows it is judged whether a map skips many of them. */
#define ROWS_OF_SAMPLE 1024

/* A block that meets fewer blocks of rows is not worth a search for those that have a near row. */
#define LEAST_BLOCKS_MET 4

/* A map that skips a lesser part of the rows is not worth its time. */
#define LEAST_PART_SKIPPED 8

/* After such a map, this many blocks have none. */
#define BLOCKS_WITHOUT_MAP 8

#define ROLE_BIT(role) ((uint8) (1 << (role)))

/* The roles of the rows of blocks and of the rest in each pass. */
static const uint8 block_roles[PARTS_PASSES] = {ROLE_BIT(JOIN_SEEKS), ROLE_BIT(JOIN_SEEKS),
												ROLE_BIT(JOIN_SEEKS) | ROLE_BIT(JOIN_IS_MET)};
static const uint8 rest_roles[PARTS_PASSES] = {ROLE_BIT(JOIN_SEEKS), ROLE_BIT(JOIN_IS_MET),
											   ROLE_BIT(JOIN_LOOKS_UP)};

static bool
parts_are_of_one_side(const JoinParts *parts)
{
	return parts->left == parts->right && parts->pass == PARTS_SEEKING;
}

static uint64
row_count(const RowRange *range)
{
	return range->end.row - range->begin.row;
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
	parts->part.estimate.record_bytes = parts->input->estimate.record_bytes;
	TokenDictionaryReserve(&parts->part.records.dictionary,
						   (uint32) Min(parts->last_tokens / 2, limit / LEAST_BYTES_PER_TOKEN));
	parts->has_part = true;
}

static void
parts_end_part(JoinParts *parts)
{
	if (parts->part.records.distinct_tokens > 0)
		parts->last_tokens = parts->part.records.distinct_tokens - parts->part.records.known_tokens;
	JoinInputFree(&parts->part);
	parts->has_part = false;
}

static int64
least_similar(const JoinParts *parts, int64 measured)
{
	return parts->input->kind->least_similar(parts->predicate, measured);
}

static int64
greatest_similar(const JoinParts *parts, int64 measured)
{
	return parts->input->kind->greatest_similar(parts->predicate, measured);
}

/* Returns whether a row has one of the roles that a range takes, and may have a similar row. */
static inline bool
takes_row(const JoinParts *parts, const RowRange *range, const SpillRow *row)
{
	int side = range == &parts->rest && parts->right != parts->left ? 1 : 0;
	const uint8 *roles = parts->demand->roles;

	return (roles == NULL || (range->roles & ROLE_BIT(roles[DatumGetInt64(row->key)])) != 0) &&
		   SimilarRowsHave(&parts->similar, side, row->number);
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
	bool meets;

	if (parts->tokens.words == NULL)
		return true;
	least = parts->input->kind->least_common(parts->predicate, row->size, parts->block.least);
	meets = BlockTokensMayHave(&parts->tokens, row, least);
	parts->tested++;
	parts->skipped += !meets;
	return meets;
}

/*
 * Appends rows from the beginning of the range that have its role and may meet the block, while they
 * fit and are not above `greatest`; the first least_count need not fit. Sets the rest of the range.
 * Returns whether there was such a row.
 */
static bool
load_rows(JoinParts *parts, JoinSpill *spill, int64 greatest, uint64 least_count, RowRange *range)
{
	JoinInput *part = &parts->part;
	uint64 number = range->begin.row;
	uint64 count = 0;
	SpillRow row;

	range->token_count = 0;
	JoinSpillSeek(spill, range->begin.mark);
	for (; next_stored_row(spill, number, &row) && row.measured <= greatest; number++)
	{
		if (takes_row(parts, range, &row) && meets_block(parts, &row))
		{
			if (count >= least_count && !JoinInputFits(part, &row))
				break;
			JoinInputAppendSpilled(part, &row);
			if (count++ == 0)
				range->least = row.measured;
			range->greatest = row.measured;
			range->token_count += row.size;
		}
	}
	range->end = place_of_last_row(spill, number);
	range->loaded = count;
	return count > 0;
}

/* Appends the rows between two places of a range that load_rows has taken. */
static void
reload_rows(JoinParts *parts, JoinSpill *spill, RowPlace begin, const RowRange *range)
{
	RowPlace end = range->end;
	bool is_rest = range == &parts->rest;
	SpillRow row;

	JoinSpillSeek(spill, begin.mark);
	for (uint64 number = begin.row; number < end.row && next_stored_row(spill, number, &row);
		 number++)
	{
		if (takes_row(parts, range, &row) && (!is_rest || meets_block(parts, &row)))
			JoinInputAppendSpilled(&parts->part, &row);
	}
}

/* Makes the map of the block's tokens, unless it would not pay. */
static void
map_block(JoinParts *parts)
{
	const RowRange *block = &parts->block;
	SpillRow row;

	parts->map_is_due = false;
	if (parts->input->kind->least_common == NULL)
		return;
	if (parts->blocks_until_map > 0)
	{
		parts->blocks_until_map--;
		return;
	}
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

/*
 * Whether the block would meet several blocks of rows: there are as many of a similar size, and its
 * map skips few of the first ones.
 */
static bool
block_meets_many(JoinParts *parts)
{
	const RowRange *block = &parts->block;
	int64 greatest = greatest_similar(parts, block->greatest);
	uint64 first = parts->rest.end.row;
	uint64 number = first;
	SpillRow row;

	JoinSpillSeek(parts->right, parts->rest.end.mark);
	while (number - first < block->loaded * LEAST_BLOCKS_MET)
	{
		if (!next_stored_row(parts->right, number++, &row) || row.measured > greatest)
			return false;
		if (parts->tested < ROWS_OF_SAMPLE && takes_row(parts, &parts->rest, &row))
			(void) meets_block(parts, &row);
	}
	return parts->skipped < parts->tested / 2;
}

/* Finds the rows that have a near one, once, before a block that would meet many. */
static void
seek_similar_rows(JoinParts *parts)
{
	Size limit =
		(parts->has_part ? parts->limit / 2 : parts->limit) - BlockTokensBytes(&parts->tokens);

	if (parts->were_sought || parts->input->kind->least_common == NULL || !block_meets_many(parts))
		return;
	parts->were_sought = true;
	SimilarRowsFind(&parts->similar, parts->input, parts->predicate, limit);
	parts->limit -= SimilarRowsBytes(&parts->similar);
}

static void
forget_block(JoinParts *parts)
{
	if (parts->tokens.words != NULL && parts->skipped < parts->tested / LEAST_PART_SKIPPED)
		parts->blocks_until_map = BLOCKS_WITHOUT_MAP;
	BlockTokensFree(&parts->tokens);
	parts->tested = parts->skipped = 0;
	parts->map_is_due = true;
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

/* Loads the next block, and leaves half of the memory for the rows that it meets. */
static bool
load_block(JoinParts *parts)
{
	RowRange *block = &parts->block;
	bool is_any;

	block->begin = block->end;
	parts_begin_part(parts, parts->limit / 2);
	is_any = load_rows(parts, parts->left, PG_INT64_MAX, 1, block);
	JoinInputRaiseLimit(&parts->part, parts->limit);
	return is_any;
}

/* Sets where the rows that the block meets begin. */
static void
begin_block(JoinParts *parts)
{
	const RowRange *block = &parts->block;

	if (parts_are_of_one_side(parts))
		parts->rest.end = parts->following.end;
	else if (parts->pass == PARTS_LOOKING_UP)
		parts->rest.end = (RowPlace){.row = 0}; /* a block may contain any smaller row */
	else
		parts->rest.end = parts->from =
			skip_smaller(parts->right, parts->from, least_similar(parts, block->least));
	parts->met = block->begin;
}

/* Loads the rows that follow the block, so that both are joined at once, as a self-join. */
static void
load_following(JoinParts *parts)
{
	RowRange *following = &parts->following;

	following->begin = parts->block.end;
	parts->has_following = load_rows(parts, parts->left, PG_INT64_MAX, 0, following);
	begin_block(parts);
}

static void
take_following(JoinParts *parts)
{
	parts->block = parts->following;
	begin_block(parts);
	parts->has_following = false;
}

/* Goes to the next block. If it has been joined with the last block, it is loaded already. */
static bool
next_block(JoinParts *parts)
{
	JoinProgressAdvance(row_count(&parts->block));
	forget_block(parts);
	if (parts->has_following)
	{
		take_following(parts);
		return true;
	}
	if (!load_block(parts))
	{
		parts_end_part(parts);
		return false;
	}
	if (parts_are_of_one_side(parts))
		load_following(parts);
	else
		begin_block(parts);
	return true;
}

/*
 * Returns the least of the block that can meet the rest; a set may be contained in any larger one.
 */
static int64
least_met(const JoinParts *parts)
{
	if (MeasureIsAsymmetric(parts->predicate.measure))
		return 1;
	return least_similar(parts, parts->rest.least);
}

/* Goes to the next row that the block may meet; returns false if there is none. */
static bool
begin_rest(JoinParts *parts)
{
	RowRange *rest = &parts->rest;
	int64 greatest = parts->block.greatest;
	uint64 number = rest->end.row;
	SpillRow row;

	if (parts->map_is_due)
	{
		map_block(parts);
		seek_similar_rows(parts);
	}
	JoinSpillSeek(parts->right, rest->end.mark);
	for (;; number++)
	{
		if (!next_stored_row(parts->right, number, &row) ||
			row.measured > greatest_similar(parts, greatest))
			return false;
		if (takes_row(parts, rest, &row) && meets_block(parts, &row))
			break;
	}
	rest->begin = place_of_last_row(parts->right, number);
	rest->least = row.measured;
	return least_met(parts) <= greatest;
}

/* Loads the block, without rows that are too small for the rest and for all that come after it. */
static void
reload_block(JoinParts *parts)
{
	parts->met = skip_smaller(parts->left, parts->met, least_met(parts));
	parts_begin_part(parts, parts->limit);
	reload_rows(parts, parts->left, parts->met, &parts->block);
}

/* Loads the next rows that the block meets, beside the block, which may be loaded already. */
static void
load_rest(JoinParts *parts)
{
	RowRange *rest = &parts->rest;

	if (!parts->has_part)
		reload_block(parts);
	JoinInputBeginRight(&parts->part);
	JoinInputRaiseLimit(&parts->part, parts->limit - BlockTokensBytes(&parts->tokens));
	(void) load_rows(parts, parts->right, greatest_similar(parts, parts->block.greatest), 1, rest);
}

static void
load_swapped(JoinParts *parts)
{
	parts_begin_part(parts, parts->limit);
	reload_rows(parts, parts->right, parts->rest.begin, &parts->rest);
	JoinInputBeginRight(&parts->part);
	reload_rows(parts, parts->left, parts->met, &parts->block);
}

/* Returns whether there are rows for a pass. */
static bool
pass_has_rows(const JoinParts *parts, PartsPass pass)
{
	return (parts->occurring & block_roles[pass]) != 0 &&
		   (parts->occurring & rest_roles[pass]) != 0;
}

/* Goes to the first pass from `pass` on that has rows; returns false if there is none. */
static bool
parts_begin_pass(JoinParts *parts, PartsPass pass)
{
	while (pass < PARTS_PASSES && !pass_has_rows(parts, pass))
		pass++;
	if (pass >= PARTS_PASSES)
		return false;
	parts->pass = pass;
	parts->block = parts->following = (RowRange){.roles = block_roles[pass]};
	parts->rest = (RowRange){.roles = rest_roles[pass]};
	parts->from = (RowPlace){.row = 0};
	return true;
}

static bool
begin_next_pass(JoinParts *parts)
{
	uint64 behind = row_count(&parts->block); /* rows that are of no block of this pass */

	if (!parts_begin_pass(parts, parts->pass + 1))
		return false;
	JoinProgressAdvance(behind);
	return true;
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
	if (!parts_begin_pass(parts, PARTS_SEEKING))
		parts->pass = PARTS_PASSES;
	JoinProgressPhase(PROGRESS_BLOCKS, Max(JoinSpillRows(parts->left), 1) * Max(passes, 1));
}

bool
JoinPartsNext(JoinParts *parts)
{
	if (parts->has_part)
		parts_end_part(parts);
	for (;;)
	{
		switch (parts->stage)
		{
			case PARTS_BLOCK:
				if (!next_block(parts))
				{
					if (!begin_next_pass(parts))
					{
						SimilarRowsFree(&parts->similar);
						return false;
					}
					break;
				}
				parts->stage = PARTS_REST;
				if (parts_are_of_one_side(parts) && parts->has_part)
					return true;
				break;
			case PARTS_REST:
				if (begin_rest(parts))
				{
					load_rest(parts);
					if (parts->pass == PARTS_LOOKING_UP)
					{
						parts_end_part(parts);
						load_swapped(parts);
					}
					else if (parts_are_of_one_side(parts) &&
							 MeasureIsAsymmetric(parts->predicate.measure))
						parts->stage = PARTS_SWAPPED;
					return true;
				}
				if (parts->has_part)
					parts_end_part(parts);
				parts->stage = PARTS_BLOCK;
				break;
			case PARTS_SWAPPED:
				load_swapped(parts);
				parts->stage = PARTS_REST;
				return true;
		}
	}
}
