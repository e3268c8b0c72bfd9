/*
 * blocks.c
 *		Division of bits into blocks, and the tables of them.
 */
#include "c.h"

#include <math.h>

#include "port/pg_bitutils.h"
#include "sketch/blocks.h"

double
BlockTablesCount(int blocks, int distance)
{
	double count = 1;

	for (int i = 1; i <= distance; i++)
		count = count * (blocks - distance + i) / i;
	return rint(count);
}

static void
set_mask(BlockTables *tables)
{
	tables->mask = 0;
	for (int i = 0; i < tables->agreeing; i++)
		tables->mask |= tables->masks[tables->chosen[i]];
}

void
BlockTablesBegin(BlockTables *tables, uint64 bits, int blocks, int distance)
{
	int count = pg_popcount64(bits);
	int done = 0;

	tables->blocks = blocks;
	tables->agreeing = blocks - distance;
	for (int block = 0; block < blocks; block++)
	{
		int end = count * (block + 1) / blocks;

		tables->masks[block] = 0;
		for (; done < end; done++)
		{
			uint64 bit = UINT64CONST(1) << pg_leftmost_one_pos64(bits);

			tables->masks[block] |= bit;
			bits ^= bit;
		}
	}
	for (int i = 0; i < tables->agreeing; i++)
		tables->chosen[i] = i;
	set_mask(tables);
}

bool
BlockTablesNext(BlockTables *tables)
{
	int last = tables->agreeing - 1;
	int i = last;

	/* Find the last chosen block that can move on: those behind it are at the very end already. */
	while (i >= 0 && tables->chosen[i] == tables->blocks - 1 - (last - i))
		i--;
	if (i < 0)
		return false;
	tables->chosen[i]++;
	for (int j = i + 1; j <= last; j++)
		tables->chosen[j] = tables->chosen[j - 1] + 1;
	set_mask(tables);
	return true;
}

/*
 * The first table of a pair consists of the first blocks in which its values agree, so the present
 * one is it unless it skips such a block.
 */
bool
BlockTablesIsFirst(const BlockTables *tables, uint64 difference)
{
	int chosen = 0;

	for (int block = 0; chosen < tables->agreeing; block++)
	{
		if (tables->chosen[chosen] == block)
			chosen++;
		else if ((tables->masks[block] & difference) == 0)
			return false;
	}
	return true;
}
