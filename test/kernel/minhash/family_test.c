/*
 * family_test.c
 *		The hash functions of sketches against their formula.
 */
#include "c.h"

#include "kernel_test.h"
#include "minhash_formula.h"

static void
test_scans(void)
{
	const uint32 ks[] = {1, 5, 32, 128, 200};
	MinhashScan scans[MINHASH_SCANS];
	int scan_count = MinhashScansAvailable(scans);
	bool same = true;

	for_each_case (seed, lengthof(ks), !same)
	{
		uint32 k = ks[seed % lengthof(ks)];
		MinhashFamily *family = make_family(k, seed);

		case_has("%u components", k);
		for (uint32 count = 1; count < 600; count = count * 2 + 1)
		{
			uint64 hashes[600];

			for (uint32 i = 0; i < count; i++)
				hashes[i] = random_below(4) == 0 ? random_below(8) : random_bits();
			for (int s = 0; s < scan_count; s++)
			{
				uint64 minima[256];

				memset(minima, 0xff, sizeof(minima));
				/* In two parts, so that the second one starts from minima. */
				scans[s](family, hashes, count / 2, minima);
				scans[s](family, hashes + count / 2, count - count / 2, minima);
				for (uint32 i = 0; i < k; i++)
					same = same && MinhashComponent(minima[i]) ==
									   minhash_component(family, i, hashes, count);
			}
		}
		free(family);
	}
	ok(same, "all scans of this processor have the minima of the formula");
}

/* SplitMix64 of seed 1, whose first two numbers are published with many implementations. */
static void
test_family(void)
{
	MinhashFamily *small = make_family(3, 1);
	MinhashFamily *large = make_family(100, 1);
	bool same = true;

	ok(small->parameters[0] == (UINT64CONST(0x910a2dec89025cc1) | 1) &&
		   small->parameters[small->lanes] == UINT64CONST(0xbeeb8da1658eec67),
	   "the first function of seed 1 has the numbers of SplitMix64");
	for (uint32 i = 0; i < 3; i++)
		same = same && small->parameters[i] == large->parameters[i] &&
			   small->parameters[small->lanes + i] == large->parameters[large->lanes + i];
	ok(same, "the functions of a smaller k are the first ones of a larger");
	free(small);
	free(large);
}

int
main(void)
{
	test_scans();
	test_family();
	return done_testing();
}
