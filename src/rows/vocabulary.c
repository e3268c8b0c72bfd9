/*
 * vocabulary.c
 *		Numbering the tokens of rows on their way to files.
 */
#include "postgres.h"

#include "rows/vocabulary.h"

JoinVocabulary *
JoinVocabularyBegin(MemoryContext context, TokenDictionary *dictionary, Size limit)
{
	JoinVocabulary *vocabulary = MemoryContextAlloc(context, sizeof(JoinVocabulary));

	vocabulary->dictionary = *dictionary;
	TokenDictionaryInit(dictionary, dictionary->host);
	vocabulary->limit = limit;
	return vocabulary;
}

void
JoinVocabularyNumber(JoinVocabulary *vocabulary, const int64 *tokens, uint32 count, uint32 *ids)
{
	TokenDictionary *dictionary = &vocabulary->dictionary;

	if (!dictionary->is_full && TokenDictionaryWouldGrow(dictionary, count))
		dictionary->is_full =
			dictionary->token_count > DICTIONARY_MAX_TOKENS - count ||
			dictionary->host->bytes + TokenDictionaryGrowthBytes(dictionary) > vocabulary->limit;
	TokenDictionaryAdd(dictionary, tokens, count, ids);
}

uint32
JoinVocabularyEnd(JoinVocabulary *vocabulary)
{
	uint32 count = vocabulary->dictionary.token_count;

	TokenDictionaryFree(&vocabulary->dictionary);
	return count;
}
