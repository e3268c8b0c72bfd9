/*
 * strip.h
 *		Removal of markup and numbers from a text.
 *
 * Both return the length of the copy in out, at most that of the text.
 */
#ifndef NEARDUP_STRIP_H
#define NEARDUP_STRIP_H

#include "text/bytes.h"

/* A blank replaces each HTML or XML tag. Linear time. */
extern Size StripTags(const char *data, Size length, char *out);

/* A blank replaces each word of numbers only. */
extern Size StripNumbers(ByteSpan utf8, char *out);

#endif
