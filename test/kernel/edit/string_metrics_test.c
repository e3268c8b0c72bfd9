/*
 * string_metrics_test.c
 *		Damerau-Levenshtein distance against its plain recurrence; laws of Jaro similarity.
 */
#include "c.h"

#include "kernel/edit/damerau_distance.h"
#include "kernel/edit/jaro.h"
#include "kernel_test.h"
#include "random_texts.h"
#include "test_host.h"

#define LONGEST 40

/* Every pair of characters that could be transposed, however far apart. */
static uint32
plain_damerau(const Text *x, const Text *y)
{
	static uint32 d[LONGEST + 1][LONGEST + 1];

	for (uint32 i = 0; i <= x->length; i++)
	{
		for (uint32 j = 0; j <= y->length; j++)
		{
			d[i][j] = i + j;
			if (i == 0 || j == 0)
				continue;
			d[i][j] = Min(Min(d[i - 1][j], d[i][j - 1]) + 1,
						  d[i - 1][j - 1] + (x->characters[i - 1] != y->characters[j - 1]));
			for (uint32 k = 1; k < i; k++)
			{
				for (uint32 l = 1; l < j; l++)
				{
					if (x->characters[i - 1] == y->characters[l - 1] &&
						x->characters[k - 1] == y->characters[j - 1])
						d[i][j] = Min(d[i][j], d[k - 1][l - 1] + i - k + j - l - 1);
				}
			}
		}
	}
	return d[x->length][y->length];
}

static void
transpose_characters(Text *text)
{
	uint32 place;
	uint32 first;

	if (text->length < 2)
		return;
	place = random_below(text->length - 1);
	first = text->characters[place];
	text->characters[place] = text->characters[place + 1];
	text->characters[place + 1] = first;
}

static void
random_pair(Text *x, Text *y, int round, uint32 greatest)
{
	uint32 alphabet = 1 + random_below(round % 3 == 0 ? 30 : 4);
	uint32 stride = round % 2 == 0 ? 1 : 40961;

	random_text(x, random_below(greatest + 1), alphabet, stride);
	random_text(y, random_below(greatest + 1), alphabet, stride);
	if (round % 4 != 0)
	{
		*y = *x;
		for (uint32 edits = random_below(5); edits > 0; edits--)
		{
			transpose_characters(y);
			if (y->length < greatest && random_below(2) == 0)
				edit_text(y, alphabet, stride);
		}
	}
	case_has("texts of %u and %u characters", x->length, y->length);
}

static void
test_damerau(const char *rule, int rounds, uint32 greatest)
{
	static Text x;
	static Text y;
	JoinHost host = test_host();
	uint32 wrong = 0;
	uint32 transposed = 0;

	for_each_case (round, rounds, wrong)
	{
		uint32 distance;

		random_pair(&x, &y, round, greatest);
		distance = plain_damerau(&x, &y);
		wrong += DamerauDistance(&host, x.characters, x.length, y.characters, y.length) != distance;
		wrong += DamerauDistance(&host, y.characters, y.length, x.characters, x.length) != distance;
		transposed += distance < plain_distance(&x, &y);
	}
	ok(wrong == 0 && enough(transposed > (uint32) rounds / 10) && host.bytes == 0, "%s", rule);
}

static void
test_jaro(void)
{
	static Text x;
	static Text y;
	JoinHost host = test_host();
	uint32 wrong = 0;

	for_each_case (round, 20000, wrong)
	{
		double jaro;
		double winkler;

		random_pair(&x, &y, round, LONGEST);
		jaro = JaroSimilarity(&host, x.characters, x.length, y.characters, y.length);
		winkler = JaroWinklerSimilarity(&host, x.characters, x.length, y.characters, y.length);
		wrong += jaro != JaroSimilarity(&host, y.characters, y.length, x.characters, x.length);
		wrong += !(jaro >= 0 && jaro <= winkler && winkler <= 1);
		wrong += JaroSimilarity(&host, x.characters, x.length, x.characters, x.length) != 1;
	}
	ok(wrong == 0 && host.bytes == 0,
	   "Jaro: symmetric, 1 for a text with itself, not above Winkler's");
}

static void
test_interrupts(void)
{
	static Text x;
	static Text y;
	JoinHost host = test_host();
	uint64 cells = (uint64) MAX_LENGTH * MAX_LENGTH;

	random_text(&x, MAX_LENGTH, 2, 1);
	random_text(&y, MAX_LENGTH, 2, 40961);
	(void) checks_since_last();
	DamerauDistance(&host, x.characters, x.length, y.characters, y.length);
	ok(checks_since_last() >= cells / JOIN_WORK_BETWEEN_CHECKS, "Damerau: checks for interrupts");
	y.characters[0] = x.characters[0];
	for (uint32 i = 1; i < MAX_LENGTH; i++)
		y.characters[i] = 'z';
	(void) checks_since_last();
	JaroSimilarity(&host, x.characters, x.length, y.characters, y.length);
	ok(checks_since_last() >= cells / 2 / JOIN_WORK_BETWEEN_CHECKS, "Jaro: checks for interrupts");
}

int
main(void)
{
	test_damerau("Damerau: texts of up to 6 characters", 20000, 6);
	test_damerau("Damerau: texts of up to 40 characters", 400, LONGEST);
	test_jaro();
	test_interrupts();
	return done_testing();
}
