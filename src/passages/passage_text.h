/*
 * passage_text.h
 *		A text as a row of passages.
 */
#ifndef NEARDUP_PASSAGES_PASSAGE_TEXT_H
#define NEARDUP_PASSAGES_PASSAGE_TEXT_H

#include "passages/kernel/passages.h"
#include "text/bytes.h"

/*
 * Adds the words of a text, as a row; with sentences, if asked, marked in the words. Allocates in
 * the current memory context while it reads.
 */
extern void PassagesAddText(Passages *passages, ByteSpan utf8, bool has_sentences);

#endif
