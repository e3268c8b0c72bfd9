/*
 * edit_grams.h
 *		Padded q-grams of a text, as a set of tokens.
 */
#ifndef NEARDUP_KERNEL_EDIT_GRAMS_H
#define NEARDUP_KERNEL_EDIT_GRAMS_H

#include "kernel/host.h"

typedef struct GramSeat
{
	int64 token;
	uint32 text; /* the last that took it */
	uint32 arrivals;
} GramSeat;

typedef struct EditGrams
{
	JoinHost *host;
	uint32 gram_length;

	/* Tokens of the last text. */
	int64 *tokens;
	uint32 count;

	Size token_capacity;
	GramSeat *seats; /* linear probing */
	Size seat_count; /* a power of two */
	uint32 text_count;
} EditGrams;

/* Before and after each text; no code points. */
#define EDIT_MARK_BEFORE 0x110000
#define EDIT_MARK_AFTER 0x110001

/* Below 2 the empty text has no gram; above 3 grams exceed tokens. */
#define EDIT_MIN_GRAM_LENGTH 2
#define EDIT_MAX_GRAM_LENGTH 3

extern void EditGramsInit(EditGrams *grams, JoinHost *host, uint32 gram_length);

/*
 * Makes length + q - 1 distinct tokens, in no order. Two texts share at least as many as grams. At
 * most 2^32 - 1 texts.
 */
extern void EditGramsOf(EditGrams *grams, const uint32 *characters, uint32 length);

extern void EditGramsFree(EditGrams *grams);

#endif
