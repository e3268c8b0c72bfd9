/*
 * strip_marks.h
 *		Removal of accents, vowel points and other marks from a text.
 */
#ifndef NEARDUP_STRIP_MARKS_H
#define NEARDUP_STRIP_MARKS_H

#include "text/bytes.h"

/*
 * Returns the text without its marks, in NFC, as a buffer in the current memory context, which the
 * caller frees. Takes linear time, and can be cancelled.
 */
extern ByteBuffer StripMarks(ByteSpan utf8);

#endif
