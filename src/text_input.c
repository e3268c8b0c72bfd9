/*
 * text_input.c
 *		Parts of the input functions of types.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"

#include "text_input.h"

/* The most bytes of an input that an error message shows. */
#define QUOTED_BYTES 200

char *
InputQuote(const char *text)
{
	int length = (int) strnlen(text, QUOTED_BYTES + MAX_MULTIBYTE_CHAR_LEN);
	int quoted = pg_mbcliplen(text, length, QUOTED_BYTES);

	return psprintf("%.*s%s", quoted, text, quoted < length ? "..." : "");
}

const char *
InputSkipBlanks(const char *at)
{
	while (*at == ' ' || (*at >= '\t' && *at <= '\r'))
		at++;
	return at;
}

void
InputSyntaxError(const TextInput *input, const char *expected)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("invalid input syntax for type %s: \"%s\"", input->type,
						   InputQuote(input->text)),
					errdetail("Expected %s at character %d.", expected,
							  pg_mbstrlen_with_len(input->text, input->at - input->text) + 1),
					input->hint != NULL ? errhint("%s", input->hint) : 0));
}

bool
InputTake(TextInput *input, const char *symbol)
{
	size_t length = strlen(symbol);

	(void) InputNext(input);
	if (strncmp(input->at, symbol, length) != 0)
		return false;
	input->at += length;
	return true;
}

void
InputExpect(TextInput *input, const char *symbol, const char *expected)
{
	if (!InputTake(input, symbol))
		InputSyntaxError(input, expected);
}

void
InputExpectEnd(TextInput *input)
{
	if (InputNext(input) != '\0')
		InputSyntaxError(input, "the end of the text");
}

char *
InputUpTo(TextInput *input, const char *ends)
{
	const char *start = input->at;

	input->at += strcspn(start, ends);
	if (*input->at != '\0')
		input->at++;
	return pnstrdup(start, input->at - start);
}

void
InputBinaryError(const char *type, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid binary form of type %s", type), errdetail_internal("%s", detail)));
}

void
InputBinaryVersion(StringInfo buffer, const char *type, int version)
{
	int found = pq_getmsgbyte(buffer);

	if (found != version)
		InputBinaryError(type, psprintf("Its version is %d, not %d.", found, version));
}
