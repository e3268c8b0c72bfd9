/*
 * number_words.h
 *		The words of a text that hold a digit.
 *
 * Such words tell variants apart: sizes, models, dates, paragraphs, flats. A word is one of words.h;
 * a digit is any number character, such as an Arabic or an Ethiopic digit.
 */
#ifndef NEARDUP_NUMBER_WORDS_H
#define NEARDUP_NUMBER_WORDS_H

#include "text/bytes.h"

/* The words of a text, normalized and in their order, with a blank between two of them. */
typedef struct DividedWords
{
	ByteBuffer numbers; /* the words with a digit */
	ByteBuffer others;
} DividedWords;

/*
 * Divides the words of a text in UTF-8. The buffers are in the current memory context. Takes linear
 * time, and can be cancelled.
 */
extern DividedWords DivideNumberWords(ByteSpan utf8);

#endif
