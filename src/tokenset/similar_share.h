/*
 * similar_share.h
 *		Estimates of how many sets of a column are similar, by its statistics.
 *
 * All are fractions of the rows, or of the pairs of rows.
 */
#ifndef NEARDUP_SIMILAR_SHARE_H
#define NEARDUP_SIMILAR_SHARE_H

#include "tokenset/statistics.h"

/* The assumed fraction of rows that have a similar one in another table, where nothing is known. */
#define SEMIJOIN_SHARE 0.2

/* Returns the fraction of rows that are similar to a value. */
extern double SimilarToKnown(SetStatistics *stats, Predicate predicate, const Tokenset *value,
							 bool value_is_right);

/*
 * Returns the fraction of rows that are similar to a value that is not known. It is assumed to be
 * drawn from the column: a set with many similar ones is sought as often as it occurs.
 */
extern double SimilarToUnknown(SetStatistics *stats, Predicate predicate);

/*
 * Returns the fraction of all pairs of rows that are similar. Both sides give an estimate for the number
 * of rows that are similar to a set; the lower fraction is taken, which is usually that of the larger
 * table. Of sets that need one common token alone, both sides together tell.
 */
extern double SimilarInPairs(SetStatistics *left, SetStatistics *right, Predicate predicate);

/*
 * Returns the fraction of rows of the left side of a semijoin that have a similar one on the right. Rows
 * of another table are taken to be like those of the right one: as many as there have another similar
 * row, but not fewer than usual.
 */
extern double ShareWithSimilar(SetStatistics *left, SetStatistics *right, Predicate predicate,
							   bool same_table);

/*
 * Returns the fraction of sets of which an index returns the rows for a call of
 * heaviest_tokens_query: sets that have some of the value's rarest tokens, also without being
 * similar by weights.
 */
extern double RarestTokensShare(SetStatistics *stats, Predicate predicate, const Tokenset *value);

/* Returns the fraction of sets that share a token with a value, as if tokens were independent. */
extern double AnyTokenShare(SetStatistics *stats, const Tokenset *value);

/*
 * Returns how many tokens a set of each column has in common on average, if both draw theirs
 * independently. A token that only one column lists is in the other as often as an unlisted one. Both
 * lists ascend, and are read side by side.
 */
extern double MeanCommonTokens(const SetStatistics *x, const SetStatistics *y);

#endif
