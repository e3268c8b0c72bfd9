/*
 * fold_ascii.h
 *		Folds ASCII: letters to lower case, whatever is between words to one blank.
 */
#ifndef NEARDUP_FOLD_ASCII_H
#define NEARDUP_FOLD_ASCII_H

/* Bytes behind the end of the result that a variant may overwrite. */
#define FOLD_ASCII_ROOM 64

/*
 * Folds the characters from p to `end`, all of which are below 0x80, and returns the end of the
 * result in `out`. The result has at most as many characters as the source, and up to
 * FOLD_ASCII_ROOM bytes behind it may be overwritten. *after_blank says, before the call, whether a
 * blank or nothing precedes in the output, where no other blank may follow, and after it whether
 * the output ends in a blank or is still empty.
 */
typedef char *(*FoldAscii)(char *out, const uint8 *p, const uint8 *end, bool *after_blank);

/* The folded form of each character, 0 for one that is no part of a word. */
extern const uint8 ascii_folded[128];

#define FOLD_ASCII_VARIANTS 2

/*
 * Stores the variants that this processor can run and returns how many. All have the same result.
 */
extern int FoldAsciiAvailable(FoldAscii *variants);

/* Returns the fastest variant, the last one. */
extern FoldAscii FoldAsciiBest(void);

#endif
