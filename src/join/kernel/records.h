/*
 * records.h
 *		The records of a join: read in any order, then canonicalized.
 *
 * While reading, tokens holds dictionary ids in the order of arrival, but for the last
 * ones, which are still to be looked up. After
 * JoinRecordsCanonicalize it holds ranks (section 2.1 of the paper):
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
	uint64 offset;	   /* of its first token */
	uint32 size;	   /* |x|, at least 1 */
	uint32 size_class; /* which of the distinct sizes, ascending; set when canonical */
	uint32 row;		   /* the host's name for it */
	uint32 key_run;	   /* key_runs.h; set when canonical */
} JoinRecord;

typedef struct JoinRecords
{
	JoinHost *host;
	TokenDictionary dictionary;

	uint32 *tokens;
	uint64 token_count;
	uint64 token_capacity;

	/* The last of them, which have no ids yet. */
	int64 arrived[DICTIONARY_BATCH];
	uint32 arrived_count;

	JoinRecord *records;
	uint32 record_count;
	uint32 record_capacity;
	uint32 largest; /* size */

	/*
	 * Rows below first_right_row are the left side of an R-S join, the others
	 * its right side. In a self-join all are on both.
	 */
	bool two_sided;
	uint32 first_right_row;

	uint64 *repeats; /* a bit by record: it has the content of the one before; set when canonical */
	uint32 *class_sizes;  /* the distinct sizes, ascending; set when canonical */
	uint32 *class_starts; /* by class, the first record; record_count after the last class */
	uint32 class_count;
	bool has_key_runs;		   /* key_runs.h; set when canonical */
	uint32 distinct_tokens;	   /* size of the universe; set when canonical */
	uint32 first_shared_token; /* lesser ranks are in one record only; set when canonical */

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

/* Tokens that are sorted at once, in two arrays that the second-level cache holds. */
#define RECORDS_BLOCK 32768

extern void JoinRecordsInit(JoinRecords *records, JoinHost *host);

/*
 * Adds a record of distinct tokens: count int64 values at any alignment.
 * Returns false where a limit above is exceeded.
 */
extern bool JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count);

/* Looks up the tokens that have no ids yet, so that all have. */
extern void JoinRecordsNumber(JoinRecords *records);

/* Frees all that the records hold, canonical or not. */
extern void JoinRecordsFree(JoinRecords *records);

/* Ranks for ids, and the order of tokens and records. Once, after the last record. */
extern void JoinRecordsCanonicalize(JoinRecords *records);

/* The first record of at least this size; record_count if there is none. */
extern uint32 JoinRecordsLowerBound(const JoinRecords *records, int64 size);

static inline const uint32 *
JoinRecordTokens(const JoinRecords *records, const JoinRecord *record)
{
	return records->tokens + record->offset;
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
