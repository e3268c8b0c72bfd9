/*
 * decompose.h
 *		Decompositions of a character: the case-folded compatible one, and the canonical one.
 */
#ifndef NEARDUP_DECOMPOSE_H
#define NEARDUP_DECOMPOSE_H

/* Room for any decomposition: the longest one, of U+FDFA, has 18 code points. */
#define LONGEST_DECOMPOSITION 32

/*
 * Writes the code points of the decomposition, at most LONGEST_DECOMPOSITION, and returns how many.
 * There are none for a character that NFKC_Casefold ignores. A decimal digit of any script is the
 * ASCII digit. A final U+0345 stays what it is: it is folded only after the marks are in order
 * (compose.h).
 */
extern Size DecomposeFolded(int32 codepoint, int32 *decomposed);

/* Writes the canonical decomposition (NFD) of a character alike, and returns its length. */
extern Size DecomposeCanonical(int32 codepoint, int32 *decomposed);

#endif
