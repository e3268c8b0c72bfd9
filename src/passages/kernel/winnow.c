/*
 * winnow.c
 *		Choosing the grams of a text.
 *
 * The hashes of the last grams are in a ring, so that memory does not grow with the text. The gram
 * that the last run has chosen is known; the next run has one more, and only if it lacks the chosen
 * one are all of its grams compared.
 */
#include "c.h"

#include "passages/kernel/winnow.h"

uint64
GramPower(uint32 count)
{
	uint64 power = 1;

	for (uint64 base = GRAM_BASE; count > 0; count >>= 1, base *= base)
	{
		if (count & 1)
			power *= base;
	}
	return power;
}

void
WinnowInit(Winnow *winnow, uint32 words)
{
	winnow->words = words;
	winnow->gram = Max((words + 1) / 2, Min(words, WINNOW_LEAST_GRAM));
	winnow->window = words - winnow->gram + 1;
	winnow->power = GramPower(winnow->gram);
}

uint32
WinnowRing(const Winnow *winnow)
{
	uint32 ring = 1;

	while (ring < winnow->window)
		ring *= 2;
	return ring;
}

/* Returns the last gram with the least hash among those from `first` to `last`. */
static uint64
least_gram(const uint64 *ring, uint32 mask, uint64 first, uint64 last)
{
	uint64 least = first;

	for (uint64 gram = first + 1; gram <= last; gram++)
	{
		if (ring[gram & mask] <= ring[least & mask])
			least = gram;
	}
	return least;
}

void
WinnowText(const Winnow *winnow, const uint64 *tokens, Size stride, uint64 count, uint64 *ring,
		   WinnowTake take, void *context)
{
	uint32 mask = WinnowRing(winnow) - 1;
	uint64 grams = count >= winnow->words ? count - winnow->gram + 1 : 0;
	uint64 polynomial = 0;
	uint64 first = 0; /* the first run that has chosen the present gram */
	uint64 chosen = 0;
	uint64 chosen_hash = 0;

	for (uint64 i = 0; grams > 0 && i + 1 < winnow->gram; i++)
		polynomial = GramAdd(polynomial, tokens[i * stride]);
	for (uint64 gram = 0; gram < grams; gram++)
	{
		uint64 run = gram + 1 - winnow->window;
		uint64 hash;
		uint64 next = chosen;

		polynomial = GramAdd(polynomial, tokens[(gram + winnow->gram - 1) * stride]);
		if (gram > 0)
			polynomial = GramDrop(polynomial, tokens[(gram - 1) * stride], winnow->power);
		hash = GramHash(polynomial);
		ring[gram & mask] = hash;
		if (gram + 1 < winnow->window)
			continue;
		if (run == 0 || chosen < run)
			next = least_gram(ring, mask, run, gram);
		else if (hash <= chosen_hash)
			next = gram;
		if (run == 0 || next != chosen)
		{
			if (run > 0)
				take(context, chosen_hash, first, (uint32) (run - first));
			first = run;
			chosen = next;
			chosen_hash = ring[chosen & mask];
		}
	}
	if (grams > 0)
		take(context, chosen_hash, first, (uint32) (grams - winnow->window + 1 - first));
}
