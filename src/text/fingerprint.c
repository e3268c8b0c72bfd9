/*
 * fingerprint.c
 *		Hashes of whole values, which find exact copies.
 *
 * Values are hashed as they are, not normalized: equal fingerprints mean, but for a collision,
 * equal bytes in UTF-8.
 */
#include "postgres.h"

#include <xxhash.h>

#include "fmgr.h"
#include "utils/uuid.h"

#include "compat.h"
#include "text/encoding.h"
#include "text/token_of_bytes.h"
#include "text/tokens.h"

PG_FUNCTION_INFO_V1(fingerprint_text);
PG_FUNCTION_INFO_V1(fingerprint_bytea);
PG_FUNCTION_INFO_V1(fingerprint128_text);
PG_FUNCTION_INFO_V1(fingerprint128_bytea);

/* Returns the XXH3-128 in its canonical, big-endian form, which is the same on every platform. */
static pg_uuid_t *
fingerprint_as_uuid(ByteSpan bytes)
{
	pg_uuid_t *uuid = palloc(sizeof(pg_uuid_t));
	XXH128_canonical_t canonical;

	XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data, bytes.length));
	StaticAssertStmt(sizeof(canonical.digest) == UUID_LEN, "a uuid is as long as XXH3-128");
	memcpy(uuid->data, canonical.digest, UUID_LEN);
	return uuid;
}

Datum
fingerprint_text(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);
	ByteSpan utf8 = ServerToUtf8OrRaw(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));

	PG_RETURN_INT64(TokenOfBytes(utf8.data, utf8.length));
}

Datum
fingerprint_bytea(PG_FUNCTION_ARGS)
{
	bytea *value = PG_GETARG_BYTEA_PP(0);

	PG_RETURN_INT64(TokenOfBytes(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)));
}

Datum
fingerprint128_text(PG_FUNCTION_ARGS)
{
	text *value = PG_GETARG_TEXT_PP(0);

	PG_RETURN_UUID_P(
		fingerprint_as_uuid(ServerToUtf8OrRaw(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value))));
}

Datum
fingerprint128_bytea(PG_FUNCTION_ARGS)
{
	bytea *value = PG_GETARG_BYTEA_PP(0);
	ByteSpan bytes = {VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};

	PG_RETURN_UUID_P(fingerprint_as_uuid(bytes));
}
