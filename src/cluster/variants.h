/*
 * variants.h
 *		Tells the user where the rows that could go differ from what is kept in numbers, or in a word, alone.
 */
#ifndef NEARDUP_CLUSTER_VARIANTS_H
#define NEARDUP_CLUSTER_VARIANTS_H

#include "cluster/duplicate_rows.h"

/*
 * Raises a NOTICE where many of the near-duplicates differ from the row that is kept only in words
 * with a digit (text/number_words.h), and one where many differ only in one other word. cluster[] has the
 * place of that row for the first row of each content. Reads the texts of at most a thousand
 * near-duplicates, and of the rows that are kept for these. To be called after the end of the join.
 */
extern void VariantsReport(const DuplicateRows *duplicates, const uint32 *cluster);

#endif
