/*
 * share_records.h
 *		Canonical records in the arena, for several processes.
 */
#ifndef NEARDUP_KERNEL_SHARE_RECORDS_H
#define NEARDUP_KERNEL_SHARE_RECORDS_H

#include "kernel/records/records.h"

/* Moves them to the arena, if there are workers. */
extern void JoinShareRecords(JoinRecords *records);

/* Makes a copy of the leader's records point into the worker's arena. */
extern void JoinAdoptRecords(JoinRecords *records, JoinHost *host, const char *leader_base);

#endif
