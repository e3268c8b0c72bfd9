/*
 * edit_grams.h
 *		Makes the padded q-grams of a text, as a set of tokens.
 *
 * A gram is q characters, each of 21 bits. The text is padded with q - 1 marks on either side, so
 * that a text of n characters has n + q - 1 grams.
 */
#ifndef NEARDUP_KERNEL_EDIT_GRAMS_H
#define NEARDUP_KERNEL_EDIT_GRAMS_H

#include "kernel/host.h"

typedef struct GramSeat
{
	int64 token;
	uint32 text;	 /* number of the last text that took it */
	uint32 arrivals; /* how many grams of that text have been met */
} GramSeat;

typedef struct EditGrams
{
	JoinHost *host;
	uint32 gram_length;

	/* The tokens of the text that was given last, which stay until the next one. */
	int64 *tokens;
	uint32 count;

	Size token_capacity;
	GramSeat *seats; /* a hash table with linear probing */
	Size seat_count; /* a power of two */
	uint32 text_count;
} EditGrams;

/* The marks before and after each text, which are no code points. */
#define EDIT_MARK_BEFORE 0x110000
#define EDIT_MARK_AFTER 0x110001

/* With q below 2 the empty text has no gram; above 3 a gram has more bits than a token. */
#define EDIT_MIN_GRAM_LENGTH 2
#define EDIT_MAX_GRAM_LENGTH 3

extern void EditGramsInit(EditGrams *grams, JoinHost *host, uint32 gram_length);

/*
 * Makes the length + q - 1 tokens of a text, all different and in no order. Two texts have at least
 * as many tokens in common as grams. Called for at most 2^32 - 1 texts.
 */
extern void EditGramsOf(EditGrams *grams, const uint32 *characters, uint32 length);

extern void EditGramsFree(EditGrams *grams);

#endif
