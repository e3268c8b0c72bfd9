/*
 * list_index.h
 *		What the fast path joins: the records' prefixes as inverted lists,
 *		and a signature of each record.
 */
#ifndef NEARDUP_JOIN_LIST_INDEX_H
#define NEARDUP_JOIN_LIST_INDEX_H

#include "join/kernel/bounds.h"
#include "join/kernel/join.h"
#include "join/kernel/signature.h"

/*
 * The slices of a list. Entries of an indexed slice are met by others; in a
 * symmetric join they also probe, and those beyond the indexing prefix only
 * probe. Under an asymmetric measure the left side only probes, and the right
 * side is only met.
 */
typedef enum ListSlice
{
	LEFT_INDEXED,
	LEFT_PROBING,
	RIGHT_INDEXED,
	RIGHT_PROBING
} ListSlice;

#define LIST_SLICES 4

/* The slices that occur: the first two, or all. */
static inline uint32
ListSlices(Measure measure, bool two_sided)
{
	return two_sided || MeasureIsAsymmetric(measure) ? LIST_SLICES : 2;
}

/* A token in the prefix of a record. */
typedef struct ListPosting
{
	uint32 token;
	uint32 record;
	uint32 previous; /* the token before it in the record, LIST_NO_TOKEN if it is the first */
	uint32 place;	 /* of the token in the record, from 0; in the highest two bits the slice */
} ListPosting;

/* Few enough for each to have a line of the first-level cache while postings are written. */
#define LIST_MAX_PARTITIONS 512

/*
 * Postings of a partition, about: at most what the second-level cache holds once they are sorted.
 * Where there are few in all, less, so that it takes little memory beside theirs to sort some;
 * but no fewer than are worth a partition.
 */
#define LIST_PARTITION_POSTINGS 32768
#define LIST_LEAST_PARTITION_POSTINGS 512
#define LIST_USUAL_PARTITIONS 16

static inline uint64
ListPartitionPostings(uint64 postings)
{
	return Min(Max(postings / LIST_USUAL_PARTITIONS, LIST_LEAST_PARTITION_POSTINGS),
			   LIST_PARTITION_POSTINGS);
}

/* How many that makes. */
static inline uint64
ListPartitions(uint64 postings)
{
	return postings / ListPartitionPostings(postings) + 1;
}

#define LIST_NO_TOKEN PG_UINT32_MAX

#define ListPostingSlice(posting) ((posting)->place >> 30)
#define ListPostingPosition(posting) ((posting)->place & 0x3fffffff)

/* What the joins of lists need to know of a size. */
typedef struct ListClass
{
	uint32 size;
	uint32 indexing_prefix;
	uint32 outgrown;	  /* records before this one are too small */
	uint32 first_record;  /* of this size */
	int64 origin;		  /* as class_origins */
	uint64 first_too_big; /* in ListIndex.too_big, for the position indexing_prefix */
} ListClass;

/*
 * Postings are partitioned by token: partition p has those of the tokens
 * partition_tokens[p] to partition_tokens[p + 1] - 1, in the order of records.
 * A partition is what the fast caches hold; it is sorted into lists when it is
 * joined.
 */
typedef struct ListIndex
{
	const JoinSpec *spec;
	PairBounds bounds;
	uint32 participants; /* who join it */
	uint32 slice_count;	 /* ListSlices */

	ListClass *classes;
	uint32 *too_big; /* by size class and position: the first record too large to be met there */
	uint64 too_big_count;

	uint32 signature_words;
	uint64 *signatures; /* by record */

	/* Partitions begin at multiples of a power of two, so that a table finds them. */
	uint32 cell_shift;
	uint16 *partition_of_cell;
	uint32 partition_count;
	uint32 *partition_tokens;
	uint64 *partition_starts;
	ListPosting *postings;
	uint64 posting_count;

	/* While it is built: by unit and partition, the postings counted, then where the next one goes. */
	uint64 *next_postings;
	uint32 unit_count;
} ListIndex;

/*
 * As many words as it takes for unrelated records of this size to differ in
 * clearly more bits than similar ones may; the most that there are, if it takes more.
 */
extern uint32 ListSignatureWords(Predicate predicate, double usual_size);

/* The share of unrelated pairs of this size that signatures of so many words let pass. */
extern double ListSignaturesPass(Predicate predicate, double usual_size, uint32 words);

/* Of the records that postings belong to, by posting; 0 where there is none. */
extern double ListUsualSize(const JoinSpec *spec);

/* By the usual size. */
extern uint32 ListChooseSignatureWords(const JoinSpec *spec);

/*
 * Whether it takes less time to join records one by one, if such a share of them repeats no
 * other: where signatures let most of the pairs pass that meet, which then are merged in each
 * list. Records that repeat others are in no list, but are joined one by one.
 */
extern bool ListsAreSlower(Predicate predicate, double usual_size, double unique_share);

/* Units of building have about so many records, or more. */
#define LIST_UNIT_RECORDS 64

/*
 * Built in this order: Begin, Count for each unit, Place, Write for each unit,
 * Finish. Counts and writes of different units can be done at the same time.
 */
extern void ListIndexBegin(ListIndex *index, const JoinSpec *spec, uint32 units);
extern void ListIndexCount(ListIndex *index, uint32 unit, uint32 units);
extern void ListIndexPlace(ListIndex *index);
extern void ListIndexWrite(ListIndex *index, uint32 unit, uint32 units);
extern void ListIndexFinish(ListIndex *index);

extern void ListIndexFree(ListIndex *index);

/* Whether a record has the content and the side of the one before it: then it has no postings. */
static inline bool
ListIndexIsRepeat(const ListIndex *index, uint32 number)
{
	const JoinRecords *records = index->spec->records;
	const JoinRecord *record = &records->records[number];

	return JoinRecordRepeats(records, number) &&
		   (!records->two_sided ||
			JoinRecordIsLeft(records, record) == JoinRecordIsLeft(records, record - 1));
}

static inline const uint32 *
ListIndexTokens(const ListIndex *index, uint32 size_class, uint32 record)
{
	const ListClass *class = &index->classes[size_class];

	return index->spec->records->tokens + (class->origin + (int64) record * class->size);
}

#endif
