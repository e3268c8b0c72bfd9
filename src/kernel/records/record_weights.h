/*
 * record_weights.h
 *		Weights and order of the records of a weighted join.
 */
#ifndef NEARDUP_KERNEL_RECORD_WEIGHTS_H
#define NEARDUP_KERNEL_RECORD_WEIGHTS_H

#include "kernel/records/records.h"

/* Sets the weights by rank. The dictionary must still have the document frequencies. */
extern void JoinWeightsRank(JoinRecords *records);

/* Puts canonical records, whose totals are set, in the order of these instead of sizes. */
extern void JoinRecordsOrderByWeight(JoinRecords *records);

#endif
