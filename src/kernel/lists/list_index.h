/*
 * list_index.h
 *		The inverted index of the list engine: postings by partition, and signatures by record.
 *
 * A posting says that a record has a token in its prefix. The postings of a partition (a range of
 * tokens) are one range of an array, in the order of records; only the join sorts them into lists,
 * one partition at a time. Signatures (bitmap_filter.h) are one array in the order of records.
 *
 * All arrays are in shared memory. Workers fill in ranges of them, and later only read them.
 */
#ifndef NEARDUP_KERNEL_LIST_INDEX_H
#define NEARDUP_KERNEL_LIST_INDEX_H

#include "kernel/filters/join_spec.h"
#include "kernel/filters/least_overlap.h"
#include "kernel/filters/size_filter.h"
#include "kernel/filters/weighted_bitmap.h"
#include "kernel/lists/list_partitions.h"
#include "kernel/lists/list_slices.h"

typedef struct ListPosting
{
	uint32 token;
	uint32 record;
	uint32 previous; /* the record's preceding token, or LIST_NO_TOKEN */
	uint32 place;	 /* position in the record, from 0; its two highest bits are the slice */
} ListPosting;

#define LIST_NO_TOKEN PG_UINT32_MAX

#define ListPostingSlice(posting) ((posting)->place >> 30)
#define ListPostingPosition(posting) ((posting)->place & 0x3fffffff)

/* What the join needs of a size class, in one cache line. */
typedef struct ListClass
{
	uint32 size;
	uint32 indexing_prefix;
	uint32 size_filter_start;
	uint32 first_record; /* the first record of this size */
	int64 origin;		 /* the class_origins of JoinRecords */
	double extent;		 /* extent of the record in a weighted join (weight_bounds.h) */
} ListClass;

typedef struct ListIndex
{
	const JoinSpec *spec;
	LeastOverlaps least_overlaps;
	uint32 participants;
	uint32 slice_count;

	ListClass *classes;				 /* one for each size class */
	SizeFilterEnds size_filter_ends; /* set if the join is neither weighted nor directed */

	bool is_weighted;
	WeightBounds bounds;   /* set if the join is weighted */
	WeightedBitmap bitmap; /* set if the join is weighted */

	uint32 signature_words;
	uint64 *signatures; /* the signature of each record */

	ListPartitions partitions;
	uint64 *partition_starts; /* where the postings of each partition start */
	ListPosting *postings;
	float *rests; /* weight of each posting from its token on, rounded up; NULL if unweighted */
	uint64 posting_count;

	/*
	 * While it is built, by unit and partition: counts of postings, then where the next one goes.
	 */
	uint64 *next_postings;
	uint32 unit_count;
} ListIndex;

/* Fewer records are not worth a unit of building. */
#define LIST_UNIT_RECORDS 64

/*
 * Build an index, called in this order. Count is called for each unit, and so is Write; workers may
 * do so at the same time.
 */
extern void ListIndexBegin(ListIndex *index, const JoinSpec *spec, uint32 units);
extern void ListIndexCount(ListIndex *index, uint32 unit, uint32 units);
extern void ListIndexPlace(ListIndex *index);
extern void ListIndexWrite(ListIndex *index, uint32 unit, uint32 units);
extern void ListIndexFinish(ListIndex *index);

extern void ListIndexFree(ListIndex *index);

/* Returns whether a record equals the one before it, of the same side: then it has no postings. */
static inline bool
ListIndexIsRepeat(const ListIndex *index, uint32 number)
{
	return JoinRecordRepeatsSide(index->spec->records, number);
}

static inline const uint32 *
ListIndexTokens(const ListIndex *index, uint32 size_class, uint32 record)
{
	const ListClass *class = &index->classes[size_class];

	return index->spec->records->tokens + (class->origin + (int64) record * class->size);
}

#endif
