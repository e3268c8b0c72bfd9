/*
 * code_words.h
 *		The words of source code, formulas and paths.
 *
 * A word is one of these, as it stands in the text:
 *
 * - an identifier: a run of letters, marks, numbers and underscores;
 * - a number: such a run that begins with a digit, with a full stop in it where a digit follows
 *   ("3.14", "0x1F", "1.2.3"), and with the sign of an exponent ("1e-5");
 * - a letter of a script without spaces, with its marks;
 * - any other character, with its marks: "<=" is two words.
 *
 * White space, control and format characters stand between words. Strings and comments are nothing
 * special.
 */
#ifndef NEARDUP_CODE_WORDS_H
#define NEARDUP_CODE_WORDS_H

#include "text/bytes.h"

/* Where reading goes on. */
typedef struct CodeReader
{
	const uint8 *next;
	const uint8 *end;
} CodeReader;

/* Places the reader before the first word. */
extern void CodeReaderInit(CodeReader *reader, ByteSpan utf8);

/* Sets *word to the span of the next word; false at the end of the text. Can be cancelled. */
extern bool CodeReaderNext(CodeReader *reader, ByteSpan *word);

#endif
