/*
 * minhash.h
 *		The minhash type: a sketch of k minima over hashed tokens.
 */
#ifndef NEARDUP_MINHASH_H
#define NEARDUP_MINHASH_H

#include "fmgr.h"

#include "minhash/family.h"

/* Where components come from: which sketches can be compared. */
typedef enum MinhashProfile
{
	MINHASH_NEARDUP,	/* family.h, over token_hash.h */
	MINHASH_DATASKETCH, /* the values of the Python package datasketch */
	MINHASH_EXTERNAL	/* from an array, of an origin that is not known */
} MinhashProfile;

#define MINHASH_PROFILES (MINHASH_EXTERNAL + 1)

/* Bits of a component of full width, and the component that no token lowered. */
#define MINHASH_FULL_BITS 32
#define MINHASH_NO_TOKEN PG_UINT32_MAX

/*
 * In memory and on disk. Component i stands in the bits i * bits to (i + 1) * bits - 1,
 * the lowest bit of words[0] being the first; what is left of the last word
 * is 0. The sketch of the empty set has no words.
 */
typedef struct Minhash
{
	int32 vl_len_; /* varlena header (do not touch directly) */
	uint8 version;
	uint8 profile;
	uint8 bits;		/* of each component, 1 to 32 */
	uint8 is_empty; /* of the empty set */
	int32 k;		/* 1 to MINHASH_MAX_K */
	int32 unused;
	uint64 seed;
	uint32 words[FLEXIBLE_ARRAY_MEMBER];
} Minhash;

#define MINHASH_VERSION 1
#define MINHASH_HEADER_SIZE offsetof(Minhash, words)

/* What two sketches must have in common. */
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

/* Component i of a sketch that is not empty. */
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

/* Raises data_corrupted where the value's version is not known; returns the sketch. */
extern Minhash *MinhashCheck(Minhash *sketch);

extern const char *MinhashProfileName(MinhashProfile profile);

/* The profile of this name; false if there is none. */
extern bool MinhashProfileByName(const char *name, MinhashProfile *profile);

/* invalid_parameter_value where k or bits is out of range. */
extern void MinhashCheckK(int32 k);
extern void MinhashCheckBits(int32 bits);

/* A sketch whose words are 0, or that of the empty set. */
extern Minhash *MinhashAllocate(MinhashKind kind, bool is_empty);

/* A sketch of the lowest bits of these k components; NULL for the empty set. */
extern Minhash *MinhashFromComponents(MinhashKind kind, const uint32 *components);

/* invalid_parameter_value unless both sketches are of one kind. */
extern void MinhashCheckSameKind(MinhashKind a, MinhashKind b);

/* invalid_parameter_value, which names what is asked for, unless components have their full width. */
extern void MinhashCheckFullWidth(const Minhash *sketch, const char *what);

/* In how many components both agree; 0 where one is of the empty set. */
extern int32 MinhashMatches(const Minhash *a, const Minhash *b);

#endif
