/*
 * sketch.c
 *		The SQL function that makes a sketch of a token set.
 *
 * Drawing the hash functions costs more than to sketch a short text, so they are kept from call to
 * call. Tokens are hashed in blocks, which the scan of sketch/family.h reads several times from the
 * processor's cache.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "minhash/minhash.h"
#include "sketch/token_hash.h"
#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(minhash_from_tokenset);

/* Tokens of a block. */
#define BLOCK 512

/* The hash functions of a k and a seed, and room for their results, kept in fn_extra. */
typedef struct Sketcher
{
	uint64 seed;
	MinhashScan scan;
	uint64 *minima;
	uint32 *components;
	MinhashFamily family;
} Sketcher;

/* Returns the functions of k and the seed: those of the previous call, if they were the same. */
static Sketcher *
sketcher_of_call(FunctionCallInfo fcinfo, int32 k, uint64 seed)
{
	Sketcher *sketcher = fcinfo->flinfo->fn_extra;
	MemoryContext context = fcinfo->flinfo->fn_mcxt;

	if (sketcher != NULL && sketcher->family.k == (uint32) k && sketcher->seed == seed)
		return sketcher;
	if (sketcher != NULL)
	{
		fcinfo->flinfo->fn_extra = NULL;
		pfree(sketcher->minima);
		pfree(sketcher->components);
		pfree(sketcher);
	}
	sketcher =
		MemoryContextAlloc(context, offsetof(Sketcher, family) + MinhashFamilySize((uint32) k));
	MinhashFamilyInit(&sketcher->family, (uint32) k, seed);
	sketcher->seed = seed;
	sketcher->scan = MinhashScanBest();
	sketcher->minima = MemoryContextAlloc(context, sketcher->family.lanes * sizeof(uint64));
	sketcher->components = MemoryContextAlloc(context, (Size) k * sizeof(uint32));
	fcinfo->flinfo->fn_extra = sketcher;
	return sketcher;
}

/* Returns the components of a set of tokens, in the sketcher's memory. */
static const uint32 *
sketch_tokens(Sketcher *sketcher, const Token *tokens, uint32 count)
{
	const MinhashFamily *family = &sketcher->family;
	uint64 hashes[BLOCK];

	memset(sketcher->minima, 0xff, family->lanes * sizeof(uint64));
	for (uint32 done = 0; done < count; done += BLOCK)
	{
		uint32 block = Min(count - done, BLOCK);

		CHECK_FOR_INTERRUPTS();
		for (uint32 i = 0; i < block; i++)
			hashes[i] = TokenHash(tokens[done + i], sketcher->seed);
		sketcher->scan(family, hashes, block, sketcher->minima);
	}
	for (uint32 i = 0; i < family->k; i++)
		sketcher->components[i] = MinhashComponent(sketcher->minima[i]);
	return sketcher->components;
}

Datum
minhash_from_tokenset(PG_FUNCTION_ARGS)
{
	int32 k = PG_GETARG_INT32(1);
	int32 bits = PG_GETARG_INT32(2);
	MinhashKind kind = {
		.profile = MINHASH_NEARDUP, .k = k, .bits = bits, .seed = (uint64) PG_GETARG_INT64(3)};
	Tokenset *set;
	const uint32 *components = NULL;
	Minhash *sketch;

	MinhashCheckK(k);
	MinhashCheckBits(bits);
	set = PG_GETARG_TOKENSET(0);
	if (TokensetCount(set) > 0)
		components = sketch_tokens(sketcher_of_call(fcinfo, k, kind.seed), set->tokens,
								   (uint32) TokensetCount(set));
	sketch = MinhashFromComponents(kind, components);
	PG_FREE_IF_COPY(set, 0);
	PG_RETURN_MINHASH(sketch);
}
