/*
 * bitmap_filter_test.c
 *		The bitmap filter: signatures, and the scans for those that are near.
 */
#include "c.h"

#include "kernel/filters/signature_scan.h"
#include "kernel_test.h"

/* Every scan for this processor finds the same, and what is near by definition. */
static void
test_signatures(void)
{
	enum
	{
		COUNT = 203,
		UNIVERSE = 300
	};
	SignatureScan scans[SIGNATURE_SCANS] = {0};
	int scan_count = SignatureScansAvailable(scans);
	uint32 wrong = 0;
	uint32 above = 0;
	uint32 wrongly_made = 0;
	uint64 near_total = 0;

	for_each_case (seed, 4, wrong + above + wrongly_made)
	{
		uint32 words = SIGNATURE_MAX_WORDS >> seed % 4;
		static uint64 planes[SIGNATURE_MAX_WORDS][COUNT];
		static bool member[COUNT][UNIVERSE];
		SignaturePlanes signatures = {.words = words};

		case_has("signatures of %u words", words);
		for (uint32 w = 0; w < words; w++)
			signatures.planes[w] = planes[w];
		for (uint32 i = 0; i < COUNT; i++)
		{
			uint32 tokens[UNIVERSE];
			uint32 size = 0;
			uint64 signature[SIGNATURE_MAX_WORDS] = {0};

			for (uint32 token = 0; token < UNIVERSE; token++)
			{
				bool copied = i > 0 && random_below(10) > 0;

				member[i][token] = copied ? member[i - 1][token] : random_below(8) == 0;
				if (member[i][token])
					tokens[size++] = token;
			}
			for (uint32 k = 0; k < size; k++)
				SignatureToggle(signature, SignatureBit(tokens[k], words));
			for (uint32 w = 0; w < words; w++)
				planes[w][i] = signature[w];
			for (int s = 0; s < scan_count; s++)
			{
				uint64 made[SIGNATURE_MAX_WORDS] = {0};
				uint32 part = random_below(size + 1);

				/* in two steps, as for huge records */
				scans[s].add(made, words, tokens, part);
				scans[s].add(made, words, tokens + part, size - part);
				wrongly_made += memcmp(made, signature, words * sizeof(uint64)) != 0;
			}
		}
		for (uint32 x = 0; x < COUNT; x++)
		{
			uint32 first = random_below(COUNT);
			uint32 end = first + random_below(COUNT - first + 1);
			uint32 greatest = random_below(40);

			for (uint32 i = first; i < end; i++)
			{
				uint32 distance = 0;

				for (uint32 token = 0; token < UNIVERSE; token++)
					distance += member[x][token] != member[i][token];
				above += SignatureDistance(&signatures, x, i) > distance;
			}
			for (int s = 0; s < scan_count; s++)
			{
				uint32 near[COUNT];
				uint32 distances[COUNT];
				uint32 count = scans[s].one(&signatures, x, first, end, greatest, near, distances);
				uint32 place = 0;

				for (uint32 i = first; i < end; i++)
				{
					uint32 distance = SignatureDistance(&signatures, x, i);

					if (distance <= greatest)
					{
						wrong += place >= count || near[place] != i || distances[place] != distance;
						place++;
					}
				}
				wrong += place != count;
				near_total += count;
			}
			for (int s = 0; s < scan_count; s++)
			{
				int32 distances[COUNT];
				uint8 near[COUNT];
				uint32 lanes = Min(end - first, 1 + x % SIGNATURE_LANES);

				for (uint32 i = 0; i < COUNT - x; i++)
					distances[i] = (int32) (greatest + i % 7) - 5;
				memset(near, 0xff, sizeof(near));
				scans[s].many(&signatures, x, COUNT, first, first + lanes, distances, near);
				for (uint32 i = 0; i < COUNT - x; i++)
				{
					for (uint32 y = 0; y < SIGNATURE_LANES; y++)
					{
						bool is_near = y < lanes && distances[i] >= 0 &&
									   SignatureDistance(&signatures, x + i, first + y) <=
										   (uint32) distances[i];

						wrong += (near[i] >> y & 1) != is_near;
					}
				}
			}
		}
	}
	ok(wrongly_made == 0, "signatures: each token toggles its bit");
	ok(above == 0, "signatures: they differ in no more bits than the sets in tokens");
	ok(wrong == 0 && enough(near_total > 1000), "signatures: all scans find those that are near");
}

int
main(void)
{
	test_signatures();
	return done_testing();
}
