/*
 * encoding.c
 *		Conversion to and from UTF-8.
 *
 * Server encodings other than UTF-8 are converted by PostgreSQL's own functions, whose input must
 * be shorter than 1 GB, as any text is.
 */
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "compat.h"
#include "text/encoding.h"

/* Raises character_not_in_repertoire unless the bytes are valid UTF-8. */
static void
check_utf8(const char *data, Size length)
{
	int valid = pg_encoding_verifymbstr(PG_UTF8, data, (int) length);

	if (valid < (int) length)
		ereport(ERROR,
				(errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE), errmsg("text is not valid UTF-8"),
				 errdetail("The byte at offset %d, 0x%02x, does not begin a valid character; "
						   "the database encoding is SQL_ASCII, so nothing checked it before.",
						   valid, (unsigned char) data[valid]),
				 errhint("Convert the text to UTF-8 first, for example with "
						 "convert(bytea, source encoding, 'UTF8').")));
}

ByteSpan
ServerToUtf8OrRaw(const char *data, Size length)
{
	ByteSpan utf8 = {data, length};

	if (GetDatabaseEncoding() != PG_UTF8 && GetDatabaseEncoding() != PG_SQL_ASCII)
	{
		utf8.data = pg_server_to_any(data, (int) length, PG_UTF8);
		if (utf8.data != data)
			utf8.length = strlen(utf8.data);
	}
	return utf8;
}

ByteSpan
ServerToUtf8(const char *data, Size length)
{
	if (GetDatabaseEncoding() == PG_SQL_ASCII)
		check_utf8(data, length);
	return ServerToUtf8OrRaw(data, length);
}

void
Utf8Release(ByteSpan utf8, const char *data)
{
	if (utf8.data != data)
		pfree((void *) utf8.data);
}

text *
Utf8ToText(const char *data, Size length)
{
	char *converted;
	text *result;

	if (length > MaxAllocSize - VARHDRSZ)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("result text is too long"),
						errdetail("It would take %zu bytes; a text holds at most %zu.", length,
								  MaxAllocSize - VARHDRSZ)));
	converted = pg_any_to_server(data, (int) length, PG_UTF8);
	if (converted == data)
		return cstring_to_text_with_len(data, (int) length);
	result = cstring_to_text(converted);
	pfree(converted);
	return result;
}
