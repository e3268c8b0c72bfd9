/*
 * trigrams.c
 *		The trigrams of a text by the rules of pg_trgm.
 *
 * Words are runs of letters and digits. Each is put into lower case, with two blanks before it and
 * one after it, and gives all sequences of three characters. "Cat" gives "  c", " ca", "cat" and
 * "at ". Three characters of one byte each are themselves the trigram; others are represented by
 * three bytes of the CRC of their bytes.
 *
 * What a letter is, and what its lower case, depends on the locale of the database and on the
 * version of PostgreSQL. The functions of the server that pg_trgm calls are called here too, so the
 * trigrams are the same. For words of ASCII characters the answers are kept in a table; a character
 * whose lower case is not one byte, such as I in Turkish, has its word lowered by the server.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/formatting.h"
#include "utils/pg_crc.h"

/* The server's declarations for text search would include ICU's headers, which need not be installed. */
#undef USE_ICU
#include "tsearch/ts_locale.h"

#include "compat.h"
#include "text/trigrams.h"

#define ASCII_CHARACTERS 128

/* What the table says of a character beside its lower case. */
#define NO_WORD_CHARACTER 0
#define NOT_ONE_BYTE 0xff

typedef struct AsciiWords
{
	bool is_known;
	uint8 lower[ASCII_CHARACTERS];
} AsciiWords;

/* The locale of a database does not change while a process uses it. */
static AsciiWords ascii_words;

static uint8
lower_case_of(char character)
{
	char text[2] = {character, '\0'};
	uint8 lower = NOT_ONE_BYTE;
	char *lowered;

	if (!nd_is_word_character(text))
		return NO_WORD_CHARACTER;
	lowered = nd_lower_case(text, 1);
	if (strlen(lowered) == 1 && !IS_HIGHBIT_SET(lowered[0]))
		lower = (uint8) lowered[0];
	pfree(lowered);
	return lower;
}

static const uint8 *
ascii_lower(void)
{
	if (!ascii_words.is_known)
	{
		for (int i = 1; i < ASCII_CHARACTERS; i++)
			ascii_words.lower[i] = lower_case_of((char) i);
		ascii_words.is_known = true;
	}
	return ascii_words.lower;
}

static inline Token
trigram_of_bytes(const uint8 *bytes)
{
	return (Token) bytes[0] << 16 | (Token) bytes[1] << 8 | bytes[2];
}

/* Appends the trigrams of a word of ASCII characters whose lower case is in the table. */
static void
append_ascii_word(const uint8 *word, Size length, const uint8 *lower, TokenList *list)
{
	Token *tokens = TokenListExtend(list, length + 1);
	uint32 last = ' ' << 8 | ' ';

	for (Size i = 0; i < length; i++)
	{
		last = (last << 8 | lower[word[i]]) & 0xffffff;
		tokens[i] = last;
	}
	tokens[length] = (last << 8 | ' ') & 0xffffff;
}

/* Returns the trigram of three characters. */
static Token
trigram_of_characters(const char *data, Size length)
{
	pg_crc32 crc;
	uint8 bytes[sizeof(crc)];

	if (length == 3)
		return trigram_of_bytes((const uint8 *) data);
	INIT_LEGACY_CRC32(crc);
	COMP_LEGACY_CRC32(crc, data, length);
	FIN_LEGACY_CRC32(crc);
	memcpy(bytes, &crc, sizeof(crc));
	return trigram_of_bytes(bytes);
}

static inline Size
character_length(const char *character, const char *end)
{
	return Min((Size) pg_mblen(character), (Size) (end - character));
}

/* Appends the trigrams of a word that is in lower case and has its blanks. */
static void
append_padded_word(const char *word, const char *end, TokenList *list)
{
	const char *second = word + 1;
	const char *third = word + 2;

	while (third < end)
	{
		const char *next = third + character_length(third, end);

		CHECK_FOR_INTERRUPTS();
		TokenListAppend(list, trigram_of_characters(word, (Size) (next - word)));
		word = second;
		second = third;
		third = next;
	}
}

static void
append_lowered_word(const char *word, Size length, TokenList *list)
{
	char *lowered = nd_lower_case(word, length);
	Size lowered_length = strlen(lowered);
	char *padded = palloc_extended(lowered_length + 3, MCXT_ALLOC_HUGE);

	padded[0] = padded[1] = ' ';
	memcpy(padded + 2, lowered, lowered_length);
	padded[lowered_length + 2] = ' ';
	append_padded_word(padded, padded + lowered_length + 3, list);
	pfree(padded);
	pfree(lowered);
}

/*
 * Returns the length of the character if words have it, else 0. *is_ascii becomes false if the
 * table does not have its lower case.
 */
static inline Size
word_character(const char *character, const char *end, const uint8 *lower, bool *is_ascii)
{
	if (!IS_HIGHBIT_SET(*character))
	{
		*is_ascii &= lower[(uint8) *character] != NOT_ONE_BYTE;
		return lower[(uint8) *character] != NO_WORD_CHARACTER;
	}
	*is_ascii = false;
	return nd_is_word_character(character) ? character_length(character, end) : 0;
}

void
TokensOfTrigrams(const char *data, Size length, TokenList *list)
{
	const char *end = data + length;
	const uint8 *lower = ascii_lower();

	while (data < end)
	{
		const char *word = data;
		bool is_ascii = true;
		Size character;

		CHECK_FOR_INTERRUPTS();
		while (data < end)
		{
			CHECK_FOR_INTERRUPTS();
			character = word_character(data, end, lower, &is_ascii);
			if (character == 0)
				break;
			data += character;
		}
		if (data == word)
			data += character_length(data, end);
		else if (is_ascii)
			append_ascii_word((const uint8 *) word, (Size) (data - word), lower, list);
		else
			append_lowered_word(word, (Size) (data - word), list);
	}
}
