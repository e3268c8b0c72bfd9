/*
 * set_families.h
 *		The families of near-duplicate sets of a column, a statistic that ANALYZE keeps.
 *
 * Frequencies of tokens do not tell which tokens occur together. The families do: each is a set,
 * its leader, with the fraction of all sets that resemble it. The statistic tells how many sets of
 * the column are similar to a given one, and how many pairs there are.
 */
#ifndef NEARDUP_SET_FAMILIES_H
#define NEARDUP_SET_FAMILIES_H

#include "tokenset/tokenset.h"

/* The kind of its slot in pg_statistic, from the numbers for private use. */
#define STATISTIC_KIND_SET_FAMILIES 21077

/* Members are counted by their Jaccard similarity to the leader: at least 0.6, 0.7, 0.8, 0.9, 1. */
#define FAMILY_STEPS 5

typedef struct SetFamily
{
	int32 size;					/* tokens of the leader */
	int32 listed;				/* tokens of the leader whose hashes are listed */
	float4 share[FAMILY_STEPS]; /* fraction of all sets that are members, by least similarity */
} SetFamily;

/* The value of the slot, of type bytea. Its hashes ascend; each has the number of its family. */
typedef struct SetFamilies
{
	int32 vl_len_;
	int32 count;	  /* of families */
	int32 hash_count; /* followed by these hashes, then by their families as uint16 */
	/* Of families of two and more sets that are not kept: the fractions of all pairs and sets. */
	float4 other_pairs[FAMILY_STEPS];
	float4 other_sets[FAMILY_STEPS];
	SetFamily families[FLEXIBLE_ARRAY_MEMBER];
} SetFamilies;

typedef struct FamilySample FamilySample;

/* Begins to collect families from at most `sets` sets. */
extern FamilySample *FamilySampleBegin(int sets);

/* Adds a set. */
extern void FamilySampleAdd(FamilySample *sample, const Tokenset *set);

/*
 * Returns the largest families, in a new value; at most `most` of them, within a number of listed
 * hashes that is proportional to `most`.
 */
extern SetFamilies *FamilySampleResult(FamilySample *sample, int most);

/* Returns whether a value has the size that its numbers of families and hashes ask for. */
extern bool SetFamiliesAreComplete(const SetFamilies *families);

/* Returns the fraction of the sets that are in families and similar to a value. */
extern double FamiliesSimilarTo(const SetFamilies *families, Predicate predicate,
								const Tokenset *value, bool value_is_right);

/*
 * Returns the fraction of pairs of different sets whose Jaccard similarity is at least this one; in
 * *others the part of families that are not kept.
 */
extern double FamiliesSimilarPairs(const SetFamilies *families, double jaccard, double *others);

/* Returns the fraction of sets to which another one has at least this Jaccard similarity. */
extern double FamiliesWithOther(const SetFamilies *families, double jaccard);

#endif
