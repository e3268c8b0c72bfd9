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
 * become.
 *
 * Runs of ASCII are copied. A stretch is what stands between two of them, and the character before
 * it, on which a mark may stand. It is decomposed into the array `pending` and written in chunks,
 * lest a long stretch take memory of many times its size. A chunk ends before a character that
 * cannot compose with what precedes it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "text/compose.h"
#include "text/decompose.h"
#include "text/simple_fold.h"
#include "text/strip_marks.h"
#include "text/unicode.h"

/* Code points of a chunk. */
#define CHUNK 4096

#define ARABIC_TATWEEL 0x0640
#define ARABIC_ALEF 0x0627
#define ARABIC_ALEF_WASLA 0x0671

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
	{0x0188, "c"}, {0x0189, "D"}, {0x018A, "D"}, {0x018B, "D"}, {0x018C, "d"}, {0x0190, "E"},
	{0x0191, "F"}, {0x0192, "f"}, {0x0193, "G"}, {0x0197, "I"}, {0x0198, "K"}, {0x0199, "k"},
	{0x019A, "l"}, {0x019D, "N"}, {0x019E, "n"}, {0x019F, "O"}, {0x01A4, "P"}, {0x01A5, "p"},
	{0x01AB, "t"}, {0x01AC, "T"}, {0x01AD, "t"}, {0x01AE, "T"}, {0x01B2, "V"}, {0x01B3, "Y"},
	{0x01B4, "y"}, {0x01B5, "Z"}, {0x01B6, "z"}, {0x01E4, "G"}, {0x01E5, "g"}, {0x0220, "N"},
	{0x0221, "d"}, {0x0224, "Z"}, {0x0225, "z"}, {0x0234, "l"}, {0x0235, "n"}, {0x0236, "t"},
	{0x0237, "j"}, {0x023A, "A"}, {0x023B, "C"}, {0x023C, "c"}, {0x023D, "L"}, {0x023E, "T"},
	{0x023F, "s"}, {0x0240, "z"}, {0x0243, "B"}, {0x0246, "E"}, {0x0247, "e"}, {0x0248, "J"},
	{0x0249, "j"}, {0x024B, "q"}, {0x024C, "R"}, {0x024D, "r"}, {0x024E, "Y"}, {0x024F, "y"},
	{0x0253, "b"}, {0x0254, "o"}, {0x0256, "d"}, {0x0257, "d"}, {0x025B, "e"}, {0x0260, "g"},
	{0x0266, "h"}, {0x0268, "i"}, {0x026B, "l"}, {0x026C, "l"}, {0x0271, "m"}, {0x0272, "n"},
	{0x0275, "o"}, {0x027D, "r"}, {0x0282, "s"}, {0x0288, "t"}, {0x028B, "v"}, {0x029D, "j"},
	{0x1E9E, "SS"}, {0x2C60, "L"}, {0x2C61, "l"}, {0x2C62, "L"}, {0x2C63, "P"}, {0x2C64, "R"},
	{0x2C65, "a"}, {0x2C66, "t"}, {0x2C67, "H"}, {0x2C68, "h"}, {0x2C69, "K"}, {0x2C6A, "k"},
	{0x2C6B, "Z"}, {0x2C6C, "z"}, {0x2C6E, "M"}, {0x2C71, "v"}, {0x2C72, "W"}, {0x2C73, "w"},
	{0x2C74, "v"}, {0x2C78, "e"}, {0x2C7A, "o"}, {0x2C7E, "S"}, {0x2C7F, "Z"},
};
/* clang-format on */

typedef struct MarkStripper
{
	ByteBuffer out;
	int32 *pending;
	Size count;
	Size capacity;
	bool on_symbol; /* the last character that is no mark is a symbol */
} MarkStripper;

static inline bool
is_symbol(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_SM && category <= UTF8PROC_CATEGORY_SO;
}

static void
append(MarkStripper *stripper, int32 codepoint)
{
	ARRAY_MAKE_ROOM(stripper->pending, stripper->count, stripper->capacity);
	stripper->pending[stripper->count++] = codepoint;
}

/* Returns the letters that a Latin letter becomes, or NULL. */
static const char *
fold_letter(int32 codepoint)
{
	int low = 0;
	int high = lengthof(folded_letters) - 1;

	if (codepoint > folded_letters[high].codepoint)
		return NULL;
	while (low <= high)
	{
		int middle = (low + high) / 2;

		if (codepoint == folded_letters[middle].codepoint)
			return folded_letters[middle].letters;
		if (codepoint < folded_letters[middle].codepoint)
			high = middle - 1;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Appends a code point of a decomposition, or what remains of it. */
static void
strip(MarkStripper *stripper, int32 codepoint)
{
	const char *letters;

	/* Composition would make this mark a letter, which has no place on a symbol either. */
	if (codepoint == YPOGEGRAMMENI)
		return;
	if (UnicodeIsMark(codepoint))
	{
		if (stripper->on_symbol || !CodePointInRanges(codepoint, stripped, lengthof(stripped)))
			append(stripper, codepoint);
		return;
	}
	stripper->on_symbol = is_symbol(codepoint);
	letters = fold_letter(codepoint);
	if (letters != NULL)
	{
		for (; *letters != '\0'; letters++)
			append(stripper, *letters);
	}
	else if (codepoint == ARABIC_ALEF_WASLA)
		append(stripper, ARABIC_ALEF);
	else if (codepoint != ARABIC_TATWEEL)
		append(stripper, codepoint);
}

/* Composes and writes the pending code points. */
static void
write_pending(MarkStripper *stripper)
{
	Size composed = ComposeCanonical(stripper->pending, stripper->count);
	char *out;

	ByteBufferReserve(&stripper->out, 4 * composed);
	out = stripper->out.data + stripper->out.used;
	for (Size i = 0; i < composed; i++)
	{
		CHECK_FOR_INTERRUPTS();
		out = Utf8Encode(out, stripper->pending[i]);
	}
	stripper->out.used = out - stripper->out.data;
	stripper->count = 0;
}

/* Strips the characters from p up to the next ASCII character, which it returns. */
static const uint8 *
strip_stretch(MarkStripper *stripper, const uint8 *p, const uint8 *end)
{
	while (p < end && *p >= 0x80)
	{
		int32 decomposed[LONGEST_DECOMPOSITION];
		int32 codepoint;
		Size count;

		CHECK_FOR_INTERRUPTS();
		p += Utf8Decode(p, end, &codepoint);
		if (stripper->count >= CHUNK && SimpleFold(codepoint) != 0)
			write_pending(stripper);
		count = DecomposeCanonical(codepoint, decomposed);
		for (Size j = 0; j < count; j++)
			strip(stripper, decomposed[j]);
	}
	write_pending(stripper);
	return p;
}

ByteBuffer
StripMarks(ByteSpan utf8)
{
	const uint8 *p = (const uint8 *) utf8.data;
	const uint8 *end = p + utf8.length;
	MarkStripper stripper = {.pending = NULL};

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
		if (*p < 0x80)
			strip(&stripper, *p++);
		p = strip_stretch(&stripper, p, end);
	}
	if (stripper.pending != NULL)
		pfree(stripper.pending);
	return stripper.out;
}
