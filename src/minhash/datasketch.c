/*
 * datasketch.c
 *		Sketches with the very values of the Python package datasketch.
 *
 * A token's hash x is the first 4 bytes of its SHA-1, read as a little-endian number. Component i is
 * the least value, over the tokens, of function i. The package has several schemes of functions,
 * whose values have nothing in common. They draw their numbers a_i and b_i from
 * numpy.random.RandomState(seed), the Mersenne Twister MT19937.
 *
 * "affine32", the default since version 2.0:
 *
 *		(a_i m(x) + b_i) mod 2^32
 *
 * where m is the 32-bit finalizer of MurmurHash3. Each output of the twister gives one number:
 * first a_1, ..., a_k, each twice the output plus 1, so that it is odd, then b_1, ..., b_k, which
 * are the outputs themselves.
 *
 * "legacy", the only scheme of earlier versions:
 *
 *		((a_i x + b_i) mod (2^61 - 1)) mod 2^32
 *
 * where the sum wraps at 2^64, as NumPy's uint64 does. The twister draws a_1, b_1, a_2, b_2, ... in
 * turn. Each takes two outputs of 32 bits, of which the first is the upper half. The bits above the
 * highest bit of the limit are cleared, and a number that still exceeds the limit is drawn again.
 *
 * The minimum is taken of values that are reduced already, so the scans of sketch/family.h do not
 * apply.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "common/cryptohash.h"
#include "common/hashfn.h"
#include "common/sha1.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "minhash/minhash.h"
#include "text/encoding.h"

PG_FUNCTION_INFO_V1(minhash_datasketch);

#define MERSENNE_PRIME ((UINT64CONST(1) << 61) - 1)

/* The Mersenne Twister MT19937 (Matsumoto and Nishimura 1998). */
#define TWISTER_WORDS 624
#define TWISTER_MIDDLE 397

typedef struct Twister
{
	uint32 words[TWISTER_WORDS];
	int next;
} Twister;

typedef struct Permutation
{
	uint64 a;
	uint64 b;
} Permutation;

/* The functions of a scheme, a k and a seed, kept in fn_extra from call to call. */
typedef struct Permutations
{
	MinhashProfile profile; /* which says the scheme */
	int32 k;
	uint32 seed;
	Permutation of[FLEXIBLE_ARRAY_MEMBER];
} Permutations;

/* Fills the state from the seed, as the reference implementation and NumPy do. */
static void
twister_init(Twister *twister, uint32 seed)
{
	twister->words[0] = seed;
	for (uint32 i = 1; i < TWISTER_WORDS; i++)
	{
		uint32 previous = twister->words[i - 1];

		twister->words[i] = UINT32_C(1812433253) * (previous ^ (previous >> 30)) + i;
	}
	twister->next = TWISTER_WORDS;
}

/* Makes the next 624 numbers of the sequence. */
static void
twister_refill(Twister *twister)
{
	uint32 *words = twister->words;

	for (int i = 0; i < TWISTER_WORDS; i++)
	{
		uint32 y = (words[i] & UINT32_C(0x80000000)) |
				   (words[(i + 1) % TWISTER_WORDS] & UINT32_C(0x7fffffff));

		words[i] = words[(i + TWISTER_MIDDLE) % TWISTER_WORDS] ^ (y >> 1) ^
				   ((y & 1) ? UINT32_C(0x9908b0df) : 0);
	}
	twister->next = 0;
}

/* Returns the next output of 32 bits. */
static uint32
twister_next(Twister *twister)
{
	uint32 y;

	if (twister->next == TWISTER_WORDS)
		twister_refill(twister);
	y = twister->words[twister->next++];
	y ^= y >> 11;
	y ^= (y << 7) & UINT32_C(0x9d2c5680);
	y ^= (y << 15) & UINT32_C(0xefc60000);
	return y ^ (y >> 18);
}

/* Returns a random number from 0 to `greatest`, which has 61 bits. */
static uint64
draw(Twister *twister, uint64 greatest)
{
	uint64 value;

	do
	{
		uint64 upper = twister_next(twister);

		value = (upper << 32 | twister_next(twister)) & MERSENNE_PRIME;
	} while (value > greatest);
	return value;
}

/* Draws the functions of the scheme "affine32". */
static void
draw_affine32(Permutations *permutations, Twister *twister)
{
	for (int32 i = 0; i < permutations->k; i++)
		permutations->of[i].a = twister_next(twister) << 1 | 1;
	for (int32 i = 0; i < permutations->k; i++)
		permutations->of[i].b = twister_next(twister);
}

/* Draws the functions of the scheme "legacy". */
static void
draw_legacy(Permutations *permutations, Twister *twister)
{
	for (int32 i = 0; i < permutations->k; i++)
	{
		permutations->of[i].a = draw(twister, MERSENNE_PRIME - 2) + 1;
		permutations->of[i].b = draw(twister, MERSENNE_PRIME - 1);
	}
}

/* Returns the functions of a kind: the functions of the previous call, if it had the same kind. */
static const Permutations *
permutations_of_call(FunctionCallInfo fcinfo, MinhashKind kind)
{
	int32 k = kind.k;
	uint32 seed = (uint32) kind.seed;
	Permutations *permutations = fcinfo->flinfo->fn_extra;
	Twister twister;

	if (permutations != NULL && permutations->profile == kind.profile && permutations->k == k &&
		permutations->seed == seed)
		return permutations;
	if (permutations != NULL)
	{
		fcinfo->flinfo->fn_extra = NULL;
		pfree(permutations);
	}
	permutations = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt,
									  offsetof(Permutations, of) + (Size) k * sizeof(Permutation));
	permutations->profile = kind.profile;
	permutations->k = k;
	permutations->seed = seed;
	twister_init(&twister, seed);
	if (kind.profile == MINHASH_DATASKETCH_AFFINE32)
		draw_affine32(permutations, &twister);
	else
		draw_legacy(permutations, &twister);
	fcinfo->flinfo->fn_extra = permutations;
	return permutations;
}

/* Returns the first 4 bytes of a text's SHA-1. The text is in the database's encoding. */
static uint32
hash_token(pg_cryptohash_ctx *sha1, const char *data, Size length)
{
	ByteSpan utf8 = ServerToUtf8OrRaw(data, length);
	uint8 digest[SHA1_DIGEST_LENGTH];

	if (pg_cryptohash_init(sha1) < 0 ||
		pg_cryptohash_update(sha1, (const uint8 *) utf8.data, utf8.length) < 0 ||
		pg_cryptohash_final(sha1, digest, sizeof(digest)) < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INTERNAL_ERROR),
				 errmsg("could not compute %s hash: %s", "SHA-1", pg_cryptohash_error(sha1))));
	Utf8Release(utf8, data);
	return digest[0] | (uint32) digest[1] << 8 | (uint32) digest[2] << 16 |
		   (uint32) digest[3] << 24;
}

/* Lowers the components to the values of a hashed token, in the scheme "affine32". */
static void
lower_by_affine32(const Permutations *permutations, uint32 x, uint32 *components)
{
	uint32 mixed = murmurhash32(x);

	for (int32 i = 0; i < permutations->k; i++)
	{
		uint32 value = (uint32) permutations->of[i].a * mixed + (uint32) permutations->of[i].b;

		components[i] = Min(components[i], value);
	}
}

/* Does the same in the scheme "legacy". */
static void
lower_by_legacy(const Permutations *permutations, uint32 x, uint32 *components)
{
	for (int32 i = 0; i < permutations->k; i++)
	{
		uint64 sum = permutations->of[i].a * x + permutations->of[i].b;
		uint32 value = (uint32) (sum % MERSENNE_PRIME);

		components[i] = Min(components[i], value);
	}
}

/* Returns the hashes of the tokens in a new array. */
static uint32 *
hash_elements(const Datum *elements, int count)
{
	uint32 *hashes = palloc_extended((Size) count * sizeof(uint32), MCXT_ALLOC_HUGE);
	pg_cryptohash_ctx *sha1 = pg_cryptohash_create(PG_SHA1);

	if (sha1 == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	PG_TRY();
	{
		for (int i = 0; i < count; i++)
		{
			const text *token = (const text *) DatumGetPointer(elements[i]);

			CHECK_FOR_INTERRUPTS();
			hashes[i] = hash_token(sha1, VARDATA_ANY(token), VARSIZE_ANY_EXHDR(token));
		}
	}
	PG_FINALLY();
	{
		pg_cryptohash_free(sha1);
	}
	PG_END_TRY();
	return hashes;
}

/* Returns the profile of a scheme's sketches. Raises invalid_parameter_value for an unknown one. */
static MinhashProfile
profile_of_scheme(const text *argument)
{
	char *scheme = text_to_cstring(argument);

	if (strcmp(scheme, "affine32") == 0)
		return MINHASH_DATASKETCH_AFFINE32;
	if (strcmp(scheme, "legacy") == 0)
		return MINHASH_DATASKETCH_LEGACY;
	if (strcmp(scheme, "affine64") == 0)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("scheme \"affine64\" of datasketch is not supported"),
						errdetail("Its components have 64 bits; those of a minhash have %d.",
								  MINHASH_FULL_BITS)));
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("unrecognized scheme of datasketch: \"%s\"", scheme),
			 errhint("The schemes are affine32, the default of datasketch since version 2.0, and "
					 "legacy, that of earlier versions.")));
	pg_unreachable();
}

/*
 * minhash_datasketch(tokens, k, seed, scheme). Raises invalid_parameter_value for a k or a seed that
 * is out of range or an unknown scheme, and null_value_not_allowed for a NULL token.
 */
Datum
minhash_datasketch(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	int32 k = PG_GETARG_INT32(1);
	int64 seed = PG_GETARG_INT64(2);
	MinhashKind kind = {.profile = profile_of_scheme(PG_GETARG_TEXT_PP(3)),
						.k = k,
						.bits = MINHASH_FULL_BITS,
						.seed = (uint64) seed};
	Datum *elements;
	int count;
	const Permutations *permutations;
	uint32 *hashes;
	uint32 *components;
	Minhash *sketch;

	MinhashCheckK(k);
	if (seed < 0 || seed > PG_UINT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("seed of minhash_datasketch must be between 0 and %u", PG_UINT32_MAX),
				 errdetail("The seed is %lld.", (long long) seed)));
	if (array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
						errmsg("array of tokens must not contain nulls"),
						errhint("Remove them with array_remove(array, NULL).")));
	deconstruct_array(array, TEXTOID, -1, false, TYPALIGN_INT, &elements, NULL, &count);
	if (count == 0)
		PG_RETURN_MINHASH(MinhashFromComponents(kind, NULL));

	permutations = permutations_of_call(fcinfo, kind);
	hashes = hash_elements(elements, count);
	components = palloc((Size) k * sizeof(uint32));
	memset(components, 0xff, (Size) k * sizeof(uint32));
	for (int i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (kind.profile == MINHASH_DATASKETCH_AFFINE32)
			lower_by_affine32(permutations, hashes[i], components);
		else
			lower_by_legacy(permutations, hashes[i], components);
	}
	sketch = MinhashFromComponents(kind, components);
	pfree(hashes);
	pfree(components);
	PG_FREE_IF_COPY(array, 0);
	PG_RETURN_MINHASH(sketch);
}
