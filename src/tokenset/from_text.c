/*
 * from_text.c
 *		The SQL functions from a text to a tokenset: words, shingles, q-grams.
 *
 * Each comes twice: the one named "tokens" numbers the occurrences of a token,
 * so that the set is as large as the text has words, the one named "set" takes
 * each distinct token once.
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "text/encoding.h"
#include "text/normalize.h"
#include "text/qgrams.h"
#include "text/shingles.h"
#include "text/words.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(word_tokens);
PG_FUNCTION_INFO_V1(word_set);
PG_FUNCTION_INFO_V1(shingle_tokens);
PG_FUNCTION_INFO_V1(shingle_set);
PG_FUNCTION_INFO_V1(qgram_tokens);
PG_FUNCTION_INFO_V1(qgram_set);

/* The average English word and the blank after it; a guess that is right spares a copy. */
#define BYTES_PER_WORD 6

typedef void (*Tokenizer)(ByteSpan normalized, int32 parameter, TokenList *list);

static void
TokenizeWords(ByteSpan normalized, int32 unused_parameter, TokenList *list)
{
	TokensOfWords(normalized, list);
}

static Tokenset *
TokensetOfText(text *value, Tokenizer tokenize, int32 parameter, bool numbered)
{
	const char *data = VARDATA_ANY(value);
	ByteSpan utf8 = ServerToUtf8(data, VARSIZE_ANY_EXHDR(value));
	ByteBuffer normalized = NormalizeUtf8(utf8);
	ByteSpan span = {normalized.data, normalized.used};
	TokenList list;
	Tokenset *set;

	Utf8Release(utf8, data);
	TokenListInit(&list, normalized.used / BYTES_PER_WORD);
	tokenize(span, parameter, &list);
	ByteBufferFree(&normalized);
	if (numbered)
		TokensNumberOccurrences(list.tokens, list.count);
	set = TokensetFromTokens(list.tokens, list.count);
	pfree(list.tokens);
	return set;
}

Datum
word_tokens(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfText(PG_GETARG_TEXT_PP(0), TokenizeWords, 0, true));
}

Datum
word_set(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(TokensetOfText(PG_GETARG_TEXT_PP(0), TokenizeWords, 0, false));
}

Datum
shingle_tokens(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(
		TokensetOfText(PG_GETARG_TEXT_PP(0), TokensOfShingles, PG_GETARG_INT32(1), true));
}

Datum
shingle_set(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(
		TokensetOfText(PG_GETARG_TEXT_PP(0), TokensOfShingles, PG_GETARG_INT32(1), false));
}

Datum
qgram_tokens(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(
		TokensetOfText(PG_GETARG_TEXT_PP(0), TokensOfQgrams, PG_GETARG_INT32(1), true));
}

Datum
qgram_set(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(
		TokensetOfText(PG_GETARG_TEXT_PP(0), TokensOfQgrams, PG_GETARG_INT32(1), false));
}
