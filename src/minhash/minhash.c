/*
 * minhash.c
 *		The minhash type: construction, checks, comparison of components.
 */
#include "postgres.h"

#include "compat.h"
#include "minhash/minhash.h"

static const char *const profile_names[MINHASH_PROFILES] = {
	[MINHASH_NEARDUP] = "neardup",
	[MINHASH_DATASKETCH_LEGACY] = "datasketch-legacy",
	[MINHASH_EXTERNAL] = "external",
	[MINHASH_DATASKETCH_AFFINE32] = "datasketch-affine32"};

Minhash *
MinhashCheck(Minhash *sketch)
{
	if (unlikely(sketch->version != MINHASH_VERSION))
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("minhash has unknown version %d", sketch->version)));
	return sketch;
}

const char *
MinhashProfileName(MinhashProfile profile)
{
	Assert(profile < MINHASH_PROFILES);
	return profile_names[profile];
}

bool
MinhashProfileByName(const char *name, MinhashProfile *profile)
{
	for (int i = 0; i < MINHASH_PROFILES; i++)
	{
		if (strcmp(name, profile_names[i]) == 0)
		{
			*profile = (MinhashProfile) i;
			return true;
		}
	}
	return false;
}

/* Raises invalid_parameter_value unless a number is from 1 to `most`. */
static void
check_range(const char *what, int32 value, int32 most)
{
	if (value < 1 || value > most)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("%s of a minhash must be between 1 and %d", what, most),
						errdetail("The number is %d.", value)));
}

void
MinhashCheckK(int32 k)
{
	check_range("number of components", k, MINHASH_MAX_K);
}

void
MinhashCheckBits(int32 bits)
{
	check_range("bits of a component", bits, MINHASH_FULL_BITS);
}

Minhash *
MinhashAllocate(MinhashKind kind, bool is_empty)
{
	Size words = is_empty ? 0 : MinhashWords(kind.k, kind.bits);
	Size size = MINHASH_HEADER_SIZE + words * sizeof(uint32);
	Minhash *sketch = palloc0(size);

	SET_VARSIZE(sketch, size);
	sketch->version = MINHASH_VERSION;
	sketch->profile = kind.profile;
	sketch->bits = kind.bits;
	sketch->is_empty = is_empty;
	sketch->k = kind.k;
	sketch->seed = kind.seed;
	return sketch;
}

bool
MinhashHasNoToken(MinhashKind kind, const uint32 *components)
{
	if (kind.bits < MINHASH_FULL_BITS)
		return false;
	for (int32 i = 0; i < kind.k; i++)
	{
		if (components[i] != MINHASH_NO_TOKEN)
			return false;
	}
	return true;
}

Minhash *
MinhashFromComponents(MinhashKind kind, const uint32 *components)
{
	bool is_empty = components == NULL || MinhashHasNoToken(kind, components);
	Minhash *sketch = MinhashAllocate(kind, is_empty);
	uint32 mask = PG_UINT32_MAX >> (32 - kind.bits);

	for (int32 i = 0; !is_empty && i < kind.k; i++)
	{
		uint32 bit = (uint32) i * kind.bits;
		uint64 value = (uint64) (components[i] & mask) << (bit % 32);

		sketch->words[bit / 32] |= (uint32) value;
		if (value > PG_UINT32_MAX)
			sketch->words[bit / 32 + 1] |= (uint32) (value >> 32);
	}
	return sketch;
}

void
MinhashCheckSameKind(MinhashKind a, MinhashKind b)
{
	if (likely(a.profile == b.profile && a.k == b.k && a.bits == b.bits && a.seed == b.seed))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("minhash sketches differ in kind"),
			 errdetail("One has k = %d, bits = %d, seed = %lld and profile %s; the other k = %d, "
					   "bits = %d, seed = %lld and profile %s.",
					   a.k, a.bits, (long long) a.seed, MinhashProfileName(a.profile), b.k, b.bits,
					   (long long) b.seed, MinhashProfileName(b.profile)),
			 errhint("Make all sketches that are compared by the same function, with the same k, "
					 "bits and seed.")));
}

void
MinhashCheckFullWidth(const Minhash *sketch, const char *what)
{
	if (unlikely(sketch->bits != MINHASH_FULL_BITS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s needs minhash sketches of full width", what),
				 errdetail("The sketch has %d bits of each component.", sketch->bits),
				 errhint("Call minhash() without bits: it keeps all %d.", MINHASH_FULL_BITS)));
}

int32
MinhashMatches(const Minhash *a, const Minhash *b)
{
	int32 k = a->k;
	int32 matches = 0;

	if (a->is_empty || b->is_empty)
		return 0;
	if (a->bits == MINHASH_FULL_BITS)
	{
		for (int32 i = 0; i < k; i++)
			matches += a->words[i] == b->words[i];
	}
	else
	{
		for (int32 i = 0; i < k; i++)
			matches += MinhashGet(a, i) == MinhashGet(b, i);
	}
	return matches;
}
