/*
 * records.h
 *		The records of a join: read in any order, then canonicalized.
 *
 * While reading, records are kept by size, in the order of arrival, with dictionary ids for
 * tokens; the last ones are still to be looked up. After
 * JoinRecordsCanonicalize, tokens holds ranks (section 2.1 of the paper):
 * ascending within a record, records by (size, content, side, key, row), one
 * after the other. Empty sets are similar to nothing and are not kept.
 */
#ifndef NEARDUP_JOIN_RECORDS_H
#define NEARDUP_JOIN_RECORDS_H

#include "join/kernel/bucket_spec.h"
#include "join/kernel/dictionary.h"
#include "join/kernel/key_sort.h"

typedef struct JoinRecord
{
	uint32 row;		   /* the host's name for it */
	uint32 size;	   /* |x|, at least 1 */
	uint32 size_class; /* which of the distinct sizes, ascending */
} JoinRecord;

/*
 * Records of one size, while they arrive: in chunks, which stand anywhere in the content. A chunk
 * begins with the place of the next one; then, for each of its records, the row and the ids of
 * the tokens.
 */
typedef struct ArrivedRecords
{
	uint32 size;
	uint32 count;
	uint32 left;		/* records for which the last chunk has room */
	uint32 most_added;	/* by each of them to content_bound */
	uint64 first_chunk; /* places in the content */
	uint64 last_chunk;
	uint64 next; /* where the next record goes, if there is room */
} ArrivedRecords;

#define ARRIVAL_MEMOIZED_SIZES 256

/* Elements of a chunk, unless it has a single record. */
#define ARRIVED_CHUNK 1024
#define ARRIVED_CHUNK_HEADER (sizeof(uint64) / sizeof(uint32))

/* Elements of the content for each record. */
static inline uint64
JoinArrivedStride(uint32 size)
{
	return (uint64) size + 1;
}

/* Tokens of one record that have no ids yet. */
typedef struct ArrivedTokens
{
	uint32 count;
	uint64 place; /* in the content, of their ids */
} ArrivedTokens;

typedef struct JoinRecords
{
	JoinHost *host;
	TokenDictionary dictionary;
	uint64 token_count;
	uint32 record_count;
	uint32 largest; /* size */

	/* Until canonical: */
	ArrivedRecords *arrivals; /* by size, in the order of their first ones */
	uint32 arrival_count;
	uint32 arrival_capacity;
	uint32 *arrival_slots; /* numbers of arrivals plus 1, 0 where free; linear probing by size */
	uint32 arrival_of_size[ARRIVAL_MEMOIZED_SIZES]; /* what the table says of small sizes */
	uint32 *content;								/* chunks of all sizes */
	uint64 content_count;
	uint64 content_capacity;
	uint64 content_bound;	  /* elements that the chunks of so many records take at most */
	uint32 most_records;	  /* of one size */
	uint64 most_large_tokens; /* of one size greater than RANK_SORT_MOST */

	/* The last tokens, which have no ids yet, and whose they are. */
	int64 arrived[DICTIONARY_BATCH];
	uint32 arrived_count;
	ArrivedTokens pieces[DICTIONARY_BATCH];
	uint32 piece_count;

	/* From then on: */
	uint32 *tokens;
	JoinRecord *records;

	/*
	 * Rows below first_right_row are the left side of an R-S join, the others
	 * its right side. In a self-join all are on both.
	 */
	bool two_sided;
	uint32 first_right_row;

	uint64 *repeats;	  /* a bit by record: it has the content of the one before */
	uint32 *class_sizes;  /* the distinct sizes, ascending */
	uint32 *class_starts; /* by class, the first record; record_count after the last class */
	int64 *class_origins; /* by class: record n of it begins n times the size behind this place */
	uint32 class_count;
	uint32 *key_runs;		   /* by record; NULL if there are none: key_runs.h */
	uint32 distinct_tokens;	   /* size of the universe */
	uint32 first_shared_token; /* lesser ranks are in one record only */

	/* For a join by buckets, else NULL; those who help have no use for it. */
	const BucketSpec *buckets;
	uint64 *values; /* BucketTokenValue, by rank; set when canonical */

	/*
	 * By row, the place of its key; NULL where keys are not compared, or all differ and ascend by
	 * row. Those who help have no use for it.
	 */
	const int64 *key_order;
} JoinRecords;

#define JOIN_MAX_RECORDS ((uint32) PG_INT32_MAX)
#define JOIN_MAX_RECORD_SIZE ((uint32) (1 << 30) - 1)

/* Tokens that are sorted at once by radix, in two arrays that the second-level cache holds. */
#define RECORDS_BLOCK 32768

/* Of few records, a part of all tokens. */
#define PART_OF_BLOCK 8

extern void JoinRecordsInit(JoinRecords *records, JoinHost *host);

/*
 * Adds a record of distinct tokens: count int64 values at any alignment.
 * Returns false where a limit above is exceeded.
 */
extern bool JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count);

/* Looks up the tokens that have no ids yet, so that all have. */
extern void JoinRecordsNumber(JoinRecords *records);

/* Goes through the chunks of one size, in the order of arrival. */
typedef struct ArrivedScan
{
	const JoinRecords *records;
	const ArrivedRecords *arrivals;
	uint64 chunk; /* the next one's place in the content */
	uint32 seen;  /* records before it */
} ArrivedScan;

extern void JoinArrivedBegin(ArrivedScan *scan, const JoinRecords *records,
							 const ArrivedRecords *arrivals);

/*
 * The next chunk: how many records it has, 0 after the last one; and the first of them: its row,
 * and behind that the ids of its tokens.
 */
extern uint32 JoinArrivedNext(ArrivedScan *scan, uint32 **first);

/* Frees what records have until they are canonical. */
extern void JoinRecordsFreeArrived(JoinRecords *records);

/* Frees all that the records hold, canonical or not. */
extern void JoinRecordsFree(JoinRecords *records);

/* Ranks for ids, and the order of tokens and records. Once, after the last record. */
extern void JoinRecordsCanonicalize(JoinRecords *records);

/* How many tokens it sorts at once by radix, at most; the records may still be arriving. */
extern uint32 JoinBlockTokens(const JoinRecords *records);

/* The first record of at least this size; record_count if there is none. */
extern uint32 JoinRecordsLowerBound(const JoinRecords *records, int64 size);

static inline const uint32 *
JoinRecordTokens(const JoinRecords *records, const JoinRecord *record)
{
	return records->tokens + (records->class_origins[record->size_class] +
							  (record - records->records) * (int64) record->size);
}

/* How many records ahead of their use the first tokens of one are asked for. */
#define RECORDS_AHEAD 16
#define TOKENS_PER_LINE 16

/* Has the processor fetch as many as most prefixes have. */
static inline void
JoinAskForTokens(const uint32 *tokens)
{
	__builtin_prefetch(tokens);
	__builtin_prefetch(tokens + TOKENS_PER_LINE);
}

/* Words of a bitmap by record. */
static inline Size
JoinRecordsBitmapWords(const JoinRecords *records)
{
	return (Size) records->record_count / 64 + 1;
}

/* Whether a canonical record has the content of the one before it, which may be of another side. */
static inline bool
JoinRecordRepeats(const JoinRecords *records, uint32 number)
{
	return (records->repeats[number / 64] >> (number % 64)) & 1;
}

static inline bool
JoinRecordIsLeft(const JoinRecords *records, const JoinRecord *record)
{
	return record->row < records->first_right_row;
}

#endif
