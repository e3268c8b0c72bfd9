/*
 * text_input.c
 *		Parts of the input functions of types, most of text.
 */
#include "postgres.h"

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
InputSyntaxError(const char *type, const char *text, const char *at, const char *expected,
				 const char *hint)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					errmsg("invalid input syntax for type %s: \"%s\"", type, InputQuote(text)),
					errdetail("Expected %s at character %d.", expected,
							  pg_mbstrlen_with_len(text, at - text) + 1),
					hint != NULL ? errhint("%s", hint) : 0));
}

void
InputBinaryError(const char *type, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
			 errmsg("invalid binary form of type %s", type), errdetail_internal("%s", detail)));
}
