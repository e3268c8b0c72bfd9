/*
 * default_tokens.h
 *		What near_duplicates compares texts by, at a given threshold, if the user does not say.
 */
#ifndef NEARDUP_LINK_DEFAULT_TOKENS_H
#define NEARDUP_LINK_DEFAULT_TOKENS_H

#include "join/query_join.h"

/*
 * Returns the tokens as an SQL expression. `relation` and `body`, a column of it, are SQL. Reads the
 * lengths of all texts. A NOTICE tells of cheaper tokens where many texts are compared by q-grams.
 */
extern const char *DefaultTokens(const JoinRequest *join, const char *relation, const char *body);

#endif
