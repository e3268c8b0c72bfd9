/*
 * number_variants.h
 *		Tells the user where the rows that could go differ from what is kept in numbers alone.
 */
#ifndef NEARDUP_CLUSTER_NUMBER_VARIANTS_H
#define NEARDUP_CLUSTER_NUMBER_VARIANTS_H

#include "cluster/duplicate_rows.h"

/*
 * Raises a NOTICE where many of the near-duplicates differ from the row that is kept only in words
 * with a digit (text/number_words.h). cluster[] has the place of that row for the first row of each
 * content. Reads the texts of at most ten thousand near-duplicates, and of the rows that are kept for
 * these, by one query in the caller's snapshot. To be called after the end of the join.
 */
extern void NumberVariantsReport(const DuplicateRows *duplicates, const uint32 *cluster);

#endif
