/*
 * field_token.c
 *		The token of a part of a field.
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "fields/field_token.h"
#include "text/token_of_bytes.h"

Token
FieldToken(const char *format, ...)
{
	StringInfoData text;
	Token token;
	int needed = 0;

	initStringInfo(&text);
	do
	{
		va_list arguments;

		if (needed > 0)
			enlargeStringInfo(&text, needed);
		va_start(arguments, format);
		needed = appendStringInfoVA(&text, format, arguments);
		va_end(arguments);
	} while (needed != 0);
	token = TokenOfBytes(text.data, text.len);
	pfree(text.data);
	return token;
}
