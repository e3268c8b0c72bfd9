/*
 * list_candidates.h
 *		From two entries of a list, whose signatures are near, to an emitted pair.
 *
 * A pair takes the filters that need its two entries only: the positional filter and the bitmap
 * filter with the pair's own distance. If it passes, it waits in a queue while its tokens are
 * fetched into the cache. From the queue it takes the test for the first common token, and
 * verification.
 */
#ifndef NEARDUP_KERNEL_LIST_CANDIDATES_H
#define NEARDUP_KERNEL_LIST_CANDIDATES_H

#include "kernel/demand/demands.h"
#include "kernel/join.h"
#include "kernel/lists/list_index.h"

/* A record in a list. */
typedef struct ListEntry
{
	uint32 record;
	uint32 previous; /* the record's preceding token, or LIST_NO_TOKEN */
	uint32 position; /* place of the list's token in the record, from 0 */
	uint32 size_class;
} ListEntry;

/*
 * What a weighted join needs of an entry's record. Each record is a class of its own, and to read
 * it where the classes are would be a cache miss.
 */
typedef struct ListEntryWeight
{
	double extent;
	float rest; /* the weight from the list's token on, rounded up */
} ListEntryWeight;

/* A pair that passed the filters at a common token, perhaps not its first. */
typedef struct ListCandidate
{
	ListEntry x;
	ListEntry y;
	uint32 least_overlap;

	/* In a weighted join, the weights from the token on, and the least overlap. */
	float x_rest;
	float y_rest;
	double least_weight;
} ListCandidate;

#define LIST_QUEUE_SIZE 64

/*
 * The queue of one process. Where not all pairs are wanted, the demand is asked when a pair leaves the
 * queue, before its tokens are read: the pairs before it may have met what was wanted.
 */
typedef struct ListCandidates
{
	const ListIndex *index;
	const JoinRecords *records;
	JoinHost *host;
	JoinEmit emit;
	void *emit_context;
	JoinCounters *counters;

	ListCandidate queue[LIST_QUEUE_SIZE];
	uint32 queued;
	OpenDemand *demand; /* NULL if all pairs are wanted */
} ListCandidates;

extern void ListCandidatesBegin(ListCandidates *candidates, const ListIndex *index, JoinEmit emit,
								void *emit_context, JoinCounters *counters);

/*
 * Takes a pair of entries of one list, whose signatures have this distance. y is before x in the
 * order of records, unless the join is directed. There is a function for unweighted and one for
 * weighted joins.
 */
extern void ListCandidatesAdd(ListCandidates *candidates, const ListEntry *x, const ListEntry *y,
							  uint32 distance);
extern void ListCandidatesAddWeighted(ListCandidates *candidates, const ListEntry *x,
									  const ListEntry *y, ListEntryWeight x_weight,
									  ListEntryWeight y_weight, uint32 distance);

/* Verifies the pairs in the queue, and emits the similar ones. */
extern void ListCandidatesVerify(ListCandidates *candidates);

/* Verifies what is queued, and frees the memory. */
extern void ListCandidatesEnd(ListCandidates *candidates);

#endif
