/*
 * record_weights.h
 *		Canonical records of a weighted join.
 */
#ifndef NEARDUP_KERNEL_RECORD_WEIGHTS_H
#define NEARDUP_KERNEL_RECORD_WEIGHTS_H

#include "kernel/records/records.h"

/* Sets the weights by rank, while the dictionary has the document frequencies. */
extern void JoinWeightsRank(JoinRecords *records);

/* From the order of sizes to that of totals. */
extern void JoinRecordsOrderByWeight(JoinRecords *records);

#endif
