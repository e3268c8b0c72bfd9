/*
 * algebra.h
 *		Set algebra of token sets.
 */
#ifndef NEARDUP_TOKENSET_ALGEBRA_H
#define NEARDUP_TOKENSET_ALGEBRA_H

#include "tokenset/tokenset.h"

/*
 * Returns the union as a new set in the current memory context. Raises program_limit_exceeded for
 * too many tokens.
 */
extern Tokenset *TokensetUnion(const Tokenset *a, const Tokenset *b);

/*
 * Copies, in order, those sorted tokens that are among the sorted others, or with `found` false
 * those that are not; returns how many these are. `to` may be `tokens`.
 */
extern Size TokensSelect(const Token *tokens, Size count, const Token *others, Size other_count,
						 bool found, Token *to);

/* Returns whether every token of b is in a. */
extern bool TokensetContains(const Tokenset *a, const Tokenset *b);

/* SQL functions, declared for the kind of sets, which recognizes clauses by their addresses. */
extern Datum tokenset_overlaps(PG_FUNCTION_ARGS);
extern Datum tokenset_contains(PG_FUNCTION_ARGS);
extern Datum tokenset_contained(PG_FUNCTION_ARGS);

#endif
