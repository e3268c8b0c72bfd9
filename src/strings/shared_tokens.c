/*
 * shared_tokens.c
 *		The function shared_tokens: common tokens of two texts, and their places.
 *
 * The tokenizers make the tokens in the order of the text. Token i of width w covers w elements,
 * words or characters, from element i on, whose places in the source the normalizer tells.
 */
#include "postgres.h"

#include <ctype.h>

#include "fmgr.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "storage/shmem.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/tuplestore.h"
#include "utils/varlena.h"

#include "allocate.h"
#include "compat.h"
#include "measure/measure.h"
#include "text/encoding.h"
#include "text/interrupts.h"
#include "text/normalize.h"
#include "text/qgrams.h"
#include "text/shingles.h"
#include "text/unicode.h"
#include "text/words.h"

PG_FUNCTION_INFO_V1(shared_tokens);

typedef struct Tokenization
{
	bool of_characters; /* q-grams; else words or shingles */
	bool is_numbered;	/* a multiset */
	int32 width;		/* elements of a token */
} Tokenization;

/* The place of a word or character in the source. */
typedef struct Element
{
	Size start; /* first byte */
	Size end;	/* byte after the last */
	int32 from; /* first character, from 1 */
	int32 to;	/* last character */
} Element;

typedef struct PlacedToken
{
	Token token;
	int64 occurrence;
	uint32 index; /* in the order of the text */
} PlacedToken;

#define ST_SORT sort_placed_tokens
#define ST_ELEMENT_TYPE PlacedToken
#define ST_COMPARE(a, b)                                                                           \
	((a)->token != (b)->token ? ((a)->token < (b)->token ? -1 : 1)                                 \
							  : ((a)->index < (b)->index ? -1 : (a)->index > (b)->index))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

typedef struct ExplainedText
{
	ByteSpan utf8;
	Element *elements;
	Size element_count;
	Size element_capacity;
	PlacedToken *tokens; /* sorted */
	Size token_count;
	uint32 *partner; /* by index: index of the same token in the other text, or one of: */
} ExplainedText;

#define NOT_SHOWN PG_UINT32_MAX /* a repeated token of a set */
#define ALONE (PG_UINT32_MAX - 1)

static void
tokens_error(const char *tokens)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unrecognized tokens \"%s\"", tokens),
			 errhint("The tokens are word_tokens, shingle_tokens(3), qgram_tokens(3), and "
					 "word_set, shingle_set(3), qgram_set(3), with any number.")));
}

/* The first parenthesis outside of quotes, or the end. */
static char *
end_of_name(char *name)
{
	bool is_quoted = false;

	for (; *name != '\0' && (is_quoted || *name != '('); name++)
		is_quoted ^= *name == '"';
	return name;
}

/* A name as SQL reads it, without the extension's schema; NULL for another schema. */
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

/* "shingle_tokens(3)", or "shingle_tokens(body, 3)". */
static Tokenization
tokenization_or_error(const char *tokens, const char *schema)
{
	static const struct
	{
		const char *name;
		Tokenization tokenization;
	} known[] = {
		{"word_tokens", {false, true, 1}},	  {"word_set", {false, false, 1}},
		{"shingle_tokens", {false, true, 0}}, {"shingle_set", {false, false, 0}},
		{"qgram_tokens", {true, true, 0}},	  {"qgram_set", {true, false, 0}},
	};
	char *copy = pstrdup(tokens);
	char *open = end_of_name(copy);
	bool has_arguments = *open != '\0';
	const char *name;

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
	for (int i = 0; i < (int) lengthof(known); i++)
	{
		Tokenization tokenization = known[i].tokenization;
		char *last;

		if (strcmp(known[i].name, name) != 0)
			continue;
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
		return tokenization;
	}
	tokens_error(tokens);
	pg_unreachable();
}

static void
add_element(ExplainedText *text, Size start, Size end)
{
	if (text->element_count == text->element_capacity)
	{
		text->element_capacity *= 2;
		text->elements =
			repalloc_huge(text->elements, mul_size(text->element_capacity, sizeof(Element)));
	}
	text->elements[text->element_count].start = start;
	text->elements[text->element_count++].end = end;
}

/* The first span at or after a place of the normalized text. */
static Size
span_at(const SourceMap *map, Size normalized)
{
	Size low = 0;
	Size high = map->count;

	while (low < high)
	{
		Size middle = low + (high - low) / 2;

		if (map->spans[middle].normalized < normalized)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void
place_words(ExplainedText *text, ByteSpan normalized, const SourceMap *map)
{
	WordReader reader;
	ByteSpan word;

	WordReaderInit(&reader, normalized);
	while (WordReaderNext(&reader, &word))
	{
		Size start = word.data - normalized.data;

		CHECK_FOR_INTERRUPTS();
		add_element(text, map->spans[span_at(map, start)].start,
					map->spans[span_at(map, start + word.length) - 1].end);
	}
}

/* A blank covers the source between two spans, or the source that they share. */
static void
place_characters(ExplainedText *text, ByteSpan normalized, const SourceMap *map)
{
	Size next = 0;

	for (Size i = 0; i < map->count; i++)
	{
		const SourceSpan *span = &map->spans[i];
		int32 unused_codepoint;

		CHECK_NOW_AND_THEN(i);
		if (span->normalized > next)
			add_element(text, Min(map->spans[i - 1].end, span->start),
						Max(map->spans[i - 1].end, span->start));
		add_element(text, span->start, span->end);
		next = span->normalized + Utf8Decode((const uint8 *) normalized.data + span->normalized,
											 (const uint8 *) normalized.data + normalized.length,
											 &unused_codepoint);
	}
}

typedef struct CharacterCounter
{
	ByteSpan utf8;
	Size bytes;
	int32 characters;
} CharacterCounter;

/*
 * Characters before this byte, which does not decrease from call to call. They are those of
 * substr(): bytes in SQL_ASCII.
 */
static int32
characters_before(CharacterCounter *counter, Size bytes)
{
	bool is_byte = GetDatabaseEncoding() == PG_SQL_ASCII;

	for (; counter->bytes < bytes; counter->bytes++)
	{
		CHECK_NOW_AND_THEN(counter->bytes);
		if (is_byte || (counter->utf8.data[counter->bytes] & 0xC0) != 0x80)
			counter->characters++;
	}
	return counter->characters;
}

static void
count_characters(ExplainedText *text)
{
	CharacterCounter starts = {.utf8 = text->utf8};
	CharacterCounter ends = {.utf8 = text->utf8};

	for (Size i = 0; i < text->element_count; i++)
	{
		Element *element = &text->elements[i];

		CHECK_NOW_AND_THEN(i);
		element->from = characters_before(&starts, element->start) + 1;
		element->to = characters_before(&ends, element->end);
	}
}

static void
place_tokens(ExplainedText *text, const TokenList *list, bool is_numbered)
{
	Size kept = 0;

	text->tokens = AllocateArray(list->count, sizeof(PlacedToken));
	text->partner = AllocateArray(text->element_count, sizeof(uint32));
	memset(text->partner, 0xFF, mul_size(text->element_count, sizeof(uint32)));
	for (Size i = 0; i < list->count; i++)
	{
		CHECK_NOW_AND_THEN(i);
		text->tokens[i].token = list->tokens[i];
		text->tokens[i].index = (uint32) i;
	}
	sort_placed_tokens(text->tokens, list->count);
	for (Size i = 0; i < list->count; i++)
	{
		PlacedToken token = text->tokens[i];

		CHECK_NOW_AND_THEN(i);
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

static ExplainedText
explain_text(text *value, Tokenization tokenization)
{
	ExplainedText text = {.element_capacity = 64};
	SourceMap map;
	ByteBuffer buffer;
	ByteSpan normalized;
	TokenList list;

	text.utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	buffer = NormalizeUtf8Mapped(text.utf8, &map);
	normalized.data = buffer.data;
	normalized.length = buffer.used;
	text.elements = palloc(text.element_capacity * sizeof(Element));
	TokenListInit(&list, 64);
	if (tokenization.of_characters)
	{
		TokensOfQgrams(normalized, tokenization.width, &list);
		place_characters(&text, normalized, &map);
	}
	else
	{
		TokensOfShingles(normalized, tokenization.width, &list);
		place_words(&text, normalized, &map);
	}
	count_characters(&text);
	place_tokens(&text, &list, tokenization.is_numbered);
	pfree(list.tokens);
	pfree(map.spans);
	ByteBufferFree(&buffer);
	return text;
}

static Size
match_tokens(ExplainedText *a, ExplainedText *b)
{
	Size overlap = 0;
	Size i = 0;
	Size j = 0;

	while (i < a->token_count || j < b->token_count)
	{
		const PlacedToken *x = i < a->token_count ? &a->tokens[i] : NULL;
		const PlacedToken *y = j < b->token_count ? &b->tokens[j] : NULL;
		int order = x == NULL ? 1 : y == NULL ? -1 : 0;

		CHECK_NOW_AND_THEN(i + j);
		if (order == 0 && x->token != y->token)
			order = x->token < y->token ? -1 : 1;
		else if (order == 0 && x->occurrence != y->occurrence)
			order = x->occurrence < y->occurrence ? -1 : 1;
		if (order <= 0)
		{
			a->partner[x->index] = order == 0 ? y->index : ALONE;
			i++;
		}
		if (order >= 0)
		{
			b->partner[y->index] = order == 0 ? x->index : ALONE;
			j++;
		}
		overlap += order == 0;
	}
	return overlap;
}

enum
{
	COLUMN_PART,
	COLUMN_ITEM,
	COLUMN_VALUE,
	COLUMN_A_FROM,
	COLUMN_A_TO,
	COLUMN_B_FROM,
	COLUMN_B_TO,
	COLUMNS
};

static void
put_measures(ReturnSetInfo *rows, const ExplainedText *a, const ExplainedText *b, Size overlap)
{
	for (int i = 0; i < MEASURE_COUNT; i++)
	{
		Datum values[COLUMNS] = {0};
		bool nulls[COLUMNS] = {false, false, false, true, true, true, true};

		values[COLUMN_PART] = CStringGetTextDatum("measure");
		values[COLUMN_ITEM] = CStringGetTextDatum(MeasureName((Measure) i));
		values[COLUMN_VALUE] = Float8GetDatum(
			MeasureValue((Measure) i, (int64) overlap, a->token_count, b->token_count));
		tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
	}
}

/* A text is NULL where the token has no place in it. */
static void
put_token(ReturnSetInfo *rows, const char *part, int32 width, const ExplainedText *a,
		  uint32 a_index, const ExplainedText *b, uint32 b_index)
{
	const ExplainedText *texts[2] = {a, b};
	const uint32 indexes[2] = {a_index, b_index};
	Datum values[COLUMNS] = {0};
	bool nulls[COLUMNS] = {false, true, true, true, true, true, true};

	values[COLUMN_PART] = CStringGetTextDatum(part);
	for (int i = 1; i >= 0; i--)
	{
		const ExplainedText *text = texts[i];
		const Element *first;
		const Element *last;

		if (text == NULL)
			continue;
		/* A text with fewer elements than the width is one token. */
		first = &text->elements[indexes[i]];
		last = &text->elements[Min((Size) indexes[i] + width, text->element_count) - 1];
		values[COLUMN_A_FROM + 2 * i] = Int32GetDatum(first->from);
		values[COLUMN_A_TO + 2 * i] = Int32GetDatum(last->to);
		nulls[COLUMN_A_FROM + 2 * i] = nulls[COLUMN_A_TO + 2 * i] = false;
		values[COLUMN_ITEM] =
			PointerGetDatum(Utf8ToText(text->utf8.data + first->start, last->end - first->start));
		nulls[COLUMN_ITEM] = false;
	}
	tuplestore_putvalues(rows->setResult, rows->setDesc, values, nulls);
}

static void
put_tokens(ReturnSetInfo *rows, const ExplainedText *a, const ExplainedText *b, int32 width)
{
	MemoryContext row_context = AllocSetContextCreate(
		CurrentMemoryContext, "neardup explained token", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(row_context);

	for (Size i = 0; i < a->element_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (a->partner[i] == ALONE)
			put_token(rows, "only a", width, a, i, NULL, 0);
		else if (a->partner[i] != NOT_SHOWN)
			put_token(rows, "shared", width, a, i, b, a->partner[i]);
		MemoryContextReset(row_context);
	}
	for (Size i = 0; i < b->element_count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (b->partner[i] == ALONE)
			put_token(rows, "only b", width, NULL, 0, b, i);
		MemoryContextReset(row_context);
	}
	MemoryContextSwitchTo(previous);
	MemoryContextDelete(row_context);
}

Datum
shared_tokens(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rows = (ReturnSetInfo *) fcinfo->resultinfo;
	Tokenization tokenization =
		tokenization_or_error(text_to_cstring(PG_GETARG_TEXT_PP(2)),
							  get_namespace_name(get_func_namespace(fcinfo->flinfo->fn_oid)));
	ExplainedText a = explain_text(PG_GETARG_TEXT_PP(0), tokenization);
	ExplainedText b = explain_text(PG_GETARG_TEXT_PP(1), tokenization);
	Size overlap = match_tokens(&a, &b);

	InitMaterializedSRF(fcinfo, 0);
	put_measures(rows, &a, &b, overlap);
	put_tokens(rows, &a, &b, tokenization.width);
	return (Datum) 0;
}
