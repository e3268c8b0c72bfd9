/*
 * id_words.h
 *		Words for which an identifier, a time or a host is one word.
 *
 * A word is a run of letters, marks, numbers and underscores here, or several joined by a single
 * "-", "." or "~", by one of ":,/+" between two digits, or by ":" between groups of one to four
 * hexadecimal digits. So a UUID, 12:30:05, 2026-05-24, 10.0.0.1:80, ip-10-0-0-1.example.com,
 * 2.0~rc1, blk_-123 and 00:1b:44:11:3a:b7 are one word each. Characters of scripts without spaces
 * are no part of a word: in them a number stands alone.
 */
#ifndef NEARDUP_ID_WORDS_H
#define NEARDUP_ID_WORDS_H

typedef struct IdWord
{
	const uint8 *end;
	bool has_digit; /* a decimal digit of any script */
	bool has_dot;	/* a full stop that joins two parts */
} IdWord;

/* Reads the word that begins at p; false if none begins there. Can be cancelled. */
extern bool IdWordRead(const uint8 *p, const uint8 *end, IdWord *word);

#endif
