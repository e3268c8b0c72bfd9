/*
 * load.h
 *		How much memory a join of so many records will take.
 *
 * A join whose records are still arriving must know whether it can be finished
 * within its memory before it is too late to do otherwise. What each phase
 * allocates follows from a few sums over the records.
 */
#ifndef NEARDUP_JOIN_LOAD_H
#define NEARDUP_JOIN_LOAD_H

#include "join/kernel/join.h"

#define LOAD_MEMOIZED_SIZES 256
#define LOAD_MEMOIZED_WIDTHS 4096

typedef struct JoinLoad
{
	Predicate predicate;
	JoinAlgorithm algorithm;
	Size limit;			/* bytes */
	uint32 least_words; /* of signatures: 1, unless records that are expected may want more */

	uint64 postings;   /* at most */
	double set_sizes;  /* the sum over postings of their records' sizes */
	uint32 largest;	   /* record */
	Size bucket_bytes; /* that a record adds to a join by buckets */

	/*
	 * No check is needed before so many more bytes, at most, were needed, the host's included, nor
	 * while the usual size of records, by postings, is in this range.
	 */
	Size slack;
	double least_usual, greatest_usual;
	Size other_bytes; /* the host's at the last check */

	/* By size; 0 where not yet known. */
	uint32 postings_of_size[LOAD_MEMOIZED_SIZES]; /* plus 1 */
	uint8 words_of_size[LOAD_MEMOIZED_WIDTHS];
} JoinLoad;

extern void JoinLoadInit(JoinLoad *load, Predicate predicate, JoinAlgorithm algorithm, Size limit);

/*
 * From now on signatures have as many words as those of records of any usual size between
 * these may need, since records of such sizes are still to come.
 */
extern void JoinLoadExpect(JoinLoad *load, int64 least_size, int64 greatest_size);

/*
 * Whether the records, with one more of this size, can be joined in no more
 * than the limit. other_bytes is what the host will need beside the kernel.
 */
extern bool JoinLoadFits(JoinLoad *load, JoinRecords *records, uint32 size, Size other_bytes);

/* Counts one more record, which need not fit. */
extern void JoinLoadAdd(JoinLoad *load, uint32 size);

/* The greatest that the kernel's memory will become, in bytes. */
extern Size JoinLoadNeed(const JoinLoad *load, JoinRecords *records);

/*
 * The arena that a join with so many participants takes at most, in bytes; with room for a
 * number of 64 bits by record, which is the host's.
 */
extern Size JoinLoadShared(const JoinLoad *load, JoinRecords *records, uint32 participants);

#endif
