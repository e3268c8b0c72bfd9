/*
 * copies.c
 *		Finds values that were seen before, by a secret hash of 128 bits.
 */
#include "postgres.h"

#include <xxhash.h>

#include "port.h"

#include "rows/copies.h"

#define SECRET_BYTES 192

StaticAssertDecl(SECRET_BYTES >= XXH3_SECRET_SIZE_MIN, "XXH3 wants a longer secret");

typedef struct Copy
{
	CopyHash hash;
	uint32 first;
	char status;
} Copy;

struct Copies
{
	struct copies_hash *table;
	char secret[SECRET_BYTES];
};

#define SH_PREFIX copies
#define SH_ELEMENT_TYPE Copy
#define SH_KEY_TYPE CopyHash
#define SH_KEY hash
#define SH_HASH_KEY(table, key) ((uint32) (key).low)
#define SH_EQUAL(table, a, b) CopyHashesEqual(a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

Copies *
CopiesCreate(MemoryContext context)
{
	Copies *copies = MemoryContextAlloc(context, sizeof(Copies));

	if (!pg_strong_random(copies->secret, SECRET_BYTES))
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random numbers")));
	copies->table = copies_create(context, 1024, NULL);
	return copies;
}

CopyHash
CopiesHash(const Copies *copies, const void *bytes, Size length)
{
	XXH128_hash_t hash = XXH3_128bits_withSecret(bytes, length, copies->secret, SECRET_BYTES);

	return (CopyHash){.low = hash.low64, .high = hash.high64};
}

void
CopiesPrefetch(const Copies *copies, CopyHash hash)
{
	__builtin_prefetch(&copies->table->data[(uint32) hash.low & copies->table->sizemask], 1);
}

uint32
CopiesFirstOfHash(Copies *copies, CopyHash hash, uint32 number)
{
	bool found;
	Copy *copy = copies_insert(copies->table, hash, &found);

	if (!found)
		copy->first = number;
	return copy->first;
}

uint32
CopiesFirst(Copies *copies, const void *bytes, Size length, uint32 number)
{
	return CopiesFirstOfHash(copies, CopiesHash(copies, bytes, length), number);
}

void
CopiesFree(Copies *copies)
{
	copies_destroy(copies->table);
	pfree(copies);
}
