/*
 * field_token.h
 *		The token of a part of a field: the hash of a word for the part, and its value as text.
 *
 * The word tells tokens of one field from those of another, should a set have both.
 */
#ifndef NEARDUP_FIELD_TOKEN_H
#define NEARDUP_FIELD_TOKEN_H

#include "text/tokens.h"

/* Returns the token of a text, which is made as by printf. */
extern Token FieldToken(const char *format, ...) pg_attribute_printf(1, 2);

#endif
