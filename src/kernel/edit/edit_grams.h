/*
 * edit_grams.h
 *		The padded q-grams of a text, as a set of tokens.
 */
#ifndef NEARDUP_KERNEL_EDIT_GRAMS_H
#define NEARDUP_KERNEL_EDIT_GRAMS_H

#include "kernel/host.h"

typedef struct GramSeat
{
	int64 token;
	uint32 text; /* which call of EditGramsOf took it */
	uint32 arrivals;
} GramSeat;

typedef struct EditGrams
{
	JoinHost *host;
	uint32 gram_length;

	/* The tokens of the last text. */
	int64 *tokens;
	uint32 count;

	Size token_capacity;
	GramSeat *seats; /* open addressing */
	Size seat_count; /* a power of two */
	uint32 text_count;
} EditGrams;

/* Code points before and after each text, which none has. */
#define EDIT_MARK_BEFORE 0x110000
#define EDIT_MARK_AFTER 0x110001

/* From 2 on the empty text has a gram; up to 3 a gram fits a token. */
#define EDIT_MIN_GRAM_LENGTH 2
#define EDIT_MAX_GRAM_LENGTH 3

extern void EditGramsInit(EditGrams *grams, JoinHost *host, uint32 gram_length);

/*
 * Makes length + q - 1 different tokens, in no order. Two texts share at least
 * as many as grams. At most 2^32 - 1 texts.
 */
extern void EditGramsOf(EditGrams *grams, const uint32 *characters, uint32 length);

extern void EditGramsFree(EditGrams *grams);

#endif
