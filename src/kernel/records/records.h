/*
 * records.h
 *		The records of a join: read in any order, then canonicalized.
 *
 * While they arrive, records stand one after the other, with dictionary ids for tokens. Once
 * canonical, tokens are ranks (section 2.1 of the paper), ascending within a record, and records
 * are in the order of (size, content, side, row). Empty sets are similar to nothing and are not
 * kept.
 */
#ifndef NEARDUP_KERNEL_RECORDS_H
#define NEARDUP_KERNEL_RECORDS_H

#include "kernel/buckets/bucket_spec.h"
#include "kernel/records/dictionary.h"

typedef struct JoinRecord
{
	uint32 row;		   /* the host's name for it */
	uint32 size;	   /* |x|, at least 1 */
	uint32 size_class; /* which of the distinct sizes, ascending */
} JoinRecord;

typedef struct ArrivedRecord
{
	uint32 row;
	uint32 size;
} ArrivedRecord;

typedef struct JoinRecords
{
	JoinHost *host;
	TokenDictionary dictionary;
	uint64 token_count;
	uint32 record_count;
	uint32 largest; /* size */

	/* Until canonical, in the order of arrival. */
	ArrivedRecord *arrived;
	uint32 arrived_capacity;
	uint32 *ids; /* of the tokens, one record after the other */
	uint64 id_capacity;
	int64 pending[DICTIONARY_BATCH]; /* the last tokens, which have no ids yet */
	uint32 pending_count;

	/* Once canonical. */
	uint32 *tokens;
	JoinRecord *records;

	/* Rows from first_right_row on are the right side of an R-S join. */
	bool two_sided;
	uint32 first_right_row;

	uint64 *repeats;	  /* bitmap: records that equal the one before */
	uint32 *class_sizes;  /* the distinct sizes, ascending */
	uint32 *class_starts; /* by class, the first record; record_count after the last class */
	int64 *class_origins; /* by class; its record n begins at origin + n * size */
	uint32 class_count;
	uint32 distinct_tokens;
	uint32 first_shared_token; /* the first rank that more than one record has */

	/* The HammingValues of JOIN_HAMMING, the EditTexts of JOIN_EDIT, else NULL. */
	const void *content_of_engine;

	const BucketSpec *buckets; /* of JOIN_BUCKETS, else NULL; not in workers */
	uint64 *values;			   /* BucketTokenValue by rank, of JOIN_BUCKETS */

	/* By row, the place of its key; NULL if keys ascend or are not compared. Not in workers. */
	const int64 *key_order;
} JoinRecords;

/* Records first .. end - 1. */
typedef struct RecordRange
{
	uint32 first;
	uint32 end;
} RecordRange;

#define JOIN_MAX_RECORDS ((uint32) PG_INT32_MAX)
#define JOIN_MAX_RECORD_SIZE ((uint32) (1 << 30) - 1)

extern void JoinRecordsInit(JoinRecords *records, JoinHost *host);

/* Adds a record of distinct int64 tokens, at any alignment. False if it exceeds a limit above. */
extern bool JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count);

/* Gives the pending tokens their ids. */
extern void JoinRecordsNumber(JoinRecords *records);

/* Frees the arrays of the arrived records. */
extern void JoinRecordsFreeArrived(JoinRecords *records);

/* Frees all arrays, in any state. */
extern void JoinRecordsFree(JoinRecords *records);

/* Makes the canonical records, and frees the arrived ones. Once. */
extern void JoinRecordsCanonicalize(JoinRecords *records);

/* First canonical record of at least this size; record_count if there is none. */
extern uint32 JoinRecordsLowerBound(const JoinRecords *records, int64 size);

static inline const uint32 *
JoinRecordTokens(const JoinRecords *records, const JoinRecord *record)
{
	return records->tokens + (records->class_origins[record->size_class] +
							  (record - records->records) * (int64) record->size);
}

/* Prefetch distance, in records. */
#define RECORDS_AHEAD 16
#define TOKENS_PER_LINE 16

/* Prefetch two cache lines, enough for most prefixes. */
static inline void
JoinPrefetchTokens(const uint32 *tokens)
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

/* Whether a record has the content of the one before, which may be of the other side. */
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
