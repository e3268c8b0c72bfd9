/*
 * from_elements.c
 *		SQL functions from arrays and tsvectors to a tokenset.
 *
 * tokenset(...), which the casts use too, takes the distinct elements. element_tokens(...) numbers
 * the occurrences of an element (text/occurrences.h).
 */
#include "postgres.h"

#include "fmgr.h"

#include "text/element_tokens.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(tokenset_from_tsvector);
PG_FUNCTION_INFO_V1(element_tokens_tsvector);

/* Returns the set of an array, whose elements `read` appends to a list. */
static Tokenset *
set_of_array(ArrayType *array, void (*read)(ArrayType *, TokenList *), bool is_multiset)
{
	TokenList list;

	TokenListInit(&list, ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)));
	read(array, &list);
	return TokensetFromList(&list, is_multiset);
}

/* Returns the set of a tsvector, whose lexemes `read` appends to a list. */
static Tokenset *
set_of_tsvector(TSVector vector, void (*read)(TSVector, TokenList *), bool is_multiset)
{
	TokenList list;

	TokenListInit(&list, vector->size);
	read(vector, &list);
	return TokensetFromList(&list, is_multiset);
}

#define ARRAY_FUNCTION(name, read, is_multiset)                                                    \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		PG_RETURN_TOKENSET(set_of_array(PG_GETARG_ARRAYTYPE_P(0), read, is_multiset));             \
	}                                                                                              \
	extern int no_such_variable

ARRAY_FUNCTION(tokenset_from_text_array, TokensOfTextArray, false);
ARRAY_FUNCTION(tokenset_from_int4_array, TokensOfInt4Array, false);
ARRAY_FUNCTION(tokenset_from_int8_array, TokensOfInt8Array, false);
ARRAY_FUNCTION(element_tokens_text_array, TokensOfTextArray, true);
ARRAY_FUNCTION(element_tokens_int4_array, TokensOfInt4Array, true);
ARRAY_FUNCTION(element_tokens_int8_array, TokensOfInt8Array, true);

Datum
tokenset_from_tsvector(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(set_of_tsvector(PG_GETARG_TSVECTOR(0), TokensOfTSVector, false));
}

Datum
element_tokens_tsvector(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(set_of_tsvector(PG_GETARG_TSVECTOR(0), TokensOfTSVectorPositions, true));
}

#define SHINGLE_FUNCTION(name, argument, read, is_multiset)                                        \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		TokenList list;                                                                            \
                                                                                                   \
		TokenListInit(&list, 0);                                                                   \
		read(argument, PG_GETARG_INT32(1), &list);                                                 \
		PG_RETURN_TOKENSET(TokensetFromList(&list, is_multiset));                                  \
	}                                                                                              \
	extern int no_such_variable

SHINGLE_FUNCTION(shingle_tokens_text_array, PG_GETARG_ARRAYTYPE_P(0), TokensOfTextArrayShingles,
				 true);
SHINGLE_FUNCTION(shingle_set_text_array, PG_GETARG_ARRAYTYPE_P(0), TokensOfTextArrayShingles,
				 false);
SHINGLE_FUNCTION(shingle_tokens_tsvector, PG_GETARG_TSVECTOR(0), TokensOfTSVectorShingles, true);
SHINGLE_FUNCTION(shingle_set_tsvector, PG_GETARG_TSVECTOR(0), TokensOfTSVectorShingles, false);
