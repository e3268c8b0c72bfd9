/*
 * record_tails.h
 *		Records whose frequent tokens find no pairs.
 *
 * Tokens that thousands of rows have, such as the name of a town, bring pairs together that have little
 * in common, and the more rows there are, the more such pairs each row has. So a join that need not find
 * all pairs may have a limit of rows. The frequent tokens of a record are its tail: its size and its total
 * are those of what comes first. Engines find the pairs that are similar without their tails, and of these
 * the join takes those that are similar with them (JoinIsSimilarWhole).
 *
 * What comes first weighs at least half of all that other records may share. So records are still found
 * whose tokens are all frequent, as those of a large family are.
 */
#ifndef NEARDUP_KERNEL_RECORD_TAILS_H
#define NEARDUP_KERNEL_RECORD_TAILS_H

#include "kernel/records/records.h"

/*
 * Cuts the tails off the records of a weighted join, if there is a limit. Their totals become less; their
 * sizes do when they are ordered by totals (record_weights.h).
 */
extern void RecordTailsCut(JoinRecords *records);

#endif
