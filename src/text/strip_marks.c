/*
 * strip_marks.c
 *		Removal of accents, vowel points and other marks from a text.
 *
 * The text is decomposed canonically, marks are left out, and what remains is composed (NFC).
 * Whether a mark goes depends on the script that it belongs to. In Latin, Greek, Cyrillic, Arabic,
 * Hebrew and Syriac a reader misses little without it, and people often write without it. In the
 * scripts of India and South East Asia a mark is a vowel, and in Japanese it makes another
 * consonant: there marks stay. On a symbol, too, they stay: an equals sign with a stroke is another
 * sign.
 *
 * Letters with a stroke or a hook have no decomposition: a table names the ASCII letters that they
 * become. Another one names the letters of Arabic that are written for each other.
 *
 * A word of nothing but such marks stays, so that no word becomes empty, except that U+0345 always
 * goes. So a mark in front of a word's first letter is kept as `lone` until that letter comes.
 *
 * Runs of ASCII are copied. A stretch is what stands between two of them, and the character before
 * it, on which a mark may stand. It is decomposed into the array `pending` and written in chunks,
 * lest a long stretch take memory of many times its size. A chunk ends before a character that
 * neither composes with what precedes it nor changes places with it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "bisect.h"
#include "text/compose.h"
#include "text/decompose.h"
#include "text/fold_ascii.h"
#include "text/simple_fold.h"
#include "text/strip_marks.h"
#include "text/unicode.h"

/* Code points of a chunk. */
#define CHUNK 4096

#define ARABIC_TATWEEL 0x0640

/* Letters and marks of Thai. Lao has the same ones, LAO further on. */
#define THAI_SARA_AA 0x0E32
#define THAI_SARA_AM 0x0E33
#define THAI_FIRST_TONE 0x0E48
#define THAI_LAST_TONE 0x0E4B
#define THAI_NIKHAHIT 0x0E4D
#define LAO 0x80

#define HEBREW_GERESH 0x05F3
#define HEBREW_GERSHAYIM 0x05F4
#define RIGHT_SINGLE_QUOTE 0x2019
#define RIGHT_DOUBLE_QUOTE 0x201D

#define NO_LONE_MARK SIZE_MAX

/* The blocks whose marks are left out. Other characters of these blocks stay. */
static const CodePointRange stripped[] = {
	{0x0300, 0x036F}, /* on letters of any script */
	{0x0483, 0x0489}, /* Cyrillic */
	{0x0591, 0x05C7}, /* Hebrew */
	{0x0610, 0x061A}, /* Arabic */
	{0x064B, 0x065F}, /* Arabic */
	{0x0670, 0x0670}, /* Arabic */
	{0x06D6, 0x06ED}, /* Arabic */
	{0x0711, 0x074A}, /* Syriac */
	{0x0898, 0x08FF}, /* Arabic */
	{0x1AB0, 0x1AFF}, /* on letters of any script */
	{0x1DC0, 0x1DFF}, /* on letters of any script */
	{0x20D0, 0x20FF}, /* on letters of any script */
	{0x2DE0, 0x2DFF}, /* Cyrillic */
	{0xA66F, 0xA67D}, /* Cyrillic */
	{0xA69E, 0xA69F}, /* Cyrillic */
	{0xFB1E, 0xFB1E}, /* Hebrew */
	{0xFE20, 0xFE2F}, /* on letters of any script */
};

typedef struct FoldedLetter
{
	int32 codepoint;
	char letters[3];
} FoldedLetter;

/*
 * Latin letters without a decomposition, which Unicode names as a letter with something, as far as
 * alphabets have them, and the ligatures and letters that are written as ASCII.
 */
/* clang-format off */
static const FoldedLetter folded_letters[] = {
	{0x00C6, "AE"}, {0x00D0, "D"}, {0x00D8, "O"}, {0x00DE, "TH"}, {0x00DF, "ss"}, {0x00E6, "ae"},
	{0x00F0, "d"}, {0x00F8, "o"}, {0x00FE, "th"}, {0x0110, "D"}, {0x0111, "d"}, {0x0126, "H"},
	{0x0127, "h"}, {0x0131, "i"}, {0x0138, "q"}, {0x0141, "L"}, {0x0142, "l"}, {0x014A, "N"},
	{0x014B, "n"}, {0x0152, "OE"}, {0x0153, "oe"}, {0x0166, "T"}, {0x0167, "t"}, {0x017F, "s"},
	{0x0180, "b"}, {0x0181, "B"}, {0x0182, "B"}, {0x0183, "b"}, {0x0186, "O"}, {0x0187, "C"},
	{0x0188, "c"}, {0x0189, "D"}, {0x018A, "D"}, {0x018B, "D"}, {0x018C, "d"}, {0x018F, "E"},
	{0x0190, "E"}, {0x0191, "F"}, {0x0192, "f"}, {0x0193, "G"}, {0x0197, "I"}, {0x0198, "K"},
	{0x0199, "k"}, {0x019A, "l"}, {0x019D, "N"}, {0x019E, "n"}, {0x019F, "O"}, {0x01A4, "P"},
	{0x01A5, "p"}, {0x01AB, "t"}, {0x01AC, "T"}, {0x01AD, "t"}, {0x01AE, "T"}, {0x01B2, "V"},
	{0x01B3, "Y"}, {0x01B4, "y"}, {0x01B5, "Z"}, {0x01B6, "z"}, {0x01E4, "G"}, {0x01E5, "g"},
	{0x0220, "N"}, {0x0221, "d"}, {0x0224, "Z"}, {0x0225, "z"}, {0x0234, "l"}, {0x0235, "n"},
	{0x0236, "t"}, {0x0237, "j"}, {0x023A, "A"}, {0x023B, "C"}, {0x023C, "c"}, {0x023D, "L"},
	{0x023E, "T"}, {0x023F, "s"}, {0x0240, "z"}, {0x0243, "B"}, {0x0246, "E"}, {0x0247, "e"},
	{0x0248, "J"}, {0x0249, "j"}, {0x024B, "q"}, {0x024C, "R"}, {0x024D, "r"}, {0x024E, "Y"},
	{0x024F, "y"}, {0x0253, "b"}, {0x0254, "o"}, {0x0256, "d"}, {0x0257, "d"}, {0x0259, "e"},
	{0x025B, "e"}, {0x0260, "g"}, {0x0266, "h"}, {0x0268, "i"}, {0x026B, "l"}, {0x026C, "l"},
	{0x0271, "m"}, {0x0272, "n"}, {0x0275, "o"}, {0x027D, "r"}, {0x0282, "s"}, {0x0288, "t"},
	{0x028B, "v"}, {0x029D, "j"}, {0x1E9E, "SS"}, {0x2C60, "L"}, {0x2C61, "l"}, {0x2C62, "L"},
	{0x2C63, "P"}, {0x2C64, "R"}, {0x2C65, "a"}, {0x2C66, "t"}, {0x2C67, "H"}, {0x2C68, "h"},
	{0x2C69, "K"}, {0x2C6A, "k"}, {0x2C6B, "Z"}, {0x2C6C, "z"}, {0x2C6E, "M"}, {0x2C71, "v"},
	{0x2C72, "W"}, {0x2C73, "w"}, {0x2C74, "v"}, {0x2C78, "e"}, {0x2C7A, "o"}, {0x2C7E, "S"},
	{0x2C7F, "Z"},
};
/* clang-format on */

/*
 * Letters that Arabic and Persian keyboards have for each other, or that people write for each other
 * at the end of a word, as search engines for these languages fold them. The results are letters of
 * every encoding that has Arabic ones.
 */
static const struct
{
	int32 codepoint;
	int32 letter;
} arabic_letters[] = {
	{0x0629, 0x0647}, /* teh marbuta: heh */
	{0x0649, 0x064A}, /* alef maksura: yeh */
	{0x0671, 0x0627}, /* alef wasla: alef */
	{0x06A9, 0x0643}, /* keheh: kaf */
	{0x06AA, 0x0643}, /* swash kaf: kaf */
	{0x06C1, 0x0647}, /* heh goal: heh */
	{0x06C3, 0x0647}, /* teh marbuta goal: heh */
	{0x06CC, 0x064A}, /* Farsi yeh: yeh */
	{0x06D5, 0x0647}, /* ae: heh */
};

typedef struct MarkStripper
{
	ByteBuffer out;
	int32 *pending;
	Size count;
	Size capacity;
	const SpelledMark *spelled;
	int spelled_count;
	bool on_symbol; /* the last character that is no mark is a symbol */
	bool has_word;	/* the word so far has a character that stays */
	Size lone;		/* the pending code points from here on are marks that a letter takes away */
	bool has_neighbours; /* a pending code point may move or go because of the next ones */
} MarkStripper;

/* utf8proc numbers the categories of letters, marks and numbers in a row, and those of symbols. */
static inline bool
is_category_between(const utf8proc_property_t *property, int first, int last)
{
	return property->category >= first && property->category <= last;
}

/* Returns whether a character is one that writes an abbreviation or a foreign sound in Hebrew. */
static inline bool
is_hebrew_quote(int32 codepoint)
{
	return codepoint == '"' || codepoint == '\'' || codepoint == HEBREW_GERESH ||
		   codepoint == HEBREW_GERSHAYIM || codepoint == RIGHT_SINGLE_QUOTE ||
		   codepoint == RIGHT_DOUBLE_QUOTE;
}

static inline bool
is_hebrew_letter(int32 codepoint)
{
	return (codepoint >= 0x05D0 && codepoint <= 0x05EA) ||
		   (codepoint >= 0x05EF && codepoint <= 0x05F2);
}

static inline bool
is_thai_or_lao(int32 codepoint)
{
	return codepoint >= 0x0E00 && codepoint <= 0x0EFF;
}

static void
append(MarkStripper *stripper, int32 codepoint)
{
	ARRAY_MAKE_ROOM(stripper->pending, stripper->count, stripper->capacity);
	stripper->pending[stripper->count++] = codepoint;
	stripper->has_neighbours |= is_thai_or_lao(codepoint) || is_hebrew_quote(codepoint);
}

/* Returns the letters that a Latin letter becomes, or NULL. */
static const char *
fold_letter(int32 codepoint)
{
	int last = lengthof(folded_letters) - 1;
	int place = 0;

	if (codepoint > folded_letters[last].codepoint)
		return NULL;
	BISECT(int, place, last, at, folded_letters[at].codepoint < codepoint);
	return folded_letters[place].codepoint == codepoint ? folded_letters[place].letters : NULL;
}

/* Returns the letter that an Arabic letter becomes, and every other character as it is. */
static int32
fold_arabic(int32 codepoint)
{
	if (codepoint >= 0x0600 && codepoint <= 0x06FF)
	{
		for (int i = 0; i < (int) lengthof(arabic_letters); i++)
		{
			if (codepoint == arabic_letters[i].codepoint)
				return arabic_letters[i].letter;
		}
	}
	return codepoint;
}

/* Returns the letter that a language writes for a mark on a letter, or 0. */
static char
spelled_mark(const MarkStripper *stripper, int32 letter, int32 mark)
{
	for (int i = 0; i < stripper->spelled_count; i++)
	{
		const SpelledMark *spelled = &stripper->spelled[i];

		if (letter == spelled->letter && mark == spelled->mark)
			return spelled->second;
	}
	return 0;
}

/* Takes away a mark, or keeps it as long as its word has nothing else. */
static void
strip_mark(MarkStripper *stripper, int32 mark)
{
	int32 letter = stripper->count > 0 ? stripper->pending[stripper->count - 1] : 0;
	char second = spelled_mark(stripper, letter, mark);

	if (second != 0)
		append(stripper, second);
	else if (!stripper->has_word)
	{
		if (stripper->lone == NO_LONE_MARK)
			stripper->lone = stripper->count;
		append(stripper, mark);
	}
}

/* Notes that the word has a character that stays: marks in front of the first one go. */
static void
note_word(MarkStripper *stripper)
{
	if (stripper->lone != NO_LONE_MARK)
		stripper->count = stripper->lone;
	stripper->lone = NO_LONE_MARK;
	stripper->has_word = true;
}

static void
note_end_of_word(MarkStripper *stripper)
{
	stripper->lone = NO_LONE_MARK;
	stripper->has_word = false;
}

/* Appends a character that is no mark, or the letters that it becomes. */
static void
append_folded(MarkStripper *stripper, int32 codepoint)
{
	const char *letters = fold_letter(codepoint);
	char second = spelled_mark(stripper, codepoint, 0);

	if (letters == NULL)
		append(stripper, fold_arabic(codepoint));
	else
	{
		for (; *letters != '\0'; letters++)
			append(stripper, *letters);
		if (second != 0)
			append(stripper, second);
	}
}

/* Appends a code point of a decomposition, or what remains of it. */
static void
strip(MarkStripper *stripper, int32 codepoint)
{
	const utf8proc_property_t *property = utf8proc_get_property(codepoint);
	bool is_mark = is_category_between(property, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME);

	/* Composition would make this mark a letter, which has no place on a symbol either, or alone. */
	if (codepoint == YPOGEGRAMMENI)
		return;
	if (!is_mark)
		stripper->on_symbol =
			is_category_between(property, UTF8PROC_CATEGORY_SM, UTF8PROC_CATEGORY_SO);
	if (codepoint == ARABIC_TATWEEL || (is_mark && !stripper->on_symbol &&
										CodePointInRanges(codepoint, stripped, lengthof(stripped))))
	{
		strip_mark(stripper, codepoint);
		return;
	}
	if (!property->ignorable && !(is_mark && stripper->on_symbol))
	{
		if (is_category_between(property, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_NO))
			note_word(stripper);
		else
			note_end_of_word(stripper);
	}
	append_folded(stripper, codepoint);
}

static inline bool
is_tone(int32 codepoint)
{
	return (codepoint & ~LAO) >= THAI_FIRST_TONE && (codepoint & ~LAO) <= THAI_LAST_TONE;
}

/*
 * Returns whether a tone may be put behind a character: marks stay in canonical order, and a tone
 * passes only one SARA AM, so that it is where it stays the second time.
 */
static inline bool
tone_may_follow(int32 codepoint, int32 tone)
{
	return (codepoint & ~LAO) != THAI_SARA_AM &&
		   UnicodeCombiningClass(codepoint) <= UnicodeCombiningClass(tone);
}

/*
 * Has composed code points of Thai, Lao and Hebrew in one way of those in which they are written, and
 * returns how many remain.
 *
 * SARA AM is a vowel that looks like two, NIKHAHIT and SARA AA, and is also typed as these. A tone
 * is typed before it, behind it, or between the two. The result is the tone and SARA AM.
 *
 * A quote between two Hebrew letters is part of the word: it goes.
 */
static Size
settle_neighbours(int32 *codepoints, Size count)
{
	Size used = 0;

	for (Size i = 0; i < count; i++)
	{
		int32 next = codepoints[i];
		int32 last = used > 0 ? codepoints[used - 1] : 0;
		int32 before = used > 1 ? codepoints[used - 2] : 0;
		int32 earlier = used > 2 ? codepoints[used - 3] : 0;
		int32 lao = next & LAO;

		CHECK_FOR_INTERRUPTS();
		if (is_hebrew_letter(next) && is_hebrew_quote(last) && is_hebrew_letter(before))
			codepoints[used - 1] = next;
		else if (is_tone(next) && last == (THAI_SARA_AM | lao) && tone_may_follow(before, next))
		{
			codepoints[used - 1] = next;
			codepoints[used++] = last;
		}
		else if (next == (THAI_SARA_AA | lao) && last == (THAI_NIKHAHIT | lao))
			codepoints[used - 1] = THAI_SARA_AM | lao;
		else if (next == (THAI_SARA_AA | lao) && before == (THAI_NIKHAHIT | lao) && is_tone(last) &&
				 (last & LAO) == lao && tone_may_follow(earlier, last))
		{
			codepoints[used - 2] = last;
			codepoints[used - 1] = THAI_SARA_AM | lao;
		}
		else
			codepoints[used++] = next;
	}
	return used;
}

/* Composes and writes the pending code points. */
static void
write_pending(MarkStripper *stripper)
{
	Size count = ComposeCanonical(stripper->pending, stripper->count);
	char *out;

	if (stripper->has_neighbours)
		count = settle_neighbours(stripper->pending, count);
	ByteBufferReserve(&stripper->out, 4 * count);
	out = stripper->out.data + stripper->out.used;
	for (Size i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		out = Utf8Encode(out, stripper->pending[i]);
	}
	stripper->out.used = out - stripper->out.data;
	stripper->count = 0;
	stripper->has_neighbours = false;
}

/* Returns whether the last pending code point is such that a quote behind it may go. */
static inline bool
after_hebrew_letter(const MarkStripper *stripper)
{
	return stripper->count > 0 && is_hebrew_letter(stripper->pending[stripper->count - 1]);
}

/* Returns whether a chunk may end before a character: what follows does not change what precedes it. */
static bool
may_begin_chunk(const MarkStripper *stripper, int32 codepoint)
{
	return SimpleFold(codepoint) != 0 && stripper->lone == NO_LONE_MARK &&
		   codepoint != ARABIC_TATWEEL && (codepoint & ~LAO) != THAI_SARA_AA &&
		   !is_hebrew_quote(codepoint) && !is_hebrew_quote(stripper->pending[stripper->count - 1]);
}

/*
 * Strips the characters from p up to the next ASCII character, but for a quote in a Hebrew word, and
 * returns that one's place.
 */
static const uint8 *
strip_stretch(MarkStripper *stripper, const uint8 *p, const uint8 *end)
{
	while (p < end && (*p >= 0x80 || (is_hebrew_quote(*p) && after_hebrew_letter(stripper))))
	{
		int32 decomposed[LONGEST_DECOMPOSITION];
		int32 codepoint;
		Size count;

		CHECK_FOR_INTERRUPTS();
		p += Utf8Decode(p, end, &codepoint);
		if (stripper->count >= CHUNK && may_begin_chunk(stripper, codepoint))
			write_pending(stripper);
		count = DecomposeCanonical(codepoint, decomposed);
		for (Size j = 0; j < count; j++)
			strip(stripper, decomposed[j]);
	}
	if (p < end && ascii_folded[*p] != 0)
		note_word(stripper);
	write_pending(stripper);
	return p;
}

ByteBuffer
StripMarksSpelled(ByteSpan utf8, const SpelledMark *spelled, int spelled_count)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	MarkStripper stripper = {.spelled = spelled, .spelled_count = spelled_count};

	ByteBufferInit(&stripper.out, utf8.length);
	while (p < end)
	{
		const uint8 *block = end - p > 0x100000 ? p + 0x100000 : end;
		const uint8 *ascii = Utf8EndOfAscii(p, block);

		CHECK_FOR_INTERRUPTS();
		/* What follows may be a mark on the last ASCII character. */
		if (ascii > p && ascii < end)
			ascii--;
		ByteBufferAppend(&stripper.out, (const char *) p, ascii - p);
		p = ascii;
		if (p == end)
			break;
		stripper.on_symbol = false;
		note_end_of_word(&stripper);
		if (*p < 0x80)
			strip(&stripper, *p++);
		p = strip_stretch(&stripper, p, end);
	}
	if (stripper.pending != NULL)
		pfree(stripper.pending);
	return stripper.out;
}

ByteBuffer
StripMarks(ByteSpan utf8)
{
	return StripMarksSpelled(utf8, NULL, 0);
}
