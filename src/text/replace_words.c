/*
 * replace_words.c
 *		Words of a text by a list of the user's.
 *
 * The list is an object of JSON, of words to words: street types to their abbreviations, nicknames to
 * names, legal forms to nothing. Both sides are normalized, and a key may have several words. At
 * each word of the normalized text the longest key that stands there is replaced. What replaces it
 * is not replaced again.
 *
 * A list is sorted once, and kept for the calls that follow with the same list. Keys are found by
 * binary search.
 */
#include "postgres.h"

#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

#include "compat.h"
#include "text/encoding.h"
#include "text/normalize.h"

PG_FUNCTION_INFO_V1(replace_words);

/* Words that are replaced, and those that replace them, which may be none. */
typedef struct WordReplacement
{
	ByteSpan from;
	ByteSpan to;
} WordReplacement;

/* A list, in its own memory context, made of the object of JSON that it keeps. */
typedef struct WordList
{
	MemoryContext context;
	Jsonb *source;
	WordReplacement *replacements; /* in the order of `from` */
	int count;
	int most_words; /* of a key */
} WordList;

static int
compare_spans(ByteSpan a, ByteSpan b)
{
	int order = memcmp(a.data, b.data, Min(a.length, b.length));

	return order != 0 ? order : (a.length > b.length) - (a.length < b.length);
}

static int
compare_replacements(const void *a, const void *b)
{
	return compare_spans(((const WordReplacement *) a)->from, ((const WordReplacement *) b)->from);
}

/* Returns the normalized form of a string in the database's encoding. */
static ByteSpan
normalize_string(const char *data, Size length)
{
	ByteSpan utf8 = ServerToUtf8(data, length);
	ByteBuffer normalized = NormalizeUtf8(utf8);

	Utf8Release(utf8, data);
	return (ByteSpan){normalized.data, normalized.used};
}

static int
count_words(ByteSpan normalized)
{
	int words = 1;

	for (Size i = 0; i < normalized.length; i++)
		words += normalized.data[i] == ' ';
	return words;
}

nd_noreturn static void
refuse_list(const char *detail)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("word list is not valid"),
					errdetail("%s", detail),
					errhint("A list is a JSON object of words and what replaces them, such as "
							"{\"street\": \"st\", \"the\": null}.")));
}

/* Returns a replacement of a key and its value. */
static WordReplacement
make_replacement(const JsonbValue *key, const JsonbValue *value)
{
	WordReplacement replacement = {.to = {"", 0}};

	replacement.from = normalize_string(key->val.string.val, key->val.string.len);
	if (replacement.from.length == 0)
		refuse_list(
			psprintf("The key \"%.*s\" has no word.", key->val.string.len, key->val.string.val));
	if (value->type == jbvString)
		replacement.to = normalize_string(value->val.string.val, value->val.string.len);
	else if (value->type != jbvNull)
		refuse_list(psprintf("The value of \"%.*s\" is neither a string nor null.",
							 key->val.string.len, key->val.string.val));
	return replacement;
}

/* Sorts the list, and refuses it where it has two values for the same words. */
static void
sort_replacements(WordList *list)
{
	qsort(list->replacements, list->count, sizeof(WordReplacement), compare_replacements);
	for (int i = 1; i < list->count; i++)
	{
		WordReplacement *a = &list->replacements[i - 1];
		WordReplacement *b = &list->replacements[i];

		CHECK_FOR_INTERRUPTS();
		if (compare_spans(a->from, b->from) == 0 && compare_spans(a->to, b->to) != 0)
		{
			text *words = Utf8ToText(a->from.data, a->from.length);

			refuse_list(psprintf("There are two values for \"%s\", after normalization.",
								 text_to_cstring(words)));
		}
	}
}

/* Reads a list, in the current memory context. */
static void
read_list(WordList *list)
{
	Jsonb *source = list->source;
	JsonbIterator *iterator;
	JsonbIteratorToken token;
	JsonbValue key;
	JsonbValue value;

	if (!JB_ROOT_IS_OBJECT(source))
		refuse_list("It is not a JSON object.");
	list->replacements = palloc(Max(JB_ROOT_COUNT(source), 1) * sizeof(WordReplacement));
	iterator = JsonbIteratorInit(&source->root);
	token = JsonbIteratorNext(&iterator, &key, true);
	Assert(token == WJB_BEGIN_OBJECT);
	while ((token = JsonbIteratorNext(&iterator, &key, true)) == WJB_KEY)
	{
		WordReplacement *replacement = &list->replacements[list->count];

		CHECK_FOR_INTERRUPTS();
		JsonbIteratorNext(&iterator, &value, true);
		*replacement = make_replacement(&key, &value);
		list->most_words = Max(list->most_words, count_words(replacement->from));
		list->count++;
	}
	sort_replacements(list);
}

/* Returns the list of a call: that of the call before, if it is the same. */
static const WordList *
list_of_call(FunctionCallInfo fcinfo, const Jsonb *source)
{
	WordList *list = fcinfo->flinfo->fn_extra;
	MemoryContext context;
	MemoryContext before;

	if (list != NULL && VARSIZE(list->source) == VARSIZE(source) &&
		memcmp(list->source, source, VARSIZE(source)) == 0)
		return list;
	fcinfo->flinfo->fn_extra = NULL;
	if (list != NULL)
		MemoryContextDelete(list->context);
	context =
		AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "neardup word list", ALLOCSET_DEFAULT_SIZES);
	before = MemoryContextSwitchTo(context);
	list = palloc0(sizeof(WordList));
	list->context = context;
	list->source = palloc(VARSIZE(source));
	memcpy(list->source, source, VARSIZE(source));
	read_list(list);
	MemoryContextSwitchTo(before);
	return fcinfo->flinfo->fn_extra = list;
}

static const WordReplacement *
find_replacement(const WordList *list, ByteSpan words)
{
	WordReplacement wanted = {.from = words};

	return bsearch(&wanted, list->replacements, list->count, sizeof(WordReplacement),
				   compare_replacements);
}

/* Returns the end of the word at p. */
static const char *
end_of_word(const char *p, const char *end)
{
	const char *blank = memchr(p, ' ', end - p);

	return blank != NULL ? blank : end;
}

/*
 * Returns the replacement of the longest key that stands at p, or NULL, and sets *next to the end of that
 * key, or else of the word.
 */
static const WordReplacement *
longest_replacement(const WordList *list, const char *p, const char *end, const char **next)
{
	const char *word_end = end_of_word(p, end);
	const WordReplacement *longest = NULL;

	*next = word_end;
	for (int words = 1; words <= list->most_words; words++)
	{
		const WordReplacement *found = find_replacement(list, (ByteSpan){p, word_end - p});

		CHECK_FOR_INTERRUPTS();
		if (found != NULL)
		{
			longest = found;
			*next = word_end;
		}
		if (word_end == end)
			break;
		word_end = end_of_word(word_end + 1, end);
	}
	return longest;
}

/* Returns a normalized text with its words replaced; one of which nothing would be left as it is. */
static ByteBuffer
replace(ByteSpan normalized, const WordList *list)
{
	const char *p = normalized.data;
	const char *end = p + normalized.length;
	ByteBuffer replaced;

	ByteBufferInit(&replaced, normalized.length);
	while (p < end)
	{
		const char *next;
		const WordReplacement *replacement = longest_replacement(list, p, end, &next);
		ByteSpan words = replacement != NULL ? replacement->to : (ByteSpan){p, next - p};

		CHECK_FOR_INTERRUPTS();
		if (words.length > 0 && replaced.used > 0)
			ByteBufferAppend(&replaced, " ", 1);
		ByteBufferAppend(&replaced, words.data, words.length);
		p = next < end ? next + 1 : end;
	}
	if (replaced.used == 0)
		ByteBufferAppend(&replaced, normalized.data, normalized.length);
	return replaced;
}

Datum
replace_words(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	const WordList *list = list_of_call(fcinfo, PG_GETARG_JSONB_P(1));
	ByteSpan normalized = normalize_string(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	ByteBuffer replaced = replace(normalized, list);

	PG_RETURN_TEXT_P(Utf8ToText(replaced.data, replaced.used));
}
