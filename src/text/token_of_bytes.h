/*
 * token_of_bytes.h
 *		The token of a text: its XXH3-64, inlined, since most words have few bytes.
 */
#ifndef NEARDUP_TOKEN_OF_BYTES_H
#define NEARDUP_TOKEN_OF_BYTES_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "text/tokens.h"

static inline Token
TokenOfBytes(const char *bytes, Size length)
{
	return (Token) XXH3_64bits(bytes, length);
}

#endif
