/*
 * log_words.h
 *		The words of a line of a log, with one mark for all that is a value.
 *
 * A word is one of these:
 *
 * - "*" for a value, and for several in a row: a word of id_words.h that has a digit, with the unit
 *   behind it ("1.08 KB"); one that has a full stop in it, such as a host, a file or a class; a
 *   path or address ("/var/log", "C:\temp", "http://..."); an English weekday or month before a
 *   number; an asterisk of the text;
 * - another word of id_words.h, as it stands, or a run of letters of a script without spaces.
 *
 * All other characters stand between words, brackets too. A pair of brackets that holds nothing but
 * values, or nothing, is left out with what it holds.
 */
#ifndef NEARDUP_LOG_WORDS_H
#define NEARDUP_LOG_WORDS_H

#include "text/bytes.h"

typedef struct LogReader
{
	const uint8 *begin;
	const uint8 *next; /* where reading goes on */
	const uint8 *end;
	bool after_value; /* the word before was a value */
} LogReader;

/* Places the reader before the first word. */
extern void LogReaderInit(LogReader *reader, ByteSpan utf8);

/* Sets *word to the span of the next word; false at the end of the text. Can be cancelled. */
extern bool LogReaderNext(LogReader *reader, ByteSpan *word);

#endif
