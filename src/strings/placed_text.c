/*
 * placed_text.c
 *		Finding the tokens of a text, and where they stand in it.
 *
 * The tokenizers make the tokens in the order of the text. Token i of width w covers w elements,
 * words or characters, from element i on; a q-gram of a word is an element by itself. The normalizer
 * tells from which bytes of the source each piece of the normalized text comes.
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/varlena.h"

#include "allocate.h"
#include "bisect.h"
#include "compat.h"
#include "strings/placed_text.h"
#include "text/code_words.h"
#include "text/encoding.h"
#include "text/normalize.h"
#include "text/qgrams.h"
#include "text/shingles.h"
#include "text/unicode.h"
#include "text/word_qgrams.h"
#include "text/words.h"

#define ST_SORT sort_placed_tokens
#define ST_ELEMENT_TYPE PlacedToken
#define ST_COMPARE(a, b)                                                                           \
	((a)->token != (b)->token ? ((a)->token < (b)->token ? -1 : 1)                                 \
							  : ((a)->index < (b)->index ? -1 : (a)->index > (b)->index))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

static void
tokens_error(const char *tokens)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized tokens \"%s\"", tokens),
			 errhint("The tokens are word_tokens, shingle_tokens(3), qgram_tokens(3), "
					 "word_qgram_tokens(3), and word_set, shingle_set(3), qgram_set(3), "
					 "word_qgram_set(3), with any number, and of code "
					 "shingle_tokens(code_words(x), 3), element_tokens(code_words(x)).")));
}

/* Returns the first parenthesis outside of quotes, or the end. */
static char *
end_of_name(char *name)
{
	bool is_quoted = false;

	for (; *name != '\0' && (is_quoted || *name != '('); name++)
		is_quoted ^= *name == '"';
	return name;
}

/* Returns a name as SQL reads it, without the extension's schema; NULL if it has another schema. */
static const char *
function_name(char *name, const char *schema)
{
	List *parts;

	if (!SplitIdentifierString(name, '.', &parts))
		return NULL;
	if (list_length(parts) == 1 ||
		(list_length(parts) == 2 && strcmp(linitial(parts), schema) == 0))
		return llast(parts);
	return NULL;
}

/* Returns whether the first argument of a call is code_words(...). */
static bool
calls_code_words(const char *arguments, const char *schema)
{
	char *copy = pstrdup(arguments);
	char *open = end_of_name(copy);
	const char *name;

	if (*open == '\0')
		return false;
	*open = '\0';
	name = function_name(copy, schema);
	return name != NULL && strcmp(name, "code_words") == 0;
}

Tokenization
TokenizationOrError(const char *tokens, const char *schema)
{
	static const struct
	{
		const char *name;
		Tokenization tokenization;
	} known[] = {
		{"word_tokens", {TOKENS_OF_WORDS, true, 1, 0}},
		{"word_set", {TOKENS_OF_WORDS, false, 1, 0}},
		{"shingle_tokens", {TOKENS_OF_WORDS, true, 0, 0}},
		{"shingle_set", {TOKENS_OF_WORDS, false, 0, 0}},
		{"qgram_tokens", {TOKENS_OF_CHARACTERS, true, 0, 0}},
		{"qgram_set", {TOKENS_OF_CHARACTERS, false, 0, 0}},
		{"word_qgram_tokens", {TOKENS_OF_WORD_QGRAMS, true, 0, 0}},
		{"word_qgram_set", {TOKENS_OF_WORD_QGRAMS, false, 0, 0}},
		{"element_tokens", {TOKENS_OF_CODE, true, 1, 0}},
		{"tokenset", {TOKENS_OF_CODE, false, 1, 0}},
	};
	char *copy = pstrdup(tokens);
	char *open = end_of_name(copy);
	bool has_arguments = *open != '\0';
	const char *name;
	bool is_code;

	if (has_arguments)
	{
		char *close = strrchr(open, ')');

		if (close == NULL || close[1 + strspn(close + 1, " \t\n")] != '\0')
			tokens_error(tokens);
		else
			*close = '\0';
		*open = '\0';
	}
	name = function_name(copy, schema);
	if (name == NULL)
		tokens_error(tokens);
	is_code = has_arguments && calls_code_words(open + 1, schema);
	for (int i = 0; i < (int) lengthof(known); i++)
	{
		Tokenization tokenization = known[i].tokenization;
		char *last;

		if (strcmp(known[i].name, name) != 0)
			continue;
		if (is_code && tokenization.kind == TOKENS_OF_WORDS && tokenization.width != 1)
			tokenization.kind = TOKENS_OF_CODE;
		if (is_code != (tokenization.kind == TOKENS_OF_CODE))
			break;
		if (tokenization.width == 1)
			return tokenization;
		if (!has_arguments)
			break;
		last = strrchr(open + 1, ',');
		last = last != NULL ? last + 1 : open + 1;
		last += strspn(last, " \t\n");
		if (!isdigit((unsigned char) *last))
			break;
		tokenization.width = pg_strtoint32(last);
		if (tokenization.kind == TOKENS_OF_WORD_QGRAMS)
		{
			tokenization.q = tokenization.width;
			tokenization.width = 1;
		}
		return tokenization;
	}
	tokens_error(tokens);
	pg_unreachable();
}

static void
add_element(PlacedText *text, Size start, Size end)
{
	ARRAY_MAKE_ROOM(text->elements, text->element_count, text->element_capacity);
	text->elements[text->element_count].start = start;
	text->elements[text->element_count++].end = end;
}

/* Returns the number of the first span at or after a place of the normalized text. */
static Size
span_at(const SourceMap *map, Size normalized)
{
	Size number = 0;

	BISECT(Size, number, map->count, at, map->spans[at].normalized < normalized);
	return number;
}

/* Adds a part of the normalized text, which is not empty, with the source of its characters. */
static void
place_span(PlacedText *text, ByteSpan normalized, const SourceMap *map, ByteSpan span)
{
	Size start = span.data - normalized.data;

	add_element(text, map->spans[span_at(map, start)].start,
				map->spans[span_at(map, start + span.length) - 1].end);
}

/* Adds the words, each with the source that it was normalized from. */
static void
place_words(PlacedText *text, ByteSpan normalized, const SourceMap *map)
{
	WordReader reader;
	ByteSpan word;

	WordReaderInit(&reader, normalized);
	while (WordReaderNext(&reader, &word))
	{
		CHECK_FOR_INTERRUPTS();
		place_span(text, normalized, map, word);
	}
}

/* Adds the characters. */
static void
place_characters(PlacedText *text, const SourceMap *map)
{
	for (Size i = 0; i < map->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		add_element(text, map->spans[i].start, map->spans[i].end);
	}
}

/* Appends the tokens of q-grams of words, and adds what each of them covers. */
static void
place_word_qgrams(PlacedText *text, ByteSpan normalized, const SourceMap *map, int32 q,
				  TokenList *list)
{
	WordQgramPlaces places;

	TokensOfWordQgramsPlaced(normalized, q, list, &places);
	for (Size i = 0; i < places.count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		place_span(text, normalized, map, places.spans[i]);
	}
	if (places.spans != NULL)
		pfree(places.spans);
}

typedef struct CharacterCounter
{
	ByteSpan utf8;
	Size bytes;
	int32 characters;
} CharacterCounter;

/*
 * Returns the number of characters before a byte, which does not decrease from call to call. They
 * are characters as substr() counts them: in SQL_ASCII, bytes.
 */
static int32
characters_before(CharacterCounter *counter, Size bytes)
{
	bool is_byte = GetDatabaseEncoding() == PG_SQL_ASCII;

	for (; counter->bytes < bytes; counter->bytes++)
	{
		if (is_byte || (counter->utf8.data[counter->bytes] & 0xC0) != 0x80)
			counter->characters++;
	}
	return counter->characters;
}

static void
count_characters(PlacedText *text)
{
	CharacterCounter starts = {.utf8 = text->utf8};
	CharacterCounter ends = {.utf8 = text->utf8};

	for (Size i = 0; i < text->element_count; i++)
	{
		Element *element = &text->elements[i];

		CHECK_FOR_INTERRUPTS();
		element->from = characters_before(&starts, element->start) + 1;
		element->to = characters_before(&ends, element->end);
	}
}

/* Sorts the tokens, and numbers their occurrences or, of a set, keeps the first of each. */
static void
place_tokens(PlacedText *text, const TokenList *list, bool is_numbered)
{
	Size kept = 0;

	text->tokens = AllocateArray(list->count, sizeof(PlacedToken));
	for (Size i = 0; i < list->count; i++)
	{
		text->tokens[i].token = list->tokens[i];
		text->tokens[i].index = (uint32) i;
	}
	sort_placed_tokens(text->tokens, list->count);
	for (Size i = 0; i < list->count; i++)
	{
		PlacedToken token = text->tokens[i];

		token.occurrence = 1;
		if (kept > 0 && text->tokens[kept - 1].token == token.token)
		{
			if (!is_numbered)
				continue;
			token.occurrence = text->tokens[kept - 1].occurrence + 1;
		}
		text->tokens[kept++] = token;
	}
	text->token_count = kept;
}

/* Appends the tokens of words of code, and adds the words. */
static void
place_code(PlacedText *text, int32 width, TokenList *list)
{
	CodeReader reader;
	Shingler shingler;
	ByteSpan word;

	ShinglerInit(&shingler, width, list);
	CodeReaderInit(&reader, text->utf8);
	while (CodeReaderNext(&reader, &word))
	{
		Size start = word.data - text->utf8.data;

		add_element(text, start, start + word.length);
		ShinglerAdd(&shingler, word);
	}
	ShinglerFinish(&shingler);
}

/* Appends the tokens of the normalized text, and adds its elements. */
static void
place_normalized(PlacedText *text, Tokenization tokenization, TokenList *list)
{
	SourceMap map;
	ByteBuffer buffer = NormalizeUtf8Mapped(text->utf8, &map);
	ByteSpan normalized = {buffer.data, buffer.used};

	switch (tokenization.kind)
	{
		case TOKENS_OF_WORDS:
			TokensOfShingles(normalized, tokenization.width, list);
			place_words(text, normalized, &map);
			break;
		case TOKENS_OF_CHARACTERS:
			TokensOfQgrams(normalized, tokenization.width, list);
			place_characters(text, &map);
			break;
		case TOKENS_OF_WORD_QGRAMS:
			place_word_qgrams(text, normalized, &map, tokenization.q, list);
			break;
		case TOKENS_OF_CODE:
			pg_unreachable();
	}
	pfree(map.spans);
	ByteBufferFree(&buffer);
}

PlacedText
PlacedTextOf(text *value, Tokenization tokenization)
{
	PlacedText text = {.element_capacity = 64};
	TokenList list;

	text.utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	text.elements = palloc(text.element_capacity * sizeof(Element));
	TokenListInit(&list, 64);
	if (tokenization.kind == TOKENS_OF_CODE)
		place_code(&text, tokenization.width, &list);
	else
		place_normalized(&text, tokenization, &list);
	count_characters(&text);
	place_tokens(&text, &list, tokenization.is_numbered);
	pfree(list.tokens);
	return text;
}
