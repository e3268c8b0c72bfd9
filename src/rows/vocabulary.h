/*
 * vocabulary.h
 *		The tokens that files have as ids.
 *
 * When rows go to files, the dictionary of the rows in memory stays, and numbers the tokens of
 * further rows until it takes its part of the memory. From then on it only looks tokens up. A token
 * that it has is written as its id, which takes half the bytes, and which parts of the rows need
 * not number again. Frequent tokens arrive early, so most are written as ids. The other tokens are
 * written as they are, and each part numbers the ones of its own rows.
 *
 * Once all rows are read, the dictionary is freed. Each part ranks the tokens of its own rows
 * (kernel/records/known_tokens.h).
 */
#ifndef NEARDUP_JOIN_VOCABULARY_H
#define NEARDUP_JOIN_VOCABULARY_H

#include "kernel/records/dictionary.h"

typedef struct JoinVocabulary
{
	TokenDictionary dictionary;
	Size limit;
} JoinVocabulary;

/*
 * Begins in `context` with the tokens of a dictionary, which it takes over and leaves empty. It takes
 * at most `limit` bytes of the host's memory.
 */
extern JoinVocabulary *JoinVocabularyBegin(MemoryContext context, TokenDictionary *dictionary,
										   Size limit);

/* Counts at most DICTIONARY_BATCH tokens of rows, and sets their ids, 0 if they have none. */
extern void JoinVocabularyNumber(JoinVocabulary *vocabulary, const int64 *tokens, uint32 count,
								 uint32 *ids);

/* Frees the dictionary, and returns how many tokens have ids. */
extern uint32 JoinVocabularyEnd(JoinVocabulary *vocabulary);

#endif
