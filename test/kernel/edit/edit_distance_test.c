/*
 * edit_distance_test.c
 *		The edit distance of two texts against the plain dynamic program.
 */
#include "c.h"

#include "kernel/edit/edit_distance.h"
#include "kernel_test.h"
#include "random_texts.h"
#include "test_host.h"

/* The characters of an alphabet are so far apart. */
static const uint32 strides[] = {1, EDIT_BLOCK_SLOTS, 40961};

/* Compares by the pattern of the longer text, with limits around the distance and at random. */
static uint32
wrong_distances(JoinHost *host, const Text *x, const Text *y)
{
	const Text *longer = x->length >= y->length ? x : y;
	const Text *shorter = longer == x ? y : x;
	uint32 distance = plain_distance(x, y);
	uint32 limits[] = {distance,
					   distance + 1,
					   distance + 63,
					   distance > 0 ? distance - 1 : 0,
					   distance / 2,
					   random_below(longer->length + 2),
					   0,
					   PG_INT32_MAX};
	uint32 wrong = 0;
	EditPattern pattern;

	EditPatternInit(&pattern, host);
	EditPatternSet(&pattern, longer->characters, longer->length);
	for (int i = 0; i < (int) lengthof(limits); i++)
		wrong += EditDistanceWithin(&pattern, shorter->characters, shorter->length, limits[i]) !=
				 (distance <= limits[i] ? distance : PG_UINT32_MAX);
	EditPatternFree(&pattern);
	case_has("texts of %u and %u characters, distance %u", x->length, y->length, distance);
	return wrong;
}

static void
test_distances(const char *rule, int rounds, uint32 least, uint32 greatest)
{
	static Text x;
	static Text y;
	JoinHost host = test_host();
	uint32 wrong = 0;

	for_each_case (round, rounds, wrong)
	{
		uint32 alphabet = 1 + random_below(round % 5 == 0 ? 70 : 4);
		uint32 stride = strides[round % lengthof(strides)];

		random_text(&x, least + random_below(greatest - least + 1), alphabet, stride);
		if (round % 2 == 0)
			random_text(&y, least + random_below(greatest - least + 1), alphabet, stride);
		else
		{
			y = x;
			for (uint32 edits = random_below(2 + x.length / 8); edits > 0; edits--)
				edit_text(&y, alphabet, stride);
		}
		wrong += wrong_distances(&host, &x, &y);
	}
	ok(wrong == 0 && host.bytes == 0, "%s", rule);
}

/* One pattern is compared with many texts, and set anew for a shorter text. */
static void
test_pattern_reuse(void)
{
	static Text x;
	static Text y;
	JoinHost host = test_host();
	EditPattern pattern;
	uint32 wrong = 0;

	EditPatternInit(&pattern, &host);
	for_each_case (round, 200, wrong)
	{
		random_text(&x, 20 + random_below(200), 3, 1);
		EditPatternSet(&pattern, x.characters, x.length);
		for (int i = 0; i < 10; i++)
		{
			uint32 distance;

			random_text(&y, random_below(x.length + 1), 3, 1);
			distance = plain_distance(&x, &y);
			wrong += EditDistanceWithin(&pattern, y.characters, y.length, distance) != distance;
			wrong += EditDistanceWithin(&pattern, y.characters, y.length, 5) !=
					 (distance <= 5 ? distance : PG_UINT32_MAX);
		}
	}
	EditPatternFree(&pattern);
	ok(wrong == 0 && host.bytes == 0, "distance: a pattern serves many texts, and is set anew");
}

int
main(void)
{
	test_distances("distance: texts of up to 40 characters", 6000, 0, 40);
	test_distances("distance: around the 64 characters of a block", 2000, 58, 70);
	test_distances("distance: several blocks", 1500, 0, 330);
	test_distances("distance: long texts", 12, 1000, 1900);
	test_pattern_reuse();
	return done_testing();
}
