/*
 * canonical.h
 *		From records as they arrived to classes of records of one size.
 */
#ifndef NEARDUP_KERNEL_CANONICAL_H
#define NEARDUP_KERNEL_CANONICAL_H

#include "kernel/records/records.h"

/*
 * Ranks the tokens and moves the records into classes, one for each size. Frees the dictionary and
 * the records as they arrived. Tokens stay ids; rank_of_id says their ranks.
 */
extern void JoinRecordsGroup(JoinRecords *records);

#endif
