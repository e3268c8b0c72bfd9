/*
 * edit_grams.h
 *		The padded q-grams of a text, as a set of tokens.
 */
#ifndef NEARDUP_JOIN_EDIT_GRAMS_H
#define NEARDUP_JOIN_EDIT_GRAMS_H

#include "join/kernel/host.h"

/* A token that is taken, and how often it was asked for. */
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
	GramSeat *seats; /* open addressing, linear probing */
	Size seat_count; /* a power of two */
	uint32 text_count;
} EditGrams;

/* Code points that no text has stand before and after it. */
#define EDIT_MARK_BEFORE 0x110000
#define EDIT_MARK_AFTER 0x110001

/*
 * The empty text has a gram from length 2 on; up to length 3 a gram is packed into a token without
 * loss.
 */
#define EDIT_MIN_GRAM_LENGTH 2
#define EDIT_MAX_GRAM_LENGTH 3

extern void EditGramsInit(EditGrams *grams, JoinHost *host, uint32 gram_length);

/*
 * The tokens of a text of so many code points, in no order: length + q - 1
 * of them, all different. Two texts have at least as many tokens in common as their
 * multisets of grams have grams. At most 2^32 - 1 texts.
 */
extern void EditGramsOf(EditGrams *grams, const uint32 *characters, uint32 length);

extern void EditGramsFree(EditGrams *grams);

#endif
