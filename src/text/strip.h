/*
 * strip.h
 *		Taking markup and numbers out of a text before it is divided.
 */
#ifndef NEARDUP_STRIP_H
#define NEARDUP_STRIP_H

#include "text/bytes.h"

/*
 * Copies a text without HTML or XML tags; out must have room for its length.
 * Returns the length of the copy. Linear time, can be cancelled.
 */
extern Size StripTags(const char *data, Size length, char *out);

/*
 * Copies a text with a blank for each word (run of letters, marks and numbers)
 * that is numbers only; out must have room for its length. Returns the length
 * of the copy. Can be cancelled.
 */
extern Size StripNumbers(ByteSpan utf8, char *out);

#endif
