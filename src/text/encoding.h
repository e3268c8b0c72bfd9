/*
 * encoding.h
 *		Between the database's encoding and UTF-8.
 *
 * Text is hashed in UTF-8, so that its tokens are the same in every database.
 */
#ifndef NEARDUP_ENCODING_H
#define NEARDUP_ENCODING_H

#include "text/bytes.h"

/*
 * The caller's bytes, or a palloc'd copy. Invalid UTF-8 of an SQL_ASCII database raises
 * character_not_in_repertoire.
 */
extern ByteSpan ServerToUtf8(const char *data, Size length);

/* The same for hashing: leaves SQL_ASCII bytes as they are. */
extern ByteSpan ServerToUtf8OrRaw(const char *data, Size length);

/* Frees the copy that ServerToUtf8 made of data, if any. */
extern void Utf8Release(ByteSpan utf8, const char *data);

/*
 * A text in the database's encoding. Raises conversion errors, and program_limit_exceeded above 1
 * GB.
 */
extern text *Utf8ToText(const char *data, Size length);

#endif
