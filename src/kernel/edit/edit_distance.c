/*
 * edit_distance.c
 *		Computes the Levenshtein distance, 64 cells of the matrix at a time.
 *
 * The cell (i, j) of a matrix has the distance of the first i characters of the pattern and the
 * first j of the text. Cells below one another differ by at most 1, so a column is two bit vectors:
 * the rows that are 1 more than the row above, and those that are 1 less. The next column follows
 * from them and from the rows that have the same character as the column, by a dozen operations on
 * whole words (Myers, JACM 1999). A pattern of more than 64 characters takes several words, called
 * blocks; each hands down to the next how its last row changed (Hyyrö 2003).
 *
 * Only a band of the matrix is computed (Ukkonen 1985). Let the pattern be d characters longer than
 * the text. A path to the last cell starts on the diagonal i - j = 0 and ends on i - j = d. Each
 * step to another diagonal is an insertion or deletion, so a path of at most k edits leaves the
 * diagonals from 0 to d by at most h = (k - d) / 2 on either side. Blocks beyond the band are left
 * out; those that start late are filled in with the greatest values that are possible, so that no
 * value is too small.
 *
 * The distance is the value at the end of the diagonal i - j = d. It is d in the first column, and
 * grows by 1 in each step in which the cell differs from its upper left neighbour. It never falls,
 * so that the computation ends where it exceeds the limit.
 */
#include "c.h"

#include "kernel/edit/edit_distance.h"

void
EditPatternInit(EditPattern *pattern, JoinHost *host)
{
	memset(pattern, 0, sizeof(*pattern));
	pattern->host = host;
}

void
EditPatternFree(EditPattern *pattern)
{
	JoinRelease(pattern->host, pattern->blocks, pattern->block_capacity, sizeof(EditBlock));
	pattern->blocks = NULL;
	pattern->block_capacity = 0;
}

/*
 * Returns the slot of a character, or the free slot where it belongs. Characters of one script are
 * neighbours, and take different slots.
 */
static inline uint32
edit_find_slot(const EditBlock *block, uint32 character)
{
	uint32 slot = character % EDIT_BLOCK_SLOTS;

	while (block->masks[slot] != 0 && block->characters[slot] != character)
		slot = (slot + 1) % EDIT_BLOCK_SLOTS;
	return slot;
}

void
EditPatternSet(EditPattern *pattern, const uint32 *characters, uint32 length)
{
	Size block_count = ((Size) length + EDIT_BLOCK_ROWS - 1) / EDIT_BLOCK_ROWS;

	if (block_count > pattern->block_capacity)
	{
		EditPatternFree(pattern);
		pattern->blocks = JoinAllocate(pattern->host, block_count, sizeof(EditBlock));
		pattern->block_capacity = block_count;
	}
	pattern->characters = characters;
	pattern->length = length;
	for (Size i = 0; i < block_count; i++)
	{
		EditBlock *block = &pattern->blocks[i];
		uint32 rows = Min(length - i * EDIT_BLOCK_ROWS, EDIT_BLOCK_ROWS);

		JoinTick(pattern->host, EDIT_BLOCK_SLOTS);
		memset(block->masks, 0, sizeof(block->masks));
		for (uint32 row = 0; row < rows; row++)
		{
			uint32 slot = edit_find_slot(block, characters[row]);

			block->characters[slot] = characters[row];
			block->masks[slot] |= UINT64CONST(1) << row;
		}
		characters += rows;
	}
}

/* How a row's value changes from one column to the next: at most one of them is 1. */
typedef struct RowChange
{
	uint64 increase;
	uint64 decrease;
} RowChange;

/*
 * Moves a block to the next column, under a row that changed by `above`, and returns how its last
 * row changed. equal_diagonal receives the rows that equal their upper left neighbours. The names
 * of Myers are Pv for `increases`, Mv for `decreases`, Eq for `matches`, Xv for `vertical`, Xh for
 * `diagonal`, Ph and Mh for the row's changes.
 */
static pg_attribute_always_inline RowChange
advance_block(EditBlock *block, uint32 character, RowChange above, uint64 *equal_diagonal)
{
	uint64 matches = block->masks[edit_find_slot(block, character)];
	uint64 increases = block->increases;
	uint64 decreases = block->decreases;
	uint64 vertical = matches | decreases;
	uint64 diagonal;
	uint64 row_increases;
	uint64 row_decreases;
	RowChange last;

	matches |= above.decrease;
	diagonal = (((matches & increases) + increases) ^ increases) | matches;
	row_increases = decreases | ~(diagonal | increases);
	row_decreases = increases & diagonal;
	*equal_diagonal = diagonal | decreases;

	last.increase = row_increases >> (EDIT_BLOCK_ROWS - 1);
	last.decrease = row_decreases >> (EDIT_BLOCK_ROWS - 1);
	row_increases = row_increases << 1 | above.increase;
	row_decreases = row_decreases << 1 | above.decrease;
	block->increases = row_decreases | ~(vertical | row_increases);
	block->decreases = row_increases & vertical;
	return last;
}

/* Sets a block to a column in which each row is 1 more than the one above. */
static inline void
start_block(EditBlock *block)
{
	block->increases = ~UINT64CONST(0);
	block->decreases = 0;
}

/* The distance for a pattern of one block, where a band would save nothing. */
static uint32
distance_in_block(EditPattern *pattern, const uint32 *characters, uint32 length, uint32 limit)
{
	const RowChange above = {1, 0};
	uint32 excess = pattern->length - length;
	uint32 distance = excess;

	start_block(&pattern->blocks[0]);
	for (uint32 column = 0; column < length; column++)
	{
		uint64 equal_diagonal;

		advance_block(&pattern->blocks[0], characters[column], above, &equal_diagonal);
		distance += !(equal_diagonal >> (column + excess) & 1);
		if (distance > limit)
			return PG_UINT32_MAX;
	}
	return distance;
}

/*
 * The distance for a pattern of several blocks, where each column takes only the blocks in the
 * band.
 */
static uint32
distance_in_band(EditPattern *pattern, const uint32 *characters, uint32 length, uint32 limit)
{
	uint32 excess = pattern->length - length;
	uint32 half_band = (limit - excess) / 2;
	uint32 distance = excess;
	uint32 started = 0;

	for (uint32 column = 0; column < length; column++)
	{
		/* The row on the diagonal that ends in the distance; rows and columns count from 0. */
		uint32 row = column + excess;
		uint32 first = (column > half_band ? column - half_band : 0) / EDIT_BLOCK_ROWS;
		uint32 last = Min((uint64) row + half_band, pattern->length - 1) / EDIT_BLOCK_ROWS;
		RowChange change = {1, 0};

		while (started <= last)
			start_block(&pattern->blocks[started++]);
		for (uint32 i = first; i <= last; i++)
		{
			uint64 equal_diagonal;

			change =
				advance_block(&pattern->blocks[i], characters[column], change, &equal_diagonal);
			if (i == row / EDIT_BLOCK_ROWS)
				distance += !(equal_diagonal >> row % EDIT_BLOCK_ROWS & 1);
		}
		if (distance > limit)
			return PG_UINT32_MAX;
		JoinTick(pattern->host, last - first + 1);
	}
	return distance;
}

uint32
EditDistanceWithin(EditPattern *pattern, const uint32 *characters, uint32 length, uint32 limit)
{
	Assert(length <= pattern->length);
	if (pattern->length == 0)
		return 0;
	if (pattern->length - length > limit)
		return PG_UINT32_MAX;
	if (pattern->length == length &&
		memcmp(pattern->characters, characters, length * sizeof(uint32)) == 0)
		return 0;
	JoinTick(pattern->host, 1);

	limit = Min(limit, pattern->length);
	if (pattern->length <= EDIT_BLOCK_ROWS)
		return distance_in_block(pattern, characters, length, limit);
	return distance_in_band(pattern, characters, length, limit);
}
