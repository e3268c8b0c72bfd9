/*
 * strip_numbers.h
 *		Removal of numbers from a text.
 */
#ifndef NEARDUP_STRIP_NUMBERS_H
#define NEARDUP_STRIP_NUMBERS_H

#include "text/bytes.h"

/*
 * Copies a text to `out`, which has room for as many bytes, with a blank for each word of number
 * characters only; returns the length of the copy. Can be cancelled.
 */
extern Size StripNumbers(ByteSpan utf8, char *out);

#endif
