/*
 * record_order.h
 *		Putting the records of each class in their canonical order.
 */
#ifndef NEARDUP_KERNEL_RECORD_ORDER_H
#define NEARDUP_KERNEL_RECORD_ORDER_H

#include "kernel/records/records.h"

/* How far units have come with classes whose records several units have. */
typedef enum RecordOrderStep
{
	ORDER_SORT,	   /* whole classes are put in order, runs of cut classes are sorted */
	ORDER_COLLECT, /* each unit collects its part of the order from all runs */
	ORDER_PUT_BACK /* the parts go to their places */
} RecordOrderStep;

/*
 * Replaces the ids of grouped records (canonical.h) by ranks, and puts the records of each class in
 * order. The leader calls JoinRecordsOrderBegin first and JoinRecordsOrderEnd last. In between, each
 * step is to be done for each unit from 0 on, in any process, before the next step begins. With one
 * unit the first step is all.
 */
extern void JoinRecordsOrderBegin(JoinRecords *records, uint32 units);
extern void JoinRecordsOrder(JoinRecords *records, RecordOrderStep step, uint32 unit, uint32 units);
extern void JoinRecordsOrderEnd(JoinRecords *records);

#endif
