/*
 * minhash_formula.c
 *		A family of hash functions, and its components by the formula itself.
 */
#include "c.h"

#include <stdlib.h>

#include "minhash_formula.h"

MinhashFamily *
make_family(uint32 k, uint64 seed)
{
	MinhashFamily *family = malloc(MinhashFamilySize(k));

	if (family == NULL)
		abort();
	MinhashFamilyInit(family, k, seed);
	return family;
}

uint32
minhash_component(const MinhashFamily *family, uint32 i, const uint64 *hashes, uint32 count)
{
	uint64 least = PG_UINT64_MAX;

	for (uint32 n = 0; n < count; n++)
		least =
			Min(least, family->parameters[i] * hashes[n] + family->parameters[family->lanes + i]);
	return least >> 32;
}
