/*
 * io.h
 *		Text and binary form of the tokenset type.
 */
#ifndef NEARDUP_TOKENSET_IO_H
#define NEARDUP_TOKENSET_IO_H

#include "lib/stringinfo.h"

#include "tokenset/tokenset.h"

extern Datum tokenset_in(PG_FUNCTION_ARGS);
extern Datum tokenset_out(PG_FUNCTION_ARGS);

/* A token at the position, which moves behind it; errors name the type. */
extern Token TokensetParseToken(const char *type, const char *text, const char **position);

/* Binary form. Read takes the rest of the buffer; invalid_binary_representation if malformed. */
extern void TokensetWrite(StringInfo buffer, const Tokenset *set);
extern Tokenset *TokensetRead(StringInfo buffer);

#endif
