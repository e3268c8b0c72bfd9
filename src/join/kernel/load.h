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

/*
 * The most that one more token, and one more record, can add to the peak while
 * the hash table stays as it is: the token itself in two arrays and where it is sorted, the
 * dictionary while it is ranked, a posting in the index and, with a signature of the
 * greatest width, in its partition; the record, its row, its key, its signature, its class.
 */
#define BYTES_PER_TOKEN 138
#define BYTES_PER_RECORD 320

/* Where each token may have a posting on both sides, with signatures of the greatest width. */
#define BYTES_PER_TOKEN_OF_TWO 244

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

/* The postings of a record of this size that JoinLoadPostings does not know yet. */
extern uint64 JoinLoadFindPostings(JoinLoad *load, uint32 size);

/* Postings of a record, at most; tokens of a single record are not known yet. */
static inline uint64
JoinLoadPostings(JoinLoad *load, uint32 size)
{
	if (size < LOAD_MEMOIZED_SIZES && load->postings_of_size[size] > 0)
		return load->postings_of_size[size] - 1;
	return JoinLoadFindPostings(load, size);
}

/* Bytes that a record adds to the peak, at most. */
static inline Size
JoinLoadMostAdded(const JoinLoad *load, uint32 size)
{
	Size per_token =
		MeasureIsAsymmetric(load->predicate.measure) ? BYTES_PER_TOKEN_OF_TWO : BYTES_PER_TOKEN;

	return size * per_token + BYTES_PER_RECORD + load->bucket_bytes;
}

/* Whether signatures will not be wider than the slack leaves room for, if a record is added. */
static inline bool
JoinLoadIsUsual(JoinLoad *load, uint32 size)
{
	uint64 postings = JoinLoadPostings(load, size);
	double all_postings = load->postings + postings;
	double set_sizes = load->set_sizes + (double) postings * size;

	return set_sizes >= load->least_usual * all_postings &&
		   set_sizes <= load->greatest_usual * all_postings;
}

/*
 * Finds the slack anew, beyond which JoinLoadFits knows no answer. A single large record can
 * widen the signatures of all. So the slack leaves room for those of other usual sizes; where
 * there is none, only of those that are near, and at last each record is looked at by itself.
 */
extern bool JoinLoadFindSlack(JoinLoad *load, JoinRecords *records, uint32 size, Size other_bytes);

/*
 * Whether the records, with one more of this size, can be joined in no more
 * than the limit. other_bytes is what the host will need beside the kernel.
 */
static inline bool
JoinLoadFits(JoinLoad *load, JoinRecords *records, uint32 size, Size other_bytes)
{
	Size other_added = other_bytes - Min(other_bytes, load->other_bytes);

	return (load->slack >= JoinLoadMostAdded(load, size) + other_added &&
			!TokenDictionaryWouldGrow(&records->dictionary, records->arrived_count + size) &&
			JoinLoadIsUsual(load, size)) ||
		   JoinLoadFindSlack(load, records, size, other_bytes);
}

/* Counts one more record, which need not fit. */
static inline void
JoinLoadAdd(JoinLoad *load, uint32 size)
{
	uint64 postings = JoinLoadPostings(load, size);

	load->slack -= Min(load->slack, JoinLoadMostAdded(load, size));
	load->postings += postings;
	load->set_sizes += (double) postings * size;
	load->largest = Max(load->largest, size);
}

/* The greatest that the kernel's memory will become, in bytes. */
extern Size JoinLoadNeed(const JoinLoad *load, JoinRecords *records);

/*
 * The arena that a join with so many participants takes at most, in bytes; with room for a
 * number of 64 bits by record, which is the host's.
 */
extern Size JoinLoadShared(const JoinLoad *load, JoinRecords *records, uint32 participants);

#endif
