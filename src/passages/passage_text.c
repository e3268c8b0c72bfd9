/*
 * passage_text.c
 *		Adding a text to passages, as a row of words with their places.
 */
#include "postgres.h"

#include "passages/passage_text.h"
#include "text/placed_words.h"

void
PassagesAddText(Passages *passages, ByteSpan utf8, bool has_sentences)
{
	PlacedWordReader reader;
	PlacedWord word;

	PlacedWordReaderInit(&reader, utf8, has_sentences);
	while (PlacedWordReaderNext(&reader, &word))
		PassagesAddWord(passages, (uint64) word.token,
						word.from | (word.begins ? PASSAGE_WORD_BEGINS : 0),
						word.to | (word.ends ? PASSAGE_WORD_ENDS : 0));
	PassagesEndRow(passages);
}
