/*
 * elements.h
 *		Tokens of what is divided already: arrays and tsvectors.
 *
 * Texts are hashed as they are, in UTF-8 but not normalized; integers are
 * their own tokens. Multi-dimensional arrays are taken as flat. A NULL element
 * raises null_value_not_allowed. Can be cancelled.
 */
#ifndef NEARDUP_ELEMENTS_H
#define NEARDUP_ELEMENTS_H

#include "tsearch/ts_type.h"
#include "utils/array.h"

#include "text/tokens.h"

/* Append one token for each element, repetitions included. */
extern void TokensOfTextArray(ArrayType *array, TokenList *list);
extern void TokensOfInt4Array(ArrayType *array, TokenList *list);
extern void TokensOfInt8Array(ArrayType *array, TokenList *list);

/* Appends one token for each lexeme. */
extern void TokensOfTSVector(TSVector vector, TokenList *list);

/* Appends the token of a lexeme once for each of its positions, and once if it has none. */
extern void TokensOfTSVectorPositions(TSVector vector, TokenList *list);

/*
 * Appends the shingles of the lexemes in order of position (those of one
 * position in the tsvector's own order). A lexeme without positions raises
 * invalid_parameter_value, as does a width less than 1. A tsvector counts
 * positions up to 16383 only; the lexemes of all later words share that one.
 */
extern void TokensOfTSVectorShingles(TSVector vector, int32 width, TokenList *list);

#endif
