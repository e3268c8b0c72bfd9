/*
 * prefix_filter.h
 *		The prefix filter: similar sets share a token of their prefixes.
 *
 * The tokens of all sets are in one order, ascending by document frequency. If x and y have α
 * common tokens, then α - 1 of them follow the first one, in x and in y. So the first is among the
 * first |x| - α + 1 tokens of x, and among the first |y| - α + 1 of y (Lemma 1). Only these
 * prefixes, which consist of the rarest tokens, are indexed and looked up.
 *
 * α depends on both sizes. A set looks up its probing prefix, which is long enough for the smallest
 * similar set. Where records look up only records that are no larger, a record is met only by
 * records of at least its size, and their α with it is no less than the α of two sets of its size;
 * so a shorter indexing prefix suffices (Lemma 3). For example, a set of 10 tokens at Jaccard 0.8
 * is similar to sets of 8 to 12. α is 8 with a set of 8, so the probing prefix is 10 - 8 + 1 = 3; α
 * is 9 with another set of 10, so the indexing prefix is 2.
 *
 * Under a directed measure a set on the left looks up sets on the right, whichever is larger: the
 * probing prefix is one of the left side, and the indexing prefix one of the right side, which serves
 * all similar sets too.
 */
#ifndef NEARDUP_KERNEL_PREFIX_FILTER_H
#define NEARDUP_KERNEL_PREFIX_FILTER_H

#include "kernel/records/records.h"
#include "measure/measure.h"

/*
 * Returns the length of the prefix of a set of size a, on the left or on the right, that serves all sets
 * of the other side that are similar to it by common tokens; 0 if there are none.
 */
extern int64 PrefixFilterOfSide(Predicate predicate, int64 a, bool is_right);

/*
 * Returns how many tokens of a set of size b are indexed if only sets of at least this size look
 * them up (Lemma 3).
 */
extern int64 PrefixFilterIndexing(Predicate predicate, int64 b);

/*
 * Computes both prefixes of a canonical record of a weighted join. A token can only be the first of
 * an overlap if it and the tokens after it weigh as much as the overlap: the prefix ends where they
 * weigh less than probing_overlap or indexing_overlap, and indexing_overlap is no less than
 * probing_overlap.
 */
extern void WeightedPrefixes(const JoinRecords *records, uint32 number, double probing_overlap,
							 double indexing_overlap, uint32 *probing, uint32 *indexing);

#endif
