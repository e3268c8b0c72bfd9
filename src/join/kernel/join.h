/*
 * join.h
 *		The exact similarity join of sets, as the paper has it: records in,
 *		pairs out, record by record.
 *
 * The records and the index are only read by a probe; what a probe writes is
 * its own. So ranges can be probed in any order, and by several workers.
 */
#ifndef NEARDUP_JOIN_H
#define NEARDUP_JOIN_H

#include "measure/measure.h"
#include "join/kernel/records.h"

/* The first three are those of "Efficient Similarity Joins for Near Duplicate Detection" (WWW 2008). */
typedef enum JoinAlgorithm
{
	JOIN_ALLPAIRS,	  /* prefix and size filter */
	JOIN_PPJOIN,	  /* and positional filter, shorter indexing prefix (Algorithm 1, Lemma 3) */
	JOIN_PPJOIN_PLUS, /* and suffix filter (Algorithm 5) */
	JOIN_AUTO,		  /* what is fastest (engine.h): list by list, with signatures (list_join.c) */
	JOIN_BUCKETS	  /* records that share a key (bucket_join.h); not all pairs */
} JoinAlgorithm;

/* What follows from the predicate for records of one size. */
typedef struct SizeClass
{
	uint32 size;
	uint32 probing_prefix;
	uint32 indexing_prefix; /* as the algorithm indexes it */
	uint32 outgrown; /* records before this one are too small to be similar, also to larger ones */
	uint32 first_record; /* records before this one do not come from the index */
} SizeClass;

/* What is joined, and how. Read-only once made. */
typedef struct JoinSpec
{
	const JoinRecords *records;
	Predicate predicate;
	JoinAlgorithm algorithm;
	SizeClass *classes; /* one for each of records->class_sizes */
	uint32 free_limit;	/* a record from this one on is similar to none without a common token */
} JoinSpec;

extern void JoinSpecInit(JoinSpec *spec, const JoinRecords *records, Predicate predicate,
						 JoinAlgorithm algorithm);
extern void JoinSpecFree(JoinSpec *spec);

/* Where a token stands in the indexed prefix of a record. */
typedef struct Posting
{
	uint32 record;
	uint32 position; /* from 0 */
	uint32 size_class;
} Posting;

/*
 * Inverted lists of the indexing prefixes, one after the other: the list of
 * rank w is postings[starts[w]] to postings[starts[w + 1]]. Lists are in the
 * order of records, hence in the order of sizes.
 */
typedef struct PrefixIndex
{
	uint64 *starts;
	Posting *postings;
} PrefixIndex;

/*
 * A symmetric R-S join has an index for each side, and each record looks up
 * the other side's; a self-join has one for both. An asymmetric join indexes
 * the right side, and the left looks it up.
 */
typedef struct PrefixIndexes
{
	PrefixIndex sides[2]; /* [0] left records, [1] right records; equal in a self-join */
	uint64 posting_count;
} PrefixIndexes;

extern void PrefixIndexBuild(PrefixIndexes *indexes, const JoinSpec *spec);
extern void PrefixIndexFree(PrefixIndexes *indexes, const JoinSpec *spec);

/*
 * Counted as the paper counts, by its algorithms. Every pair that meets in a list and passes the
 * size filter is pruned by position, or by suffix, or is a candidate; each is
 * counted once. JOIN_AUTO, list by list, counts what it prunes in each list where the pair
 * meets; candidates it counts once. JOIN_BUCKETS counts as candidates the pairs of different
 * contents that share a key, before the bitmap filter.
 */
typedef struct JoinCounters
{
	uint64 candidates; /* pairs on entry to Verify (Algorithm 2), before its upper bound */
	uint64 pruned_by_position;
	uint64 pruned_by_suffix;
	uint64 pruned_by_bitmap;
} JoinCounters;

static inline void
JoinCountersAdd(JoinCounters *sum, const JoinCounters *counters)
{
	sum->candidates += counters->candidates;
	sum->pruned_by_position += counters->pruned_by_position;
	sum->pruned_by_suffix += counters->pruned_by_suffix;
	sum->pruned_by_bitmap += counters->pruned_by_bitmap;
}

/*
 * Receives each similar pair once, in no particular order, with the overlap.
 * In an R-S join x is the left record; under an asymmetric measure x is
 * the left side of the predicate. Where the measure has no value, the overlap
 * of a pair that needs none is not counted, and 0.
 */
typedef void (*JoinEmit)(void *context, const JoinRecord *x, const JoinRecord *y, uint32 overlap);

/*
 * Joins records with those before them (asymmetric: with all), by one of the
 * paper's algorithms. Finds the pairs that have a token in common, or must have.
 */
typedef struct Prober Prober;

extern Prober *ProberBegin(const JoinSpec *spec, const PrefixIndexes *indexes, JoinEmit emit,
						   void *emit_context, JoinCounters *counters);

/* The records first .. end - 1; none before those that it joined already. */
extern void ProberJoin(Prober *prober, uint32 first, uint32 end);
extern void ProberEnd(Prober *prober);

#endif
