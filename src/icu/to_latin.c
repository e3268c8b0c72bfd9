/*
 * to_latin.c
 *		Letters of any script as Latin ones, by ICU.
 *
 * ICU's rules write each script in Latin letters, and then Latin letters in ASCII. Between the two, the
 * signs go that stand for a soft sign, a hamza or an ayin: Latin-ASCII would make them apostrophes,
 * which end a word.
 *
 * ICU neither allocates in memory contexts nor lets itself be cancelled. So a text is transliterated
 * in pieces, of whole words where words are not longer than a piece. A piece of ASCII alone is
 * copied.
 *
 * The results are those of one version of ICU, as with collations: the functions are immutable, and
 * who updates ICU must rebuild what was computed with the earlier one.
 */
#include "postgres.h"

#include <unicode/ustring.h>
#include <unicode/utrans.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "compat.h"
#include "text/encoding.h"
#include "text/unicode.h"

PG_FUNCTION_INFO_V1(to_latin);
PG_FUNCTION_INFO_V1(neardup_icu_version);

/* Bytes of a piece, at most. */
#define PIECE 512

/* Code units for which there is room when a piece has become Latin, for each of its bytes. */
#define LONGEST_LATIN 32

static const UChar rules[] = u"Any-Latin; [\\u02B9-\\u02BF] Remove; Latin-ASCII";

/* Opened at the first call, and kept. */
static UTransliterator *transliterator = NULL;

static void
check_icu(UErrorCode status)
{
	if (U_FAILURE(status))
		ereport(ERROR,
				(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("ICU could not transliterate"),
				 errdetail("ICU reports %s.", u_errorName(status))));
}

static const UTransliterator *
get_transliterator(void)
{
	UErrorCode status = U_ZERO_ERROR;

	if (transliterator == NULL)
		transliterator = utrans_openU(rules, -1, UTRANS_FORWARD, NULL, 0, NULL, &status);
	if (U_FAILURE(status))
		transliterator = NULL;
	check_icu(status);
	return transliterator;
}

/*
 * Appends a piece of at most PIECE bytes in Latin letters. ICU repeats half a character for an
 * iteration mark of Japanese behind one beyond the first 65536: that half becomes a blank.
 */
static void
append_latin(ByteBuffer *latin, const char *piece, int32 length)
{
	int32 capacity = length * LONGEST_LATIN;
	UChar *units = palloc(capacity * sizeof(UChar));
	UErrorCode status = U_ZERO_ERROR;
	int32 count;
	int32 limit;
	int32 bytes;

	u_strFromUTF8(units, capacity, &count, piece, length, &status);
	check_icu(status);
	limit = count;
	utrans_transUChars(get_transliterator(), units, &count, capacity, 0, &limit, &status);
	check_icu(status);
	ByteBufferReserve(latin, 3 * (Size) count);
	u_strToUTF8WithSub(latin->data + latin->used, 3 * count, &bytes, units, count, ' ', NULL,
					   &status);
	check_icu(status);
	latin->used += bytes;
	pfree(units);
}

/*
 * Returns the end of the piece at p: all that is left, or behind the last ASCII blank that a piece may
 * have, or else before a character.
 */
static const char *
piece_end(const char *p, const char *end)
{
	const char *last = p + PIECE;

	if (end - p <= PIECE)
		return end;
	for (const char *blank = last; blank > p; blank--)
	{
		if (blank[-1] == ' ' || blank[-1] == '\n')
			return blank;
	}
	while ((*last & 0xC0) == 0x80)
		last--;
	return last;
}

/* An ASCII text is returned as it is, whatever the encoding. */
Datum
to_latin(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	ByteSpan server = {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
	ByteSpan utf8;
	ByteBuffer latin;
	const char *end;

	if (Utf8IsAscii(server))
		PG_RETURN_TEXT_P(value);
	utf8 = ServerToUtf8(server.data, server.length);
	end = utf8.data + utf8.length;
	ByteBufferInit(&latin, utf8.length);
	for (const char *p = utf8.data; p < end;)
	{
		const char *next = piece_end(p, end);
		ByteSpan piece = {p, next - p};

		CHECK_FOR_INTERRUPTS();
		if (Utf8IsAscii(piece))
			ByteBufferAppend(&latin, piece.data, piece.length);
		else
			append_latin(&latin, piece.data, (int32) piece.length);
		p = next;
	}
	PG_RETURN_TEXT_P(Utf8ToText(latin.data, latin.used));
}

Datum
neardup_icu_version(PG_FUNCTION_ARGS)
{
	UVersionInfo version;
	char name[U_MAX_VERSION_STRING_LENGTH];

	u_getVersion(version);
	u_versionToString(version, name);
	PG_RETURN_TEXT_P(cstring_to_text(name));
}
