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
 * Between blanks that are further apart, as in Chinese, what a letter becomes may depend on its
 * neighbours: a blank comes between two of them, a mark joins the letter before it. There a text is
 * cut where it makes no difference: what is behind the cut, transliterated alone, is the end of what
 * it is together with the piece. The piece becomes what is before that end.
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

/* Bytes behind a cut that are looked at, at most, and the number of cuts that are tried. */
#define BEHIND 64
#define MOST_CUTS 32

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
 * Returns a piece, of not many more than PIECE bytes, in Latin letters, allocated. ICU repeats half a
 * character for an iteration mark of Japanese behind one beyond the first 65536: that half becomes a
 * blank.
 */
static ByteSpan
latin_of(const char *piece, const char *end)
{
	int32 length = (int32) (end - piece);
	int32 capacity = length * LONGEST_LATIN;
	UChar *units = palloc(capacity * sizeof(UChar));
	UErrorCode status = U_ZERO_ERROR;
	int32 count;
	int32 limit;
	int32 bytes;
	char *latin;

	u_strFromUTF8(units, capacity, &count, piece, length, &status);
	check_icu(status);
	limit = count;
	utrans_transUChars(get_transliterator(), units, &count, capacity, 0, &limit, &status);
	check_icu(status);
	latin = palloc(3 * (Size) count + 1);
	u_strToUTF8WithSub(latin, 3 * count, &bytes, units, count, ' ', NULL, &status);
	check_icu(status);
	pfree(units);
	return (ByteSpan){latin, bytes};
}

static void
append_latin(ByteBuffer *latin, const char *piece, const char *end)
{
	ByteSpan span = {piece, end - piece};
	ByteSpan letters;

	if (Utf8IsAscii(span))
	{
		ByteBufferAppend(latin, span.data, span.length);
		return;
	}
	letters = latin_of(piece, end);
	ByteBufferAppend(latin, letters.data, letters.length);
	pfree((char *) letters.data);
}

/* Returns the start of the character that a byte belongs to. */
static const char *
character_start(const char *p)
{
	while ((*p & 0xC0) == 0x80)
		p--;
	return p;
}

/*
 * Appends what is before a cut, if the text may be cut there, and returns whether it may. `end`, which is
 * behind the cut, is that of the bytes that are looked at.
 */
static bool
append_cut(ByteBuffer *latin, const char *piece, const char *cut, const char *end)
{
	ByteSpan together = latin_of(piece, end);
	ByteSpan behind = latin_of(cut, end);
	bool may_cut =
		behind.length <= together.length &&
		memcmp(together.data + together.length - behind.length, behind.data, behind.length) == 0;

	if (may_cut)
		ByteBufferAppend(latin, together.data, together.length - behind.length);
	pfree((char *) together.data);
	pfree((char *) behind.data);
	return may_cut;
}

/* Appends a piece of a text that has no blank there, and returns its end. */
static const char *
append_part(ByteBuffer *latin, const char *piece, const char *text_end)
{
	const char *last = character_start(piece + PIECE);
	const char *cut = last;

	if (Utf8IsAscii((ByteSpan){piece, Min(PIECE + BEHIND, text_end - piece)}))
	{
		append_latin(latin, piece, last);
		return last;
	}
	for (int tries = 0; tries < MOST_CUTS; tries++)
	{
		const char *end = text_end - cut > BEHIND ? character_start(cut + BEHIND) : text_end;

		CHECK_FOR_INTERRUPTS();
		if (append_cut(latin, piece, cut, end))
			return cut;
		cut = character_start(cut - 1);
	}
	append_latin(latin, piece, last);
	return last;
}

/* Returns the end of the piece at p: all that is left, or behind the last ASCII blank of PIECE bytes; else NULL. */
static const char *
piece_end(const char *p, const char *end)
{
	if (end - p <= PIECE)
		return end;
	for (const char *blank = p + PIECE; blank > p; blank--)
	{
		if (blank[-1] == ' ' || blank[-1] == '\n')
			return blank;
	}
	return NULL;
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

		CHECK_FOR_INTERRUPTS();
		if (next == NULL)
			next = append_part(&latin, p, end);
		else
			append_latin(&latin, p, next);
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
