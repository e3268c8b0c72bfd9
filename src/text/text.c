/*
 * text.c
 *		The SQL functions from text to text, or to an array of texts.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "text/code_words.h"
#include "text/encoding.h"
#include "text/fold_letters.h"
#include "text/log_words.h"
#include "text/normalize.h"
#include "text/number_words.h"
#include "text/strip_ids.h"
#include "text/strip_marks.h"
#include "text/strip_numbers.h"
#include "text/strip_tags.h"
#include "text/unicode.h"

PG_FUNCTION_INFO_V1(normalize_text);
PG_FUNCTION_INFO_V1(strip_tags);
PG_FUNCTION_INFO_V1(strip_numbers);
PG_FUNCTION_INFO_V1(strip_ids);
PG_FUNCTION_INFO_V1(number_words);
PG_FUNCTION_INFO_V1(strip_marks);
PG_FUNCTION_INFO_V1(fold_letters);
PG_FUNCTION_INFO_V1(code_words);
PG_FUNCTION_INFO_V1(log_words);
PG_FUNCTION_INFO_V1(neardup_unicode_version);

/*
 * Raises untranslatable_character where the database's encoding lacks a character of the result:
 * the micro sign of LATIN1 becomes a Greek letter.
 */
Datum
normalize_text(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	ByteBuffer normalized =
		NormalizeUtf8(ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)));

	PG_RETURN_TEXT_P(Utf8ToText(normalized.data, normalized.used));
}

/* Needs no conversion to UTF-8: no server encoding has ASCII bytes within other characters. */
Datum
strip_tags(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	Size length = VARSIZE_ANY_EXHDR(value);
	text *result = palloc(VARHDRSZ + length);

	length = StripTags(VARDATA_ANY(value), length, VARDATA(result));
	SET_VARSIZE(result, VARHDRSZ + length);
	PG_RETURN_TEXT_P(result);
}

/* Returns a new text with what `shorten` copies of the given text, which is never longer. */
static text *
shorten_text(text *value, Size (*shorten)(ByteSpan utf8, char *out))
{
	ByteSpan utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	char *copy = MemoryContextAllocHuge(CurrentMemoryContext, utf8.length + 1);
	Size length = shorten(utf8, copy);

	return Utf8ToText(copy, length);
}

Datum
strip_numbers(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(shorten_text(PG_GETARG_TEXT_PP(0), StripNumbers));
}

Datum
strip_ids(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(shorten_text(PG_GETARG_TEXT_PP(0), StripIds));
}

Datum
number_words(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	ByteSpan utf8 = ServerToUtf8(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
	DividedWords divided = DivideNumberWords(utf8);

	PG_RETURN_TEXT_P(Utf8ToText(divided.numbers.data, divided.numbers.used));
}

/* An ASCII text is returned as it is, whatever the encoding. */
Datum
strip_marks(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	ByteSpan server = {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
	ByteBuffer stripped;

	if (Utf8IsAscii(server))
		PG_RETURN_TEXT_P(value);
	stripped = StripMarks(ServerToUtf8(server.data, server.length));
	PG_RETURN_TEXT_P(Utf8ToText(stripped.data, stripped.used));
}

/* The language may be NULL; it raises invalid_parameter_value where it is none of the known ones. */
Datum
fold_letters(PG_FUNCTION_ARGS)
{
	const FoldLanguage *language = NULL;
	text *value;
	ByteSpan server;
	ByteBuffer folded;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (!PG_ARGISNULL(1))
	{
		text *code = PG_GETARG_TEXT_PP(1);

		language = FoldLanguageOfCode((ByteSpan){VARDATA_ANY(code), VARSIZE_ANY_EXHDR(code)});
		if (language == NULL)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no letters are known for this language"),
				 errdetail("The language is \"%s\".", text_to_cstring(code)),
				 errhint("Languages are \"da\", \"de\", \"nb\", \"nl\", \"nn\", \"no\" and \"sv\"; "
						 "NULL is none.")));
	}
	value = PG_GETARG_TEXT_PP(0);
	server = (ByteSpan){VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
	if (Utf8IsAscii(server) && !FoldLanguageFoldsAscii(language))
		PG_RETURN_TEXT_P(value);
	folded = FoldLetters(ServerToUtf8(server.data, server.length), language);
	PG_RETURN_TEXT_P(Utf8ToText(folded.data, folded.used));
}

/* Appends a text in UTF-8 to the elements of an array, in the database's encoding. */
static void
append_element(ByteBuffer *array, ByteSpan utf8)
{
	const char *data = pg_any_to_server(utf8.data, (int) utf8.length, PG_UTF8);
	Size length = data == utf8.data ? utf8.length : strlen(data);
	Size size = INTALIGN(VARHDRSZ + length);
	char *element;

	if (array->used + size > MaxAllocSize)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("result array is too long"),
						errdetail("An array takes at most %zu bytes, and 4 to 7 for each word "
								  "beyond its own.",
								  MaxAllocSize)));
	ByteBufferReserve(array, size);
	element = array->data + array->used;
	memset(element, 0, size);
	SET_VARSIZE(element, VARHDRSZ + length);
	memcpy(VARDATA(element), data, length);
	array->used += size;
	Utf8Release((ByteSpan){data, length}, utf8.data);
}

/*
 * Makes an array of words, which `next` reads, for a text of so many bytes. Makes it in place:
 * construct_array() would need a Datum of each word first.
 */
static ArrayType *
array_of_words(Size text_length, void *reader, bool (*next)(void *reader, ByteSpan *word))
{
	ByteBuffer buffer;
	ByteSpan word;
	int32 count = 0;
	ArrayType *array;

	ByteBufferInit(&buffer, 2 * text_length);
	buffer.used = ARR_OVERHEAD_NONULLS(1);
	for (; next(reader, &word); count++)
	{
		CHECK_FOR_INTERRUPTS();
		append_element(&buffer, word);
	}
	if (count == 0)
		return construct_empty_array(TEXTOID);
	array = (ArrayType *) buffer.data;
	SET_VARSIZE(array, buffer.used);
	array->ndim = 1;
	array->dataoffset = 0;
	array->elemtype = TEXTOID;
	ARR_DIMS(array)[0] = count;
	ARR_LBOUND(array)[0] = 1;
	return array;
}

static bool
next_code_word(void *reader, ByteSpan *word)
{
	return CodeReaderNext(reader, word);
}

static bool
next_log_word(void *reader, ByteSpan *word)
{
	return LogReaderNext(reader, word);
}

Datum
code_words(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	Size length = VARSIZE_ANY_EXHDR(value);
	CodeReader reader;

	CodeReaderInit(&reader, ServerToUtf8(VARDATA_ANY(value), length));
	PG_RETURN_ARRAYTYPE_P(array_of_words(length, &reader, next_code_word));
}

Datum
log_words(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	Size length = VARSIZE_ANY_EXHDR(value);
	LogReader reader;

	LogReaderInit(&reader, ServerToUtf8(VARDATA_ANY(value), length));
	PG_RETURN_ARRAYTYPE_P(array_of_words(length, &reader, next_log_word));
}

Datum
neardup_unicode_version(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(utf8proc_unicode_version()));
}
