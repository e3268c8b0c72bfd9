/*
 * number_words.c
 *		The words of a text that hold a digit.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "text/normalize.h"
#include "text/number_words.h"
#include "text/unicode.h"
#include "text/words.h"

static bool
holds_digit(ByteSpan word)
{
	const uint8 *p = (const uint8 *) word.data;
	const uint8 *end = p + word.length;

	while (p < end)
	{
		int32 codepoint;

		CHECK_FOR_INTERRUPTS();
		p += Utf8Decode(p, end, &codepoint);
		if (UnicodeIsNumber(codepoint))
			return true;
	}
	return false;
}

static void
put_word(ByteBuffer *words, ByteSpan word)
{
	if (words->used > 0)
		ByteBufferAppend(words, " ", 1);
	ByteBufferAppend(words, word.data, word.length);
}

DividedWords
DivideNumberWords(ByteSpan utf8)
{
	ByteBuffer normalized = NormalizeUtf8(utf8);
	DividedWords divided;
	WordReader reader;
	ByteSpan word;

	ByteBufferInit(&divided.numbers, 0);
	ByteBufferInit(&divided.others, normalized.used);
	WordReaderInit(&reader, (ByteSpan){normalized.data, normalized.used});
	while (WordReaderNext(&reader, &word))
	{
		CHECK_FOR_INTERRUPTS();
		put_word(holds_digit(word) ? &divided.numbers : &divided.others, word);
	}
	ByteBufferFree(&normalized);
	return divided;
}
