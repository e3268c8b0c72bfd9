/*
 * winnow.h
 *		Winnowing: chooses a few n-grams of a text, such that two texts with a common run of words
 *		have a chosen one in common.
 *
 * A run is `words` consecutive words, and has a window of several grams, each of `gram` words. Of
 * each run the gram with the least hash is chosen, of equal ones the last. The choice depends on
 * the words of the run alone, so the same run chooses the same gram in every text. Runs that follow
 * each other mostly choose the same gram, so that few are chosen: two of window + 1 in the mean.
 * (Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document Fingerprinting", SIGMOD
 * 2003.)
 *
 * The hash of a gram is a polynomial of its tokens modulo 2^64, which rolls from gram to gram, with
 * its bits mixed. It is the same on every platform, and part of what indexes of passage_tokens have
 * on disk.
 *
 * This header needs c.h only.
 */
#ifndef NEARDUP_PASSAGES_WINNOW_H
#define NEARDUP_PASSAGES_WINNOW_H

/* Runs have from 1 to this many words. */
#define WINNOW_MOST_WORDS 1000000

/* A shorter gram would be in too many texts; runs of fewer words are grams themselves. */
#define WINNOW_LEAST_GRAM 6

typedef struct Winnow
{
	uint32 words;  /* of a run */
	uint32 gram;   /* words of a gram */
	uint32 window; /* grams of a run */
	uint64 power;  /* GramPower(gram) */
} Winnow;

#define GRAM_BASE UINT64CONST(0x9ddfea08eb382d69)

/* Returns the polynomial of a gram with one more token at its end. */
static inline uint64
GramAdd(uint64 polynomial, uint64 token)
{
	return polynomial * GRAM_BASE + token;
}

/* Returns the polynomial without the first of `count` + 1 tokens, where power is GramPower(count). */
static inline uint64
GramDrop(uint64 polynomial, uint64 token, uint64 power)
{
	return polynomial - token * power;
}

/* Returns the hash of a gram. */
static inline uint64
GramHash(uint64 polynomial)
{
	for (int i = 0; i < 2; i++)
	{
		polynomial ^= polynomial >> 32;
		polynomial *= UINT64CONST(0xd6e8feb86659fd93);
	}
	return polynomial ^ polynomial >> 32;
}

/* Returns what the first of `count` + 1 tokens is multiplied by in the polynomial. */
extern uint64 GramPower(uint32 count);

/* Prepares for runs of this many words, from 1 to WINNOW_MOST_WORDS. */
extern void WinnowInit(Winnow *winnow, uint32 words);

/* Returns how many hashes WinnowText needs room for. */
extern uint32 WinnowRing(const Winnow *winnow);

/* Takes a chosen gram, and the runs that have chosen it: `count` of them, from word `first` on. */
typedef void (*WinnowTake)(void *context, uint64 hash, uint64 first, uint32 count);

/*
 * Chooses the grams of a text of `count` tokens, each `stride` words of 64 bits after the one before
 * it, in the order of the text. A text of fewer words than a run has none.
 */
extern void WinnowText(const Winnow *winnow, const uint64 *tokens, Size stride, uint64 count,
					   uint64 *ring, WinnowTake take, void *context);

#endif
