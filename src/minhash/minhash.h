/*
 * minhash.h
 *		The minhash type: a sketch of k minima over hashed tokens, its components.
 *
 * sketch/family.h explains what the components are and why two sets agree in one with a probability
 * that is their Jaccard similarity. Components of different hash functions must never be compared.
 * So a sketch carries its kind: where its components come from (the profile), k, the bits that are
 * kept of each, and the seed. Two sketches of different kinds are an error, not a wrong number.
 *
 * With 32 bits, components are stored in full. With fewer, only the lowest bits of each are stored
 * (b-bit minwise hashing, Li and König 2010): similarity.c explains how to estimate from them.
 */
#ifndef NEARDUP_MINHASH_H
#define NEARDUP_MINHASH_H

#include "fmgr.h"

#include "sketch/family.h"

/* Where the components come from. The numbers are stored. */
typedef enum MinhashProfile
{
	MINHASH_NEARDUP,			/* sketch/family.h, over sketch/token_hash.h */
	MINHASH_DATASKETCH_LEGACY,	/* datasketch.c: the Python package of this name before 2.0 */
	MINHASH_EXTERNAL,			/* an array of unknown origin */
	MINHASH_DATASKETCH_AFFINE32 /* datasketch.c: the package's default since 2.0 */
} MinhashProfile;

#define MINHASH_PROFILES (MINHASH_DATASKETCH_AFFINE32 + 1)

/* The bits of a full component. */
#define MINHASH_FULL_BITS 32

/*
 * What stands for each component of the empty set in arrays. A set of tokens has only such
 * components with a chance of 2^-32k; it then counts as empty.
 */
#define MINHASH_NO_TOKEN PG_UINT32_MAX

/*
 * In memory and on disk. Components are packed without gaps: component i takes the bits from i *
 * bits on, counted from the lowest bit of words[0], and may lie in two words. The bits behind the
 * last one are 0. The sketch of the empty set has no words. Equal sketches are equal bytes.
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

/* What two sketches must have in common to be compared. */
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

/* Returns the number of words for k components. */
static inline uint32
MinhashWords(int32 k, int32 bits)
{
	return ((uint32) k * bits + 31) / 32;
}

/* Returns component i of a sketch that is not of the empty set. */
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

/* Returns the sketch. Raises data_corrupted if its version is unknown. */
extern Minhash *MinhashCheck(Minhash *sketch);

/* Returns the name of a profile, a constant. */
extern const char *MinhashProfileName(MinhashProfile profile);

/* Finds a profile by its name; false if there is none. */
extern bool MinhashProfileByName(const char *name, MinhashProfile *profile);

/* Raise invalid_parameter_value for a k, or a number of bits, that is out of range. */
extern void MinhashCheckK(int32 k);
extern void MinhashCheckBits(int32 bits);

/* Returns a new sketch in the current memory context, whose words are 0. */
extern Minhash *MinhashAllocate(MinhashKind kind, bool is_empty);

/* Returns whether k components stand for the empty set, which only full ones can. */
extern bool MinhashHasNoToken(MinhashKind kind, const uint32 *components);

/*
 * Returns a new sketch of the lowest bits of k components. If components is NULL, or stands for the
 * empty set, returns the one sketch of the empty set that the kind has.
 */
extern Minhash *MinhashFromComponents(MinhashKind kind, const uint32 *components);

/* Raises invalid_parameter_value if the kinds differ. */
extern void MinhashCheckSameKind(MinhashKind a, MinhashKind b);

/*
 * Raises invalid_parameter_value unless the components are full. `what` names the operation, as the
 * beginning of the message.
 */
extern void MinhashCheckFullWidth(const Minhash *sketch, const char *what);

/*
 * Returns the number of equal components of two sketches, which must be of one kind; 0 if one is of
 * the empty set.
 */
extern int32 MinhashMatches(const Minhash *a, const Minhash *b);

#endif
