/*
 * simple_fold.h
 *		Characters whose normalized form is one code point.
 *
 * Most letters of most scripts are such: "Ж" becomes "ж" whatever is next to it, unless a mark
 * follows. What utf8proc says of such a character is stored in a table, made a page of 256
 * characters at a time when the first of them is met.
 */
#ifndef NEARDUP_SIMPLE_FOLD_H
#define NEARDUP_SIMPLE_FOLD_H

#include "text/unicode.h"

/* Characters from here on are not stored: all others fit 16 bits. */
#define SIMPLE_FOLD_END 0x10000
#define SIMPLE_FOLD_PAGE 256

/* The pages, by code point / SIMPLE_FOLD_PAGE; NULL until SimpleFoldMakePage has made one. */
extern uint16 *simple_fold_pages[SIMPLE_FOLD_END / SIMPLE_FOLD_PAGE];

/* Makes a page, in TopMemoryContext. */
extern void SimpleFoldMakePage(int page);

/*
 * Returns the normalized form of a character, which holds unless a mark follows it; ' ' for one
 * that is no part of a word. Returns 0 for a character that is not simple: its form has none or
 * several code points, or it may compose with what precedes it.
 */
static inline uint16
SimpleFold(int32 codepoint)
{
	int page = codepoint / SIMPLE_FOLD_PAGE;

	if (codepoint >= SIMPLE_FOLD_END)
		return 0;
	if (unlikely(simple_fold_pages[page] == NULL))
		SimpleFoldMakePage(page);
	return simple_fold_pages[page][codepoint % SIMPLE_FOLD_PAGE];
}

#endif
