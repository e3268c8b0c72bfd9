/*
 * encoding.h
 *		Between the database's encoding and UTF-8.
 *
 * Texts are hashed in UTF-8, so that their tokens are the same in every database. In an SQL_ASCII
 * database, where the bytes of a text may mean anything, they are taken for UTF-8.
 */
#ifndef NEARDUP_ENCODING_H
#define NEARDUP_ENCODING_H

#include "text/bytes.h"

/*
 * Returns a text in UTF-8: the caller's bytes if they are that, else a palloc'd copy, for
 * Utf8Release. Bytes of an SQL_ASCII database that are not valid UTF-8 raise
 * character_not_in_repertoire.
 */
extern ByteSpan ServerToUtf8(const char *data, Size length);

/* The same for what is only hashed: the bytes of an SQL_ASCII database are not checked. */
extern ByteSpan ServerToUtf8OrRaw(const char *data, Size length);

/* Frees the copy that one of these functions made of `data`, if it made one. */
extern void Utf8Release(ByteSpan utf8, const char *data);

/*
 * Returns UTF-8 as a new text in the database's encoding. Raises untranslatable_character for what
 * the encoding lacks, and program_limit_exceeded above 1 GB.
 */
extern text *Utf8ToText(const char *data, Size length);

#endif
