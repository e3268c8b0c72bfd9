/*
 * decompose.c
 *		Decompositions of a character, by utf8proc.
 *
 * utf8proc folds the mark U+0345, an iota below a Greek vowel, to the letter iota while it
 * decomposes. The letter would then separate the marks before it from those after it, and the
 * result would depend on the order of marks that are canonically equivalent. So the mark is
 * restored here, and compose.c folds it when the marks are in order.
 *
 * NFKC leaves the decimal digits of other scripts as they are. Here they become ASCII digits, so
 * that a number is one word in whatever digits it is written.
 */
#include "postgres.h"

#include "text/compose.h"
#include "text/decompose.h"
#include "text/unicode.h"

/* The block of precomposed vowels with U+0345. */
#define GREEK_EXTENDED_FIRST 0x1F00
#define GREEK_EXTENDED_LAST 0x1FFF

#define NFKC_CASEFOLD                                                                              \
	(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD | UTF8PROC_IGNORE)

/* Writes a decomposition by utf8proc, and returns its length. */
static Size
decompose_with(int32 codepoint, int32 *decomposed, int options)
{
	int unused_boundary = 0;
	utf8proc_ssize_t count = utf8proc_decompose_char(codepoint, decomposed, LONGEST_DECOMPOSITION,
													 options, &unused_boundary);

	if (count < 0 || count > LONGEST_DECOMPOSITION)
		elog(ERROR, "utf8proc could not decompose U+%04X", codepoint);
	return (Size) count;
}

Size
DecomposeCanonical(int32 codepoint, int32 *decomposed)
{
	return decompose_with(codepoint, decomposed, UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
}

/* Returns whether the canonical decomposition of a character ends in U+0345. */
static bool
ends_in_ypogegrammeni(int32 codepoint)
{
	int32 canonical[LONGEST_DECOMPOSITION];
	Size count;

	if (codepoint < GREEK_EXTENDED_FIRST || codepoint > GREEK_EXTENDED_LAST)
		return codepoint == YPOGEGRAMMENI;
	count = DecomposeCanonical(codepoint, canonical);
	return count > 0 && canonical[count - 1] == YPOGEGRAMMENI;
}

/*
 * Returns the ASCII digit of the value of a decimal digit. Decimal digits stand in rows from 0 to 9,
 * which Unicode promises for all scripts to come; a row may follow another one directly.
 */
static int32
ascii_digit(int32 digit)
{
	int32 zero = digit;

	while (UnicodeIsDecimalDigit(zero - 1))
		zero--;
	return '0' + (digit - zero) % 10;
}

Size
DecomposeFolded(int32 codepoint, int32 *decomposed)
{
	Size count = decompose_with(codepoint, decomposed, NFKC_CASEFOLD);

	for (Size i = 0; i < count; i++)
	{
		if (UnicodeIsDecimalDigit(decomposed[i]))
			decomposed[i] = ascii_digit(decomposed[i]);
	}
	if (unlikely(ends_in_ypogegrammeni(codepoint)))
		decomposed[count - 1] = YPOGEGRAMMENI;
	return count;
}
