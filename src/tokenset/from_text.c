/*
 * from_text.c
 *		SQL functions from a text to a tokenset: words, shingles, q-grams, q-grams of words.
 *
 * Each function normalizes the text and divides it into tokens. Those named ..._set take the
 * distinct tokens, those named ..._tokens number the occurrences of a token (text/occurrences.h).
 */
#include "postgres.h"

#include "fmgr.h"

#include "compat.h"
#include "text/encoding.h"
#include "text/normalize.h"
#include "text/qgrams.h"
#include "text/shingles.h"
#include "text/word_qgrams.h"
#include "text/words.h"
#include "tokenset/tokenset.h"

/*
 * The mean length of an English word and the blank behind it, from which a list's room is guessed.
 */
#define BYTES_PER_WORD 6

static void
tokenize_words(ByteSpan normalized, int32 unused_width, TokenList *list)
{
	TokensOfWords(normalized, list);
}

/*
 * Returns the set of a text, whose normalized form `tokenize` divides. Memory that is not needed
 * any more is freed at once, since a text may have hundreds of megabytes.
 */
static Tokenset *
set_of_text(text *value, void (*tokenize)(ByteSpan, int32, TokenList *), int32 width,
			bool is_multiset)
{
	const char *data = VARDATA_ANY(value);
	ByteSpan utf8 = ServerToUtf8(data, VARSIZE_ANY_EXHDR(value));
	ByteBuffer normalized = NormalizeUtf8(utf8);
	ByteSpan span = {normalized.data, normalized.used};
	TokenList list;

	Utf8Release(utf8, data);
	TokenListInit(&list, normalized.used / BYTES_PER_WORD);
	tokenize(span, width, &list);
	ByteBufferFree(&normalized);
	return TokensetFromList(&list, is_multiset);
}

#define TEXT_FUNCTION(name, tokenize, width, is_multiset)                                          \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		PG_RETURN_TOKENSET(set_of_text(PG_GETARG_TEXT_PP(0), tokenize, width, is_multiset));       \
	}                                                                                              \
	extern int no_such_variable

TEXT_FUNCTION(word_tokens, tokenize_words, 0, true);
TEXT_FUNCTION(word_set, tokenize_words, 0, false);
TEXT_FUNCTION(shingle_tokens, TokensOfShingles, PG_GETARG_INT32(1), true);
TEXT_FUNCTION(shingle_set, TokensOfShingles, PG_GETARG_INT32(1), false);
TEXT_FUNCTION(qgram_tokens, TokensOfQgrams, PG_GETARG_INT32(1), true);
TEXT_FUNCTION(qgram_set, TokensOfQgrams, PG_GETARG_INT32(1), false);
TEXT_FUNCTION(word_qgram_tokens, TokensOfWordQgrams, PG_GETARG_INT32(1), true);
TEXT_FUNCTION(word_qgram_set, TokensOfWordQgrams, PG_GETARG_INT32(1), false);
