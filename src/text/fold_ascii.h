/*
 * fold_ascii.h
 *		Folds ASCII: letters to lower case, what is between words to one blank.
 */
#ifndef NEARDUP_FOLD_ASCII_H
#define NEARDUP_FOLD_ASCII_H

/* Bytes that may be written beyond the last one that counts. */
#define FOLD_ASCII_ROOM 64

/*
 * Writes the characters from p to the end, all below 0x80, and returns the end of what is written: at
 * most as many, and FOLD_ASCII_ROOM more of any content. after_blank: whether a blank, or nothing,
 * came before; afterwards whether the last character is a blank.
 */
typedef char *(*FoldAscii)(char *out, const uint8 *p, const uint8 *end, bool *after_blank);

/* 0 for what is no part of a word. */
extern const uint8 ascii_folded[128];

#define FOLD_ASCII_VARIANTS 2

/* Those that this processor has, all of the same result; returns how many. */
extern int FoldAsciiAvailable(FoldAscii *variants);

/* The last of them. */
extern FoldAscii FoldAsciiBest(void);

#endif
