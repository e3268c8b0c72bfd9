/*
 * record_demand.h
 *		Which pairs of the present records are wanted, as demands.h has set it.
 *
 * It is a part of JoinRecords. Workers have a copy, whose pointers they adopt.
 */
#ifndef NEARDUP_KERNEL_RECORDS_RECORD_DEMAND_H
#define NEARDUP_KERNEL_RECORDS_RECORD_DEMAND_H

/*
 * Which pairs of a record an engine must find: the bits of the role say whether it looks up other
 * records, and whether others that look up meet it.
 */
typedef enum JoinRole
{
	JOIN_ABSENT = 0, /* none */
	JOIN_IS_MET = 1, /* in a self-join: only those with records that look up */
	/* In a directed self-join (filters/join_spec.h): only as the left one, with records that are met. */
	JOIN_LOOKS_UP = 2,
	JOIN_SEEKS = JOIN_IS_MET | JOIN_LOOKS_UP /* those with all records that are not absent */
} JoinRole;

typedef struct RecordDemand
{
	uint8 *roles; /* JoinRole by record; NULL if all seek */
	int kind;	  /* number of the PairDemandKind; 0 if all pairs by the roles are wanted */
	void *shared; /* what the kind knows of the records, in shared memory */
	Size shared_bytes;

	/* Workers do not have what follows. */
	const struct PairDemand *demand;
	const int64 *keys; /* number of each row's key */
} RecordDemand;

#endif
