/*
 * strip_ids.h
 *		Removal of identifiers, times and other words with a digit from a text.
 *
 * A word is a run of letters, marks, numbers and underscores here, or several joined by a single
 * "-" or ".", by one of ":,/+" between two digits, or by ":" between groups of one to four
 * hexadecimal digits. So a UUID, 12:30:05, 2026-05-24, 10.0.0.1:80, ip-10-0-0-1.example.com,
 * blk_-123 and 00:1b:44:11:3a:b7 are one word each. Characters of scripts without spaces are no
 * part of a word: in them a number stands alone.
 */
#ifndef NEARDUP_STRIP_IDS_H
#define NEARDUP_STRIP_IDS_H

#include "text/bytes.h"

/*
 * Copies a text to `out`, which has room for as many bytes, with a blank for each word that has a
 * decimal digit of any script; returns the length of the copy. Takes linear time, and can be
 * cancelled.
 */
extern Size StripIds(ByteSpan utf8, char *out);

#endif
