/*
 * io.h
 *		The text form of the simhash type.
 */
#ifndef NEARDUP_SIMHASH_IO_H
#define NEARDUP_SIMHASH_IO_H

#include "simhash/simhash.h"

/* The text form: 16 hexadecimal digits, and a terminating zero. */
#define SIMHASH_TEXT_SIZE 17

/* Writes the text form, in lower case, to SIMHASH_TEXT_SIZE bytes. */
extern void SimhashWriteText(Simhash value, char *text);

/* Reads 16 hexadecimal digits of either case, whatever follows them; false if there are fewer. */
extern bool SimhashReadText(const char *text, Simhash *value);

#endif
