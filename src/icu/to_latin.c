/*
 * to_latin.c
 *		Letters of any script as Latin ones, by ICU.
 *
 * ICU's rules write each script in Latin letters, and then Latin letters in ASCII. Between the
 * two, the signs go that stand for a soft sign, a hamza or an ayin: Latin-ASCII would make them
 * apostrophes, which end a word.
 *
 * ICU neither allocates in memory contexts nor lets itself be cancelled, and its time grows with
 * the square of the length. So a text is transliterated in pieces. What a character becomes
 * depends on others. Signs that several scripts share are read by the scripts before and behind
 * them. Marks are sorted, and join the letter before them. An iteration mark repeats what is
 * before it, even a blank. A blank comes between two Chinese letters, and between words of Thai.
 * So a piece begins with a letter of one script, unless the piece would be too long.
 *
 * A blank between two letters of the same script makes them independent. Elsewhere a text is cut
 * where it makes no difference: what is behind the cut, transliterated alone, is the end of what
 * it is together with the piece. The piece becomes what is before that end.
 *
 * The results are those of one version of ICU, as with collations: the functions are immutable,
 * and who updates ICU must rebuild what was computed with the earlier one.
 */
#include "postgres.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>
#include <unicode/ustring.h>
#include <unicode/utf8.h>
#include <unicode/utrans.h>

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "compat.h"
#include "text/encoding.h"
#include "text/unicode.h"

PG_FUNCTION_INFO_V1(to_latin);
PG_FUNCTION_INFO_V1(neardup_icu_version);

/* Bytes of a piece, and of one that has no place for a cut in as many. */
#define PIECE 512
#define LONGEST_PIECE (8 * PIECE)

/* Bytes behind the last possible cut that are looked at, and the number of cuts that are tried. */
#define BEHIND 64
#define MOST_TRIES 32

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
 * Returns characters in Latin letters, allocated. ICU repeats half a character for an iteration
 * mark of Japanese behind one beyond the first 65536: that half becomes a blank.
 */
static ByteSpan
latin_of(const char *start, const char *end)
{
	int32 length = (int32) (end - start);
	int32 capacity = length * LONGEST_LATIN;
	UErrorCode status = U_ZERO_ERROR;
	UChar *units;
	int32 count;
	int32 limit;
	int32 bytes;
	char *latin;

	if (Utf8IsAscii((ByteSpan){start, length}))
		return (ByteSpan){pnstrdup(start, length), length};
	units = palloc(capacity * sizeof(UChar));
	u_strFromUTF8(units, capacity, &count, start, length, &status);
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
	ByteSpan letters = latin_of(piece, end);

	ByteBufferAppend(latin, letters.data, letters.length);
	pfree((char *) letters.data);
}

/* Returns the start of the character that a byte belongs to. */
static const char *
character_start(const char *p)
{
	while (U8_IS_TRAIL(*p))
		p--;
	return p;
}

/* Returns the script of a letter that modifies no other, else USCRIPT_COMMON. */
static UScriptCode
letter_script(const char *character)
{
	UErrorCode status = U_ZERO_ERROR;
	UChar32 c;

	U8_GET_UNSAFE((const uint8 *) character, 0, c);
	if ((U_GET_GC_MASK(c) & U_GC_L_MASK & ~U_GC_LM_MASK) == 0)
		return USCRIPT_COMMON;
	return uscript_getScript(c, &status);
}

/* Returns the last letter in (from, to] that a blank parts from one of the same script, or NULL. */
static const char *
last_word(const char *from, const char *to)
{
	for (const char *cut = to; cut > from + 1; cut--)
	{
		UScriptCode script;

		if (cut[-1] != ' ' && cut[-1] != '\n')
			continue;
		script = letter_script(cut);
		if (script != USCRIPT_COMMON && script == letter_script(character_start(cut - 2)))
			return cut;
	}
	return NULL;
}

static bool
ends_with(ByteSpan text, ByteSpan end)
{
	return text.length >= end.length &&
		   memcmp(text.data + text.length - end.length, end.data, end.length) == 0;
}

/*
 * Appends the piece up to the last letter in (from, to] before which a cut makes no difference, and
 * returns that letter, or NULL if none was found.
 */
static const char *
append_cut(ByteBuffer *latin, const char *piece, const char *from, const char *to,
		   const char *text_end)
{
	const char *end = text_end - to > BEHIND ? character_start(to + BEHIND) : text_end;
	ByteSpan together = latin_of(piece, end);
	const char *found = NULL;
	int tries = 0;

	for (const char *cut = character_start(to); cut > from && tries < MOST_TRIES && found == NULL;
		 cut = character_start(cut - 1))
	{
		ByteSpan behind;

		if (letter_script(cut) == USCRIPT_COMMON)
			continue;
		CHECK_FOR_INTERRUPTS();
		behind = latin_of(cut, end);
		tries++;
		if (ends_with(together, behind))
		{
			ByteBufferAppend(latin, together.data, together.length - behind.length);
			found = cut;
		}
		pfree((char *) behind.data);
	}
	pfree((char *) together.data);
	return found;
}

/* Appends the piece that begins at p, and returns its end. */
static const char *
append_piece(ByteBuffer *latin, const char *p, const char *text_end)
{
	const char *from = p;

	while (from < p + LONGEST_PIECE && text_end - from > PIECE)
	{
		const char *to = from + PIECE;
		const char *cut = last_word(from, to);

		if (cut != NULL)
			append_latin(latin, p, cut);
		else
			cut = append_cut(latin, p, from, to, text_end);
		if (cut != NULL)
			return cut;
		from = to;
	}
	if (text_end - from > PIECE)
		text_end = character_start(from);
	append_latin(latin, p, text_end);
	return text_end;
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
		CHECK_FOR_INTERRUPTS();
		p = append_piece(&latin, p, end);
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
