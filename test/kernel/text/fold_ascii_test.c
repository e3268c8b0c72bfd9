/*
 * fold_ascii_test.c
 *		Folded ASCII against the rule, whatever the processor.
 */
#include "c.h"

#include <ctype.h>
#include <string.h>

#include "kernel_test.h"
#include "text/fold_ascii.h"

#define LONGEST 400

/* The rule: words in lower case, one blank behind each of them. */
static size_t
fold_by_rule(char *out, const uint8 *source, size_t length, bool *after_blank)
{
	size_t written = 0;

	for (size_t i = 0; i < length; i++)
	{
		bool is_word = isalnum(source[i]);

		if (is_word)
			out[written++] = (char) tolower(source[i]);
		else if (!*after_blank)
			out[written++] = ' ';
		*after_blank = !is_word;
	}
	return written;
}

/* All characters, words with some others between, or few words. */
static uint8
random_character(int kind)
{
	uint32 choice = random_below(8);

	if (kind == 0 || (kind == 1 && choice == 0))
		return (uint8) random_below(128);
	if (kind == 2 && choice > 0)
		return ' ';
	return (uint8) ("aZ09mQ"[random_below(6)]);
}

static void
test_variants(void)
{
	static FoldAscii variants[FOLD_ASCII_VARIANTS];
	int available = FoldAsciiAvailable(variants);
	bool are_right = true;
	bool stay_in_room = true;

	for_each_case (seed, 3000, !are_right + !stay_in_room)
	{
		uint8 source[LONGEST];
		char expected[LONGEST];
		size_t length = random_below(LONGEST + 1);
		bool was_blank = random_below(2) == 0;
		bool expected_blank = was_blank;
		size_t expected_length;

		for (size_t i = 0; i < length; i++)
			source[i] = random_character(seed % 3);
		case_has("%zu characters of kind %u", length, seed % 3);
		expected_length = fold_by_rule(expected, source, length, &expected_blank);
		for (int v = 0; v < available; v++)
		{
			char out[LONGEST + FOLD_ASCII_ROOM + 1];
			bool blank = was_blank;
			char *end;

			out[length + FOLD_ASCII_ROOM] = '#';
			end = variants[v](out, source, source + length, &blank);
			are_right = are_right && (size_t) (end - out) == expected_length &&
						memcmp(out, expected, expected_length) == 0 && blank == expected_blank;
			stay_in_room = stay_in_room && out[length + FOLD_ASCII_ROOM] == '#';
		}
	}
	printf("# %d variants\n", available);
	ok(are_right, "all variants fold by the rule");
	ok(stay_in_room, "and write no further than they may");
	ok(FoldAsciiBest() == variants[available - 1], "the last one is taken");
}

int
main(void)
{
	test_variants();
	return done_testing();
}
