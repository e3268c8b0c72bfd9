/*
 * pair_demand.h
 *		Which of all similar pairs the caller of a join wants.
 *
 * The caller tells it by keys, which are the numbers 0 to key_count - 1 of its rows: the roles of the
 * rows, and a kind of demand that chooses among the pairs by these roles. A kind is a table of functions,
 * in a file of its own in kernel/demand; demands.c lists them.
 *
 * An engine that can use a demand asks it whether a pair is wanted before it touches the pair's tokens,
 * and tells it what was found. Each process asks for itself (OpenDemand), and knows the pairs that it has
 * found itself. An engine may always find pairs that are not wanted, as long as they are similar.
 */
#ifndef NEARDUP_KERNEL_PAIR_DEMAND_H
#define NEARDUP_KERNEL_PAIR_DEMAND_H

#include "kernel/records/records.h"
#include "measure/measure.h"

typedef struct PairDemandKind PairDemandKind;

typedef struct PairDemand
{
	uint32 key_count;
	const uint8 *roles;			/* JoinRole by key; NULL if all seek */
	const PairDemandKind *kind; /* NULL if all pairs are wanted that the roles allow */
	void *of_keys; /* the kind's data by key; NULL while it is not known, so that all are wanted */

	/*
	 * Returns whether a similar pair of these keys is a result; NULL if each is. It refuses pairs
	 * that are similar by an accident, such as equal hashes of tokens of different scopes. If
	 * rejects_similar, it refuses others too: then an engine may not skip a pair because its keys
	 * are connected through others.
	 */
	bool (*accepts)(const void *context, int64 a, int64 b);
	const void *accepts_context;
	bool rejects_similar;
} PairDemand;

/*
 * A pair of records that an engine asks about. Each stands for the records of its side that equal it and
 * follow it, which a kind must consider. Sizes and overlap mean nothing in a weighted join.
 */
typedef struct AskedPair
{
	uint32 x; /* the left operand, where the measure has one */
	uint32 y;
	int64 x_size;
	int64 y_size;
	int64 overlap; /* of a pair that was found, else the most that is possible */
} AskedPair;

/* What a process still wants while it finds pairs. A kind has this at the beginning of its own struct. */
typedef struct OpenDemand
{
	const PairDemandKind *kind;
	const JoinRecords *records;
} OpenDemand;

struct PairDemandKind
{
	Size record_bytes;	/* bytes that it takes for each record */
	bool one_of_equals; /* of records equal to x and y, the pair of any two is enough */

	/* Forgets what earlier passes have left by key; NULL if nothing is kept. */
	void (*begin)(const PairDemand *demand);

	/* Sets records->demand.shared by what is told of the keys, with RecordDemandAllocate. */
	void (*set)(JoinRecords *records, const PairDemand *demand, const int64 *keys);

	/* Begins to ask in this process; NULL if all pairs are wanted in such a join. */
	OpenDemand *(*open)(const JoinRecords *records, Predicate predicate);

	/* Returns whether the pair is wanted, as far as its sizes and the overlap tell. */
	bool (*wants)(OpenDemand *open, const AskedPair *pair);

	/* Notes a similar pair that was found, if it is wanted, and returns whether it is. */
	bool (*note)(OpenDemand *open, const AskedPair *pair);

	/* Frees the memory, and keeps by key what later parts of spilled rows must know. */
	void (*close)(OpenDemand *open);
};

/* Wants the pairs by these roles of `count` keys, NULL for all pairs, and no choice among them. */
static inline void
PairDemandByRoles(PairDemand *demand, const uint8 *roles, uint32 count)
{
	demand->key_count = count;
	demand->roles = roles;
	demand->kind = NULL;
	demand->of_keys = NULL;
}

/* Begins a pass over all records. */
static inline void
PairDemandBegin(const PairDemand *demand)
{
	if (demand->kind != NULL && demand->kind->begin != NULL)
		demand->kind->begin(demand);
}

/* Returns shared memory for what a kind knows of the records. */
static inline void *
RecordDemandAllocate(JoinRecords *records, Size bytes)
{
	records->demand.shared_bytes = bytes;
	return records->demand.shared = JoinAllocateShared(records->host, 1, bytes);
}

/* Returns the bytes that the demand takes for each record. */
static inline Size
PairDemandRecordBytes(const PairDemand *demand)
{
	return demand->kind != NULL ? demand->kind->record_bytes : 0;
}

#endif
