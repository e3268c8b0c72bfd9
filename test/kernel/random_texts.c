/*
 * random_texts.c
 *		Random texts, edits of them, and their edit distance by the plain dynamic program.
 */
#include "c.h"

#include "kernel_test.h"
#include "random_texts.h"

uint32
plain_distance(const Text *x, const Text *y)
{
	static uint32 column[MAX_LENGTH + 1];

	for (uint32 i = 0; i <= x->length; i++)
		column[i] = i;
	for (uint32 j = 1; j <= y->length; j++)
	{
		uint32 diagonal = column[0];

		column[0] = j;
		for (uint32 i = 1; i <= x->length; i++)
		{
			uint32 best = diagonal + (x->characters[i - 1] != y->characters[j - 1]);

			diagonal = column[i];
			best = Min(best, Min(column[i], column[i - 1]) + 1);
			column[i] = best;
		}
	}
	return column[x->length];
}

static uint32
random_character(uint32 alphabet, uint32 stride)
{
	return 'a' + stride * random_below(alphabet);
}

void
random_text(Text *text, uint32 length, uint32 alphabet, uint32 stride)
{
	text->length = length;
	for (uint32 i = 0; i < length; i++)
		text->characters[i] = random_character(alphabet, stride);
}

void
edit_text(Text *text, uint32 alphabet, uint32 stride)
{
	uint32 kind = text->length == 0 ? 0 : random_below(3);
	uint32 place = random_below(text->length + (kind == 0));
	uint32 *at = text->characters + place;
	uint32 rest = text->length - place;

	if (kind == 0 && text->length < MAX_LENGTH)
	{
		memmove(at + 1, at, rest * sizeof(uint32));
		text->length++;
	}
	if (kind == 1)
	{
		memmove(at, at + 1, (rest - 1) * sizeof(uint32));
		text->length--;
	}
	else if (place < text->length)
		*at = random_character(alphabet, stride);
}
