/*
 * passage_tokens.c
 *		The SQL function passage_tokens: a set that tells which texts share a passage.
 *
 * It has the hashes that winnowing chooses (kernel/winnow.h): of each run of min_words words at least
 * one, the same in each text that has the run.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"

#include "compat.h"
#include "passages/passage_length.h"
#include "passages/kernel/winnow.h"
#include "text/encoding.h"
#include "text/placed_words.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(passage_tokens);

static void
read_words(text *value, TokenList *words)
{
	const char *data = VARDATA_ANY(value);
	ByteSpan utf8 = ServerToUtf8(data, VARSIZE_ANY_EXHDR(value));
	PlacedWordReader reader;
	PlacedWord word;

	PlacedWordReaderInit(&reader, utf8, false);
	while (PlacedWordReaderNext(&reader, &word))
		TokenListAppend(words, word.token);
	Utf8Release(utf8, data);
}

static void
take_hash(void *context, uint64 hash, uint64 unused_first, uint32 unused_count)
{
	CHECK_FOR_INTERRUPTS();
	TokenListAppend(context, (Token) hash);
}

Datum
passage_tokens(PG_FUNCTION_ARGS)
{
	uint32 min_words = MinWordsOrError(PG_GETARG_INT32(1));
	TokenList words;
	TokenList chosen;
	Winnow winnow;
	uint64 *ring;

	TokenListInit(&words, 64);
	TokenListInit(&chosen, 16);
	read_words(PG_GETARG_TEXT_PP(0), &words);
	WinnowInit(&winnow, min_words);
	ring = palloc(WinnowRing(&winnow) * sizeof(uint64));
	WinnowText(&winnow, (const uint64 *) words.tokens, 1, words.count, ring, take_hash, &chosen);
	pfree(ring);
	pfree(words.tokens);
	PG_RETURN_TOKENSET(TokensetFromList(&chosen, false));
}
