/*
 * token_of_bytes.h
 *		The token of a text: the XXH3-64 of its bytes.
 *
 * The hash function is inlined, since most words have few bytes, for which a call costs as much as
 * the arithmetic. Only the files that make tokens include it: it is large.
 */
#ifndef NEARDUP_TOKEN_OF_BYTES_H
#define NEARDUP_TOKEN_OF_BYTES_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "text/tokens.h"

/* Returns the token of a text in UTF-8. It is the same on every platform. */
static inline Token
TokenOfBytes(const char *bytes, Size length)
{
	return (Token) XXH3_64bits(bytes, length);
}

#endif
