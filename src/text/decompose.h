/*
 * decompose.h
 *		The case-folded compatibility decomposition of a character.
 */
#ifndef NEARDUP_DECOMPOSE_H
#define NEARDUP_DECOMPOSE_H

#define LONGEST_DECOMPOSITION 32 /* U+FDFA has 18 */

/* Writes at most LONGEST_DECOMPOSITION code points, a final U+0345 as it is; returns how many. */
extern Size DecomposeFolded(int32 codepoint, int32 *decomposed);

#endif
