/*
 * from_elements.c
 *		The SQL functions from arrays and tsvectors to a tokenset.
 *
 * tokenset(...) is the plain set, and the function behind the explicit casts;
 * multiset_tokens(...) numbers the occurrences.
 */
#include "postgres.h"

#include "fmgr.h"

#include "text/elements.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_from_text_array);
PG_FUNCTION_INFO_V1(tokenset_from_int4_array);
PG_FUNCTION_INFO_V1(tokenset_from_int8_array);
PG_FUNCTION_INFO_V1(tokenset_from_tsvector);
PG_FUNCTION_INFO_V1(multiset_tokens_text_array);
PG_FUNCTION_INFO_V1(multiset_tokens_int4_array);
PG_FUNCTION_INFO_V1(multiset_tokens_int8_array);
PG_FUNCTION_INFO_V1(multiset_tokens_tsvector);
PG_FUNCTION_INFO_V1(tsvector_shingles);

typedef void (*ArrayReader)(ArrayType *array, TokenList *list);
typedef void (*TSVectorReader)(TSVector vector, TokenList *list);

static Tokenset *
TokensetOfList(TokenList *list, bool numbered)
{
	Tokenset *set;

	if (numbered)
		TokensNumberOccurrences(list->tokens, list->count);
	set = TokensetFromTokens(list->tokens, list->count);
	pfree(list->tokens);
	return set;
}

static Tokenset *
TokensetOfArray(ArrayType *array, ArrayReader read, bool numbered)
{
	TokenList list;

	TokenListInit(&list, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
	read(array, &list);
	return TokensetOfList(&list, numbered);
}

static Tokenset *
TokensetOfTSVector(TSVector vector, TSVectorReader read, bool numbered)
{
	TokenList list;

	TokenListInit(&list, vector->size);
	read(vector, &list);
	return TokensetOfList(&list, numbered);
}

Datum
tokenset_from_text_array(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfArray(PG_GETARG_ARRAYTYPE_P(0), TokensOfTextArray, false));
}

Datum
tokenset_from_int4_array(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfArray(PG_GETARG_ARRAYTYPE_P(0), TokensOfInt4Array, false));
}

Datum
tokenset_from_int8_array(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfArray(PG_GETARG_ARRAYTYPE_P(0), TokensOfInt8Array, false));
}

Datum
tokenset_from_tsvector(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfTSVector(PG_GETARG_TSVECTOR(0), TokensOfTSVector, false));
}

Datum
multiset_tokens_text_array(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfArray(PG_GETARG_ARRAYTYPE_P(0), TokensOfTextArray, true));
}

Datum
multiset_tokens_int4_array(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfArray(PG_GETARG_ARRAYTYPE_P(0), TokensOfInt4Array, true));
}

Datum
multiset_tokens_int8_array(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfArray(PG_GETARG_ARRAYTYPE_P(0), TokensOfInt8Array, true));
}

Datum
multiset_tokens_tsvector(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfTSVector(PG_GETARG_TSVECTOR(0), TokensOfTSVectorPositions, true));
}

Datum
tsvector_shingles(PG_FUNCTION_ARGS)
{
	TokenList list;

	TokenListInit(&list, 0);
	TokensOfTSVectorShingles(PG_GETARG_TSVECTOR(0), PG_GETARG_INT32(1), &list);
	PG_RETURN_TOKENSET(TokensetOfList(&list, false));
}
