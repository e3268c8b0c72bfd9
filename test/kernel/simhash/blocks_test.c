/*
 * blocks_test.c
 *		Blocks of bits, of which near values agree in some.
 */
#include "c.h"

#include "kernel_test.h"
#include "sketch/blocks.h"

static void
test_blocks(void)
{
	bool divides = true;
	bool once = true;
	bool counted = true;

	for_each_case (seed, 300, !divides + !counted + !once)
	{
		int distance = random_below(5);
		int blocks = distance + 1 + random_below(4);
		uint64 bits = random_bits() | random_bits();
		uint64 difference = 0;
		uint64 all = 0;
		int firsts = 0;
		int agreeing = 0;
		int tables_seen = 0;
		int sizes[2] = {64, 0};
		BlockTables tables;

		for (uint32 i = random_below(distance + 1); i > 0; i--)
			difference |= UINT64CONST(1) << random_below(64);
		difference &= bits;
		case_has("%d blocks, distance %d", blocks, distance);
		BlockTablesBegin(&tables, bits, blocks, distance);
		for (int i = 0; i < blocks; i++)
		{
			int size = __builtin_popcountll(tables.masks[i]);

			divides = divides && (all & tables.masks[i]) == 0;
			all |= tables.masks[i];
			sizes[0] = Min(sizes[0], size);
			sizes[1] = Max(sizes[1], size);
		}
		divides = divides && all == bits && sizes[1] - sizes[0] <= 1;
		do
		{
			tables_seen++;
			if ((tables.mask & difference) != 0)
				continue;
			agreeing++;
			if (BlockTablesIsFirst(&tables, difference))
			{
				firsts++;
				once = once && agreeing == 1;
			}
		} while (BlockTablesNext(&tables));
		once = once && firsts == 1 && agreeing >= 1;
		counted = counted && tables_seen == (int) BlockTablesCount(blocks, distance);
	}
	ok(divides, "blocks divide the bits evenly");
	ok(counted, "there are as many tables as ways to choose blocks");
	ok(once, "near values agree in some table, and the first one counts");
}

int
main(void)
{
	test_blocks();
	return done_testing();
}
