/*
 * element_tokens.h
 *		Tokens of arrays and tsvectors: texts as they are, integers as themselves.
 */
#ifndef NEARDUP_TEXT_ELEMENT_TOKENS_H
#define NEARDUP_TEXT_ELEMENT_TOKENS_H

#include "tsearch/ts_type.h"
#include "utils/array.h"

#include "text/tokens.h"

/* ARR_DATA_PTR without its warning about mixed signs. */
static inline char *
ArrayElements(ArrayType *array)
{
	if (ARR_HASNULL(array))
		return (char *) array + array->dataoffset;
	return (char *) array + ARR_OVERHEAD_NONULLS(ARR_NDIM(array));
}

/* A NULL raises null_value_not_allowed. */
extern void TokensOfTextArray(ArrayType *array, TokenList *list);
extern void TokensOfInt4Array(ArrayType *array, TokenList *list);
extern void TokensOfInt8Array(ArrayType *array, TokenList *list);

extern void TokensOfTSVector(TSVector vector, TokenList *list);

/* One token for each position of a lexeme, or one without positions. */
extern void TokensOfTSVectorPositions(TSVector vector, TokenList *list);

/*
 * In order of position. A lexeme without positions or a width below 1 raises
 * invalid_parameter_value.
 */
extern void TokensOfTSVectorShingles(TSVector vector, int32 width, TokenList *list);

#endif
