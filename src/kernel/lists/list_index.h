/*
 * list_index.h
 *		Inverted lists of the records' prefixes, and their signatures.
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
	uint32 previous; /* token of the record, or LIST_NO_TOKEN */
	uint32 place;	 /* in the record, from 0; its two highest bits are the slice */
} ListPosting;

#define LIST_NO_TOKEN PG_UINT32_MAX

#define ListPostingSlice(posting) ((posting)->place >> 30)
#define ListPostingPosition(posting) ((posting)->place & 0x3fffffff)

typedef struct ListClass
{
	uint32 size;
	uint32 indexing_prefix;
	uint32 size_filter_start;
	uint32 first_record; /* of this size */
	int64 origin;		 /* as class_origins */
	double extent;		 /* of a weighted record */
} ListClass;

typedef struct ListIndex
{
	const JoinSpec *spec;
	LeastOverlaps least_overlaps;
	uint32 participants;
	uint32 slice_count;

	ListClass *classes;
	SizeFilterEnds size_filter_ends; /* of symmetric measures */

	bool is_weighted;
	WeightBounds bounds;
	WeightedBitmap bitmap;

	uint32 signature_words;
	uint64 *signatures; /* by record */

	ListPartitions partitions;
	uint64 *partition_starts; /* by partition, the first of its postings */
	ListPosting *postings;
	float *rests; /* by posting, weight from its token on, rounded up; NULL if unweighted */
	uint64 posting_count;

	/* While it is built, by unit and partition: the postings counted, then where the next goes. */
	uint64 *next_postings;
	uint32 unit_count;
} ListIndex;

/* Records worth a unit of building. */
#define LIST_UNIT_RECORDS 64

/* In this order; Count and Write for each unit, at the same time. */
extern void ListIndexBegin(ListIndex *index, const JoinSpec *spec, uint32 units);
extern void ListIndexCount(ListIndex *index, uint32 unit, uint32 units);
extern void ListIndexPlace(ListIndex *index);
extern void ListIndexWrite(ListIndex *index, uint32 unit, uint32 units);
extern void ListIndexFinish(ListIndex *index);

extern void ListIndexFree(ListIndex *index);

/* Whether a record equals the one before, also in its side: then it has no postings. */
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
