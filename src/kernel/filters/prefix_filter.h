/*
 * prefix_filter.h
 *		The prefix filter: similar sets share one of their first tokens.
 *
 * Tokens are in one order, rare ones first. Of α common tokens, the first is
 * among the first |x| - α + 1 of x: α - 1 follow it (Lemma 1). Only such
 * prefixes are indexed and looked up. α is the least for any size of the other
 * set.
 */
#ifndef NEARDUP_KERNEL_PREFIX_FILTER_H
#define NEARDUP_KERNEL_PREFIX_FILTER_H

#include "measure/measure.h"

/*
 * What a set of size a looks up; 0 where none is similar. Asymmetric measures:
 * for the left side.
 */
extern int64 PrefixFilterProbing(Predicate predicate, int64 a);

/*
 * What is indexed of a set that only larger ones look up (Lemma 3). Asymmetric
 * measures: for the right side, all of it.
 */
extern int64 PrefixFilterIndexing(Predicate predicate, int64 b);

#endif
