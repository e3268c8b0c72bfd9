/*
 * strip_ids.h
 *		Removal of identifiers, times and other words with a digit from a text.
 */
#ifndef NEARDUP_STRIP_IDS_H
#define NEARDUP_STRIP_IDS_H

#include "text/bytes.h"

/*
 * Copies a text to `out`, which has room for as many bytes, with a blank for each word of id_words.h
 * that has a decimal digit of any script; returns the length of the copy. Takes linear time, and can be
 * cancelled.
 */
extern Size StripIds(ByteSpan utf8, char *out);

#endif
