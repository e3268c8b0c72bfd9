/*
 * algebra.h
 *		Set algebra of token sets.
 */
#ifndef NEARDUP_TOKENSET_ALGEBRA_H
#define NEARDUP_TOKENSET_ALGEBRA_H

#include "tokenset/tokenset.h"

/* A new set in the current memory context. */
extern Tokenset *TokensetUnion(const Tokenset *a, const Tokenset *b);

/*
 * Copies the sorted tokens that are, or with `found` false are not, among the sorted others; `to`
 * may be `tokens`. Returns their number.
 */
extern Size TokensSelect(const Token *tokens, Size count, const Token *others, Size other_count,
						 bool found, Token *to);

/* Every token of b is in a. */
extern bool TokensetContains(const Tokenset *a, const Tokenset *b);

#endif
