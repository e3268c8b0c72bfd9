/*
 * prefix_filter.h
 *		The prefix filter: similar sets share one of their first tokens.
 *
 * Tokens are in one order, rare ones first. The first of α common tokens is among the first |x| - α
 * + 1 of x, since α - 1 follow (Lemma 1).
 */
#ifndef NEARDUP_KERNEL_PREFIX_FILTER_H
#define NEARDUP_KERNEL_PREFIX_FILTER_H

#include "kernel/records/records.h"
#include "measure/measure.h"

/* Tokens looked up, of the left side if asymmetric; 0 if no set is similar. */
extern int64 PrefixFilterProbing(Predicate predicate, int64 a);

/* Tokens indexed if no smaller set looks up (Lemma 3); all of the right side if asymmetric. */
extern int64 PrefixFilterIndexing(Predicate predicate, int64 b);

/*
 * By weights: a common token is the first of an overlap only where it and those after it weigh as
 * much. Prefixes of a canonical record for two least overlaps, that of probing first.
 */
extern void WeightedPrefixes(const JoinRecords *records, uint32 number, double probing_overlap,
							 double indexing_overlap, uint32 *probing, uint32 *indexing);

#endif
