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

/*
 * A letter with a mark, or without one for a mark of 0, behind which a language writes a second letter
 * where it cannot write the mark: u and a diaeresis are "ue" in German.
 */
typedef struct SpelledMark
{
	int32 letter;
	int32 mark;
	char second;
} SpelledMark;

/* The same, and puts the second letter of each of `count` marks behind what is left of its letter. */
extern ByteBuffer StripMarksSpelled(ByteSpan utf8, const SpelledMark *spelled, int count);

#endif
