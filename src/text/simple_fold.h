/*
 * simple_fold.h
 *		Characters whose normalized form is one code point.
 *
 * Most letters are such. What utf8proc says of them is looked up once, for 256 characters at a time.
 */
#ifndef NEARDUP_SIMPLE_FOLD_H
#define NEARDUP_SIMPLE_FOLD_H

#include "text/unicode.h"

#define SIMPLE_FOLD_END 0x10000
#define SIMPLE_FOLD_PAGE 256

/* By code point / SIMPLE_FOLD_PAGE; NULL where none was looked up. */
extern uint16 *simple_fold_pages[SIMPLE_FOLD_END / SIMPLE_FOLD_PAGE];

extern void SimpleFoldMakePage(int page);

/*
 * The normalized form of a character unless a mark follows it, ' ' where it is no part of a word. 0
 * of a character with another number of code points, or that composes with what precedes it.
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
