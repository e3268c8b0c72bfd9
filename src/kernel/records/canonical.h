/*
 * canonical.h
 *		Putting records in their canonical order.
 *
 * JoinCanonicalize (kernel/engine.h) calls these in turn, so that workers share the middle step:
 * JoinRecordsGroup once, JoinRecordsOrder for each unit, JoinRecordsFreeRanks (records.h) once.
 */
#ifndef NEARDUP_KERNEL_CANONICAL_H
#define NEARDUP_KERNEL_CANONICAL_H

#include "kernel/records/records.h"

/*
 * Ranks the tokens and moves the records into classes, one for each size. Frees the dictionary and
 * the records as they arrived. Tokens stay ids; rank_of_id says their ranks.
 */
extern void JoinRecordsGroup(JoinRecords *records);

/*
 * Replaces the ids of some classes by ranks and puts these classes' records in order. The classes
 * are divided among `units` calls, one for each unit from 0 on, which may run in different
 * processes.
 */
extern void JoinRecordsOrder(JoinRecords *records, uint32 unit, uint32 units);

#endif
