/*
 * random_texts.h
 *		Random texts, edits of them, and their edit distance by the plain dynamic program.
 */
#ifndef NEARDUP_RANDOM_TEXTS_H
#define NEARDUP_RANDOM_TEXTS_H

#define MAX_LENGTH 2000

typedef struct Text
{
	uint32 length;
	uint32 characters[MAX_LENGTH];
} Text;

/* Sets length characters of an alphabet, of which neighbours are stride apart. */
extern void random_text(Text *text, uint32 length, uint32 alphabet, uint32 stride);

/* Inserts, deletes or replaces one character. */
extern void edit_text(Text *text, uint32 alphabet, uint32 stride);

extern uint32 plain_distance(const Text *x, const Text *y);

#endif
