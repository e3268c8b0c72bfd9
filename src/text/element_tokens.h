/*
 * element_tokens.h
 *		Tokens of arrays and tsvectors: texts as they are, integers as themselves.
 *
 * The functions append to a list. They raise program_limit_exceeded for more tokens than a list may
 * have, and conversion errors of the database's encoding, and can be cancelled.
 */
#ifndef NEARDUP_TEXT_ELEMENT_TOKENS_H
#define NEARDUP_TEXT_ELEMENT_TOKENS_H

#include "tsearch/ts_type.h"
#include "utils/array.h"

#include "text/tokens.h"

/* Returns ARR_DATA_PTR, without the compiler's warning about mixed signs. */
static inline char *
ArrayElements(ArrayType *array)
{
	if (ARR_HASNULL(array))
		return (char *) array + array->dataoffset;
	return (char *) array + ARR_OVERHEAD_NONULLS(ARR_NDIM(array));
}

/* Append a token for each element. A NULL among the elements raises null_value_not_allowed. */
extern void TokensOfTextArray(ArrayType *array, TokenList *list);
extern void TokensOfInt4Array(ArrayType *array, TokenList *list);
extern void TokensOfInt8Array(ArrayType *array, TokenList *list);

/*
 * Appends the tokens of shingles of `width` elements. Errors are those of TokensOfTextArray; a width
 * below 1 raises invalid_parameter_value.
 */
extern void TokensOfTextArrayShingles(ArrayType *array, int32 width, TokenList *list);

/* Appends a token for each lexeme, in the order of the lexemes. */
extern void TokensOfTSVector(TSVector vector, TokenList *list);

/* Appends a lexeme's token once for each of its positions, or once if it has none. */
extern void TokensOfTSVectorPositions(TSVector vector, TokenList *list);

/*
 * Appends the tokens of shingles of `width` lexemes, taken in the order of their positions. A
 * lexeme without positions or a width below 1 raises invalid_parameter_value.
 */
extern void TokensOfTSVectorShingles(TSVector vector, int32 width, TokenList *list);

#endif
