/*
 * encoding.h
 *		Between the database's encoding and UTF-8.
 *
 * Everything that this extension hashes or looks up in Unicode's tables is
 * UTF-8, so that the same text has the same tokens in every database. In an
 * SQL_ASCII database nobody knows what the bytes mean: where characters
 * matter they must be valid UTF-8, where bytes are only hashed they are taken
 * as they are.
 */
#ifndef NEARDUP_ENCODING_H
#define NEARDUP_ENCODING_H

#include "text/bytes.h"

/*
 * The bytes in UTF-8: the caller's own, or a palloc'd copy. In an SQL_ASCII
 * database raises character_not_in_repertoire unless they are UTF-8.
 */
extern ByteSpan ServerToUtf8(const char *data, Size length);

/* The same for bytes that are only hashed: in an SQL_ASCII database never an error. */
extern ByteSpan ServerToUtf8OrRaw(const char *data, Size length);

/* Frees what ServerToUtf8 allocated for these bytes, if it did. */
extern void Utf8Release(ByteSpan utf8, const char *data);

/*
 * A text value in the database's encoding. The ordinary conversion error is
 * raised for characters that this encoding lacks, program_limit_exceeded
 * above 1 GB.
 */
extern text *Utf8ToText(const char *data, Size length);

#endif
