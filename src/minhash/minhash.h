/*
 * minhash.h
 *		The minhash type: a sketch of k minima over hashed tokens, its components.
 */
#ifndef NEARDUP_MINHASH_H
#define NEARDUP_MINHASH_H

#include "fmgr.h"

#include "sketch/family.h"

/* Origin of the components. */
typedef enum MinhashProfile
{
	MINHASH_NEARDUP,	/* family.h, over token_hash.h */
	MINHASH_DATASKETCH, /* as the Python package datasketch */
	MINHASH_EXTERNAL	/* from an array, of unknown origin */
} MinhashProfile;

#define MINHASH_PROFILES (MINHASH_EXTERNAL + 1)

/* Bits of a full component, and the empty set's components in arrays. */
#define MINHASH_FULL_BITS 32
#define MINHASH_NO_TOKEN PG_UINT32_MAX

/*
 * In memory and on disk. Component i begins at bit i * bits, from the lowest of words[0] on; unused
 * bits are 0. The sketch of the empty set has no words.
 */
typedef struct Minhash
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 profile;
	uint8 bits; /* of each component, 1 to 32 */
	uint8 is_empty;
	int32 k; /* 1 to MINHASH_MAX_K */
	int32 unused;
	uint64 seed;
	uint32 words[FLEXIBLE_ARRAY_MEMBER];
} Minhash;

#define MINHASH_VERSION 1
#define MINHASH_HEADER_SIZE offsetof(Minhash, words)

typedef struct MinhashKind
{
	MinhashProfile profile;
	int32 k;
	int32 bits;
	uint64 seed;
} MinhashKind;

static inline MinhashKind
MinhashKindOf(const Minhash *sketch)
{
	return (MinhashKind){.profile = (MinhashProfile) sketch->profile,
						 .k = sketch->k,
						 .bits = sketch->bits,
						 .seed = sketch->seed};
}

static inline uint32
MinhashWords(int32 k, int32 bits)
{
	return ((uint32) k * bits + 31) / 32;
}

static inline uint32
MinhashGet(const Minhash *sketch, uint32 i)
{
	uint32 bit = i * sketch->bits;
	uint32 word = bit / 32;
	uint32 shift = bit % 32;
	uint64 window = sketch->words[word];

	if (shift + sketch->bits > 32)
		window |= (uint64) sketch->words[word + 1] << 32;
	return (window >> shift) & (PG_UINT32_MAX >> (32 - sketch->bits));
}

#define DatumGetMinhash(d) MinhashCheck((Minhash *) PG_DETOAST_DATUM(d))
#define PG_GETARG_MINHASH(n) DatumGetMinhash(PG_GETARG_DATUM(n))
#define PG_RETURN_MINHASH(sketch) PG_RETURN_POINTER(sketch)

/* Returns the sketch; data_corrupted where its version is unknown. */
extern Minhash *MinhashCheck(Minhash *sketch);

extern const char *MinhashProfileName(MinhashProfile profile);

extern bool MinhashProfileByName(const char *name, MinhashProfile *profile);

/* invalid_parameter_value where k or bits is out of range. */
extern void MinhashCheckK(int32 k);
extern void MinhashCheckBits(int32 bits);

/* The words are 0; the empty set has none. */
extern Minhash *MinhashAllocate(MinhashKind kind, bool is_empty);

/* Whether k components of full width stand for the empty set. */
extern bool MinhashHasNoToken(MinhashKind kind, const uint32 *components);

/* A sketch of the lowest bits of k components; NULL for the empty set, which has one sketch. */
extern Minhash *MinhashFromComponents(MinhashKind kind, const uint32 *components);

/* invalid_parameter_value where the kinds differ. */
extern void MinhashCheckSameKind(MinhashKind a, MinhashKind b);

/* invalid_parameter_value unless of full width; `what` names the operation. */
extern void MinhashCheckFullWidth(const Minhash *sketch, const char *what);

/* Number of equal components of sketches of one kind; 0 where one is of the empty set. */
extern int32 MinhashMatches(const Minhash *a, const Minhash *b);

#endif
