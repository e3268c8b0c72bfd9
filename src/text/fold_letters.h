/*
 * fold_letters.h
 *		Letters that people write for each other, as one letter: for matching, not for reading.
 */
#ifndef NEARDUP_FOLD_LETTERS_H
#define NEARDUP_FOLD_LETTERS_H

#include "text/bytes.h"

/* What a language adds to the folding. */
typedef struct FoldLanguage FoldLanguage;

/* Returns the language of a code such as "de", or NULL where there is none. */
extern const FoldLanguage *FoldLanguageOfCode(ByteSpan code);

/*
 * Returns the text as StripMarks does, with its letters folded, as a buffer in the current memory
 * context, which the caller frees. The language may be NULL. Takes linear time, and can be
 * cancelled.
 */
extern ByteBuffer FoldLetters(ByteSpan utf8, const FoldLanguage *language);

/* Returns whether an ASCII text may change. */
extern bool FoldLanguageFoldsAscii(const FoldLanguage *language);

#endif
