/*
 * fold_letters.c
 *		Letters that people write for each other, as one letter.
 *
 * The text is stripped of its marks first (strip_marks.c), where a language may say what it writes
 * for a mark, such as "ue". Then each word, a run of letters, marks and numbers, is decoded and
 * folded in place, which never makes it longer:
 *
 * - Kana become full-width katakana, which every encoding that has kana has, and vowels that only
 *   lengthen the one before them become the mark for that, U+30FC. At the end of a longer run of kana
 *   that mark goes.
 * - Letters of Greek, Cyrillic and Armenian that look like Latin ones become these, if all other
 *   letters of the word are Latin.
 * - In Dutch, "ij" becomes "y".
 *
 * ASCII words are copied; those next to another character may be part of a word with it.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "allocate.h"
#include "bisect.h"
#include "text/compose.h"
#include "text/decompose.h"
#include "text/fold_ascii.h"
#include "text/fold_letters.h"
#include "text/strip_marks.h"
#include "text/unicode.h"

#define DIAERESIS 0x0308
#define RING_ABOVE 0x030A
#define LATIN_O_STROKE 0x00F8
#define LATIN_CAPITAL_O_STROKE 0x00D8
#define LATIN_SMALL_IJ 0x0133
#define LATIN_CAPITAL_IJ 0x0132

#define HIRAGANA_FIRST 0x3041
#define HIRAGANA_LAST 0x3096
#define HIRAGANA_FIRST_ITERATION 0x309D
#define HIRAGANA_LAST_ITERATION 0x309E
#define KATAKANA_FROM_HIRAGANA 0x60
#define KANA_VOICED 0x3099
#define KANA_SEMI_VOICED 0x309A
#define KATAKANA_FIRST 0x30A1
#define KATAKANA_FIRST_KA 0x30AB
#define KATAKANA_LAST 0x30FA
#define KATAKANA_LONG 0x30FC
#define KATAKANA_LAST_ITERATION 0x30FE
#define HALFWIDTH_KATAKANA_FIRST 0xFF66
#define HALFWIDTH_KATAKANA_LAST 0xFF9F

/* Kana of a run that has this many, or more, lose the mark of a long vowel at its end. */
#define KANA_OF_LONG_RUN 4

struct FoldLanguage
{
	const char *code;
	const SpelledMark *spelled;
	int spelled_count;
	bool folds_ij;
};

static const SpelledMark german[] = {
	{'a', DIAERESIS, 'e'}, {'o', DIAERESIS, 'e'}, {'u', DIAERESIS, 'e'},
	{'A', DIAERESIS, 'E'}, {'O', DIAERESIS, 'E'}, {'U', DIAERESIS, 'E'},
};

static const SpelledMark scandinavian[] = {
	{'a', RING_ABOVE, 'a'}, {'a', DIAERESIS, 'e'},
	{'o', DIAERESIS, 'e'},	{LATIN_O_STROKE, 0, 'e'},
	{'A', RING_ABOVE, 'A'}, {'A', DIAERESIS, 'E'},
	{'O', DIAERESIS, 'E'},	{LATIN_CAPITAL_O_STROKE, 0, 'E'},
};

static const FoldLanguage languages[] = {
	{"da", scandinavian, lengthof(scandinavian), false},
	{"de", german, lengthof(german), false},
	{"nb", scandinavian, lengthof(scandinavian), false},
	{"nl", NULL, 0, true},
	{"nn", scandinavian, lengthof(scandinavian), false},
	{"no", scandinavian, lengthof(scandinavian), false},
	{"sv", scandinavian, lengthof(scandinavian), false},
};

/* The blocks of Latin letters. */
static const CodePointRange latin[] = {
	{'A', 'Z'},		  {'a', 'z'},		{0x00AA, 0x00AA}, {0x00BA, 0x00BA}, {0x00C0, 0x02AF},
	{0x1D00, 0x1D25}, {0x1E00, 0x1EFF}, {0x2C60, 0x2C7F}, {0xA722, 0xA7FF}, {0xAB30, 0xAB64},
	{0xFB00, 0xFB06}, {0xFF21, 0xFF3A}, {0xFF41, 0xFF5A},
};

typedef struct LookAlike
{
	int32 codepoint;
	char letter;
} LookAlike;

/*
 * Letters whose prototype in Unicode's confusables.txt (UTS #39) is an ASCII letter, as far as they are
 * in use, and those small letters of Cyrillic whose capital is one.
 */
/* clang-format off */
static const LookAlike look_alikes[] = {
	/* Greek */
	{0x037F, 'J'}, {0x0391, 'A'}, {0x0392, 'B'}, {0x0395, 'E'}, {0x0396, 'Z'}, {0x0397, 'H'},
	{0x0399, 'I'}, {0x039A, 'K'}, {0x039C, 'M'}, {0x039D, 'N'}, {0x039F, 'O'}, {0x03A1, 'P'},
	{0x03A4, 'T'}, {0x03A5, 'Y'}, {0x03A7, 'X'}, {0x03B1, 'a'}, {0x03B3, 'y'}, {0x03B9, 'i'},
	{0x03BD, 'v'}, {0x03BF, 'o'}, {0x03C1, 'p'}, {0x03C5, 'u'}, {0x03F2, 'c'}, {0x03F3, 'j'},
	{0x03F9, 'C'},
	/* Cyrillic */
	{0x0405, 'S'}, {0x0406, 'I'}, {0x0408, 'J'}, {0x0410, 'A'}, {0x0412, 'B'}, {0x0415, 'E'},
	{0x041A, 'K'}, {0x041C, 'M'}, {0x041D, 'H'}, {0x041E, 'O'}, {0x0420, 'P'}, {0x0421, 'C'},
	{0x0422, 'T'}, {0x0423, 'Y'}, {0x0425, 'X'}, {0x0430, 'a'}, {0x0432, 'b'}, {0x0435, 'e'},
	{0x043A, 'k'}, {0x043C, 'm'}, {0x043D, 'h'}, {0x043E, 'o'}, {0x0440, 'p'}, {0x0441, 'c'},
	{0x0442, 't'}, {0x0443, 'y'}, {0x0445, 'x'}, {0x0455, 's'}, {0x0456, 'i'}, {0x0458, 'j'},
	{0x0474, 'V'}, {0x0475, 'v'}, {0x04AE, 'Y'}, {0x04AF, 'y'}, {0x04BB, 'h'}, {0x04C0, 'I'},
	{0x04CF, 'i'}, {0x0501, 'd'}, {0x050C, 'G'}, {0x051B, 'q'}, {0x051C, 'W'}, {0x051D, 'w'},
	/* Armenian */
	{0x054D, 'U'}, {0x054F, 'S'}, {0x0555, 'O'}, {0x0563, 'q'}, {0x0566, 'q'}, {0x0570, 'h'},
	{0x0578, 'n'}, {0x057D, 'u'}, {0x0581, 'g'}, {0x0585, 'o'},
};
/* clang-format on */

/*
 * The vowel of each katakana from KATAKANA_FIRST to KATAKANA_LAST; a blank for one that has none, and
 * a capital for a small vowel, which lengthens nothing.
 */
static const char vowels[] = "AaIiUuEeOo" /* a i u e o, each after its small form */
							 "aaiiuueeooaaiiuueeooaaii uueeoo" /* ka to to */
							 "aiueoaaaiiiuuueeeoooaiueo"	   /* na, ha, ma */
							 "aauuooaiueoaaieo u  aieo";	   /* ya, ra, wa, n, vu, small ke, va */

StaticAssertDecl(sizeof(vowels) == KATAKANA_LAST - KATAKANA_FIRST + 2, "a vowel for each katakana");

/* A word that is being folded. */
typedef struct FoldedWord
{
	int32 *codepoints;
	Size count;
	Size capacity;
} FoldedWord;

const FoldLanguage *
FoldLanguageOfCode(ByteSpan code)
{
	for (int i = 0; i < (int) lengthof(languages); i++)
	{
		if (strlen(languages[i].code) == code.length &&
			memcmp(languages[i].code, code.data, code.length) == 0)
			return &languages[i];
	}
	return NULL;
}

bool
FoldLanguageFoldsAscii(const FoldLanguage *language)
{
	return language != NULL && language->folds_ij;
}

static inline bool
is_any_letter(int32 codepoint)
{
	utf8proc_category_t category = utf8proc_category(codepoint);

	return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

/* Returns the Latin letter that a letter looks like, or 0. */
static char
look_alike(int32 codepoint)
{
	int last = lengthof(look_alikes) - 1;
	int place = 0;

	if (codepoint < look_alikes[0].codepoint || codepoint > look_alikes[last].codepoint)
		return 0;
	BISECT(int, place, last, at, look_alikes[at].codepoint < codepoint);
	return look_alikes[place].codepoint == codepoint ? look_alikes[place].letter : 0;
}

/*
 * Makes letters that look like Latin ones Latin, if each other letter of the word is Latin, and there
 * is one. A word of such letters alone may well be Russian.
 */
static void
fold_look_alikes(FoldedWord *word)
{
	bool has_latin = false;
	bool has_others = false;

	for (Size i = 0; i < word->count && !has_others; i++)
	{
		int32 codepoint = word->codepoints[i];

		CHECK_FOR_INTERRUPTS();
		if (CodePointInRanges(codepoint, latin, lengthof(latin)))
			has_latin = true;
		else if (is_any_letter(codepoint) && look_alike(codepoint) == 0)
			has_others = true;
	}
	if (!has_latin || has_others)
		return;
	for (Size i = 0; i < word->count; i++)
	{
		char letter = look_alike(word->codepoints[i]);

		CHECK_FOR_INTERRUPTS();
		if (letter != 0)
			word->codepoints[i] = letter;
	}
}

/* Makes "ij", written as one letter or as two, a "y". */
static void
fold_ij(FoldedWord *word)
{
	int32 *codepoints = word->codepoints;
	Size used = 0;

	for (Size i = 0; i < word->count; i++)
	{
		int32 codepoint = codepoints[i];

		CHECK_FOR_INTERRUPTS();
		if (codepoint == LATIN_SMALL_IJ || codepoint == LATIN_CAPITAL_IJ)
			codepoints[used++] = codepoint == LATIN_SMALL_IJ ? 'y' : 'Y';
		else if ((codepoint | 0x20) == 'j' && used > 0 && (codepoints[used - 1] | 0x20) == 'i')
			codepoints[used - 1] = codepoints[used - 1] == 'i' ? 'y' : 'Y';
		else
			codepoints[used++] = codepoint;
	}
	word->count = used;
}

static inline bool
is_katakana(int32 codepoint)
{
	return codepoint >= KATAKANA_FIRST && codepoint <= KATAKANA_LAST_ITERATION &&
		   codepoint != KATAKANA_LAST + 1;
}

static inline bool
is_kana_mark(int32 codepoint)
{
	return codepoint == KANA_VOICED || codepoint == KANA_SEMI_VOICED;
}

/*
 * Makes hiragana and half-width katakana full-width katakana, with their marks; returns whether there
 * are any kana.
 */
static bool
unite_kana(FoldedWord *word)
{
	bool has_kana = false;
	bool has_marks = false;

	for (Size i = 0; i < word->count; i++)
	{
		int32 *codepoint = &word->codepoints[i];

		CHECK_FOR_INTERRUPTS();
		if ((*codepoint >= HIRAGANA_FIRST && *codepoint <= HIRAGANA_LAST) ||
			(*codepoint >= HIRAGANA_FIRST_ITERATION && *codepoint <= HIRAGANA_LAST_ITERATION))
			*codepoint += KATAKANA_FROM_HIRAGANA;
		else if (*codepoint >= HALFWIDTH_KATAKANA_FIRST && *codepoint <= HALFWIDTH_KATAKANA_LAST)
		{
			int32 decomposed[LONGEST_DECOMPOSITION];

			DecomposeFolded(*codepoint, decomposed);
			*codepoint = decomposed[0];
		}
		has_kana |= is_katakana(*codepoint);
		has_marks |= is_kana_mark(*codepoint);
	}
	if (has_marks)
		word->count = ComposeCanonical(word->codepoints, word->count);
	return has_kana;
}

/* Returns the vowel of a kana, in capitals for a small vowel; ' ' for another character. */
static inline char
vowel_of(int32 codepoint)
{
	return codepoint >= KATAKANA_FIRST && codepoint <= KATAKANA_LAST
			   ? vowels[codepoint - KATAKANA_FIRST]
			   : ' ';
}

/*
 * Returns whether a kana, with `next` behind it, only lengthens the vowel before it: it is the same
 * vowel, or u behind o, or i behind e. A vowel with a small one behind it is a consonant, as in "we".
 */
static bool
lengthens(int32 codepoint, char vowel, int32 next)
{
	char own = vowel_of(codepoint);

	if (codepoint < KATAKANA_FIRST || codepoint >= KATAKANA_FIRST_KA ||
		!islower((unsigned char) own) || isupper((unsigned char) vowel_of(next)))
		return false;
	return own == vowel || (vowel == 'o' && own == 'u') || (vowel == 'e' && own == 'i');
}

/*
 * Writes a vowel that is lengthened, in whatever way, with one mark for that behind it, and with none
 * at the end of a longer run of kana.
 */
static void
fold_long_vowels(FoldedWord *word)
{
	int32 *codepoints = word->codepoints;
	Size used = 0;
	Size run = 0;	  /* kana that are written, up to this one */
	char vowel = ' '; /* of the last kana but for the mark */

	for (Size i = 0; i < word->count; i++)
	{
		int32 codepoint = codepoints[i];
		int32 next = i + 1 < word->count ? codepoints[i + 1] : 0;
		bool has_mark = is_kana_mark(next);
		bool is_long =
			!has_mark && (codepoint == KATAKANA_LONG || lengthens(codepoint, vowel, next));

		CHECK_FOR_INTERRUPTS();
		if (is_long)
			codepoint = KATAKANA_LONG;
		else
			vowel = has_mark ? ' ' : (char) tolower((unsigned char) vowel_of(codepoint));
		if (!is_long || used == 0 || codepoints[used - 1] != KATAKANA_LONG)
		{
			run = is_katakana(codepoint) ? run + 1 : 0;
			codepoints[used++] = codepoint;
		}
		if (is_long && run >= KANA_OF_LONG_RUN && !is_katakana(next))
			used--;
	}
	word->count = used;
}

/* Folds a word and appends it. */
static void
fold_word(ByteBuffer *folded, FoldedWord *word, const FoldLanguage *language)
{
	char *out;

	if (unite_kana(word))
		fold_long_vowels(word);
	fold_look_alikes(word);
	if (FoldLanguageFoldsAscii(language))
		fold_ij(word);
	ByteBufferReserve(folded, 4 * word->count);
	out = folded->data + folded->used;
	for (Size i = 0; i < word->count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		out = Utf8Encode(out, word->codepoints[i]);
	}
	folded->used = out - folded->data;
	word->count = 0;
}

/* Decodes the word at p, which may have none, and returns its end. */
static const uint8 *
decode_word(FoldedWord *word, const uint8 *p, const uint8 *end)
{
	while (p < end)
	{
		int32 codepoint;
		int length = Utf8Decode(p, end, &codepoint);

		CHECK_FOR_INTERRUPTS();
		if (!UnicodeIsWord(codepoint) && !UnicodeIsIgnorable(codepoint))
			break;
		ARRAY_MAKE_ROOM(word->codepoints, word->count, word->capacity);
		word->codepoints[word->count++] = codepoint;
		p += length;
	}
	return p;
}

/*
 * Returns the end of the ASCII characters at p that are in no word with another character: those
 * before the last word if that one goes on.
 */
static const uint8 *
end_of_ascii_words(const uint8 *p, const uint8 *end)
{
	const uint8 *ascii = Utf8EndOfAscii(p, end);

	if (ascii < end)
	{
		while (ascii > p && ascii_folded[ascii[-1]] != 0)
			ascii--;
	}
	return ascii;
}

ByteBuffer
FoldLetters(ByteSpan utf8, const FoldLanguage *language)
{
	ByteBuffer stripped = language == NULL
							  ? StripMarks(utf8)
							  : StripMarksSpelled(utf8, language->spelled, language->spelled_count);
	const uint8 *p = (const uint8 *) stripped.data;
	const uint8 *end = p + stripped.used;
	ByteBuffer folded;
	FoldedWord word = {.codepoints = NULL};

	ByteBufferInit(&folded, stripped.used);
	while (p < end)
	{
		const uint8 *ascii = FoldLanguageFoldsAscii(language) ? p : end_of_ascii_words(p, end);

		CHECK_FOR_INTERRUPTS();
		ByteBufferAppend(&folded, (const char *) p, ascii - p);
		p = decode_word(&word, ascii, end);
		fold_word(&folded, &word, language);
		/* What ended the word. */
		if (p < end)
		{
			int32 codepoint;
			int length = Utf8Decode(p, end, &codepoint);

			ByteBufferAppend(&folded, (const char *) p, length);
			p += length;
		}
	}
	ByteBufferFree(&stripped);
	if (word.codepoints != NULL)
		pfree(word.codepoints);
	return folded;
}
