/*
 * records.h
 *		The records of a join: read in any order, then canonicalized.
 *
 * Tokens are dictionary ids on arrival, then ranks (section 2.1 of the paper), ascending within a
 * record. Canonical records are in the order of (size, content, side, row), of a weighted join
 * (weights.h) in that of total weight before these. Empty sets, similar to nothing, are not kept.
 */
#ifndef NEARDUP_KERNEL_RECORDS_H
#define NEARDUP_KERNEL_RECORDS_H

#include "kernel/buckets/bucket_spec.h"
#include "kernel/records/dictionary.h"

typedef struct JoinRecord
{
	uint32 row;		   /* the host's number */
	uint32 size;	   /* |x|, at least 1 */
	uint32 size_class; /* number of the size among distinct sizes; if weighted, of the record */
} JoinRecord;

/* Whether tokens have weights, by their document frequencies in so many records. */
typedef struct JoinWeighing
{
	bool is_weighted;
	bool squares; /* to add up */
	uint64 record_count;
} JoinWeighing;

/* Which pairs of a record are found, if not all. */
typedef enum JoinRole
{
	JOIN_SEEKS,
	JOIN_IS_MET, /* in a self-join: those with records that seek */
	JOIN_ABSENT
} JoinRole;

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
	uint32 *ids; /* of tokens, record by record */
	uint64 id_capacity;
	int64 pending[DICTIONARY_BATCH]; /* last tokens, without ids yet */
	uint32 pending_count;

	uint32 *rank_of_id; /* while records are put in order */

	/* Once canonical. */
	uint32 *tokens;
	JoinRecord *records;

	/* The right side of an R-S join begins with first_right_row. */
	bool two_sided;
	uint32 first_right_row;

	uint64 *repeats;	  /* bitmap, see JoinRecordRepeats */
	uint32 *class_sizes;  /* ascending */
	uint32 *class_starts; /* first record by class, and record_count */
	int64 *class_origins; /* by class; record n begins at origin + n * size */
	uint32 class_count;
	uint32 distinct_tokens;
	uint32 first_shared_token; /* first rank in several records */

	/* Of a weighted join; else NULL. Set before the records are canonical: the weighing. */
	JoinWeighing weighing;
	uint32 *weights; /* by rank */
	int64 *totals;	 /* by record, sums of weights or squares */
	uint8 *roles;	 /* JoinRole by record; NULL if all seek */

	const BucketSpec *buckets; /* of JOIN_BUCKETS, else NULL; not in workers */
	uint64 *values;			   /* BucketTokenValue by rank, of JOIN_BUCKETS */

	/* Place of the key, by row; NULL if keys ascend or are not compared; not in workers. */
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

/* Adds a record of distinct int64 tokens, at any alignment. False above a limit. */
extern bool JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count);

/* Gives pending tokens their ids. */
extern void JoinRecordsNumber(JoinRecords *records);

extern void JoinRecordsFreeArrived(JoinRecords *records);

extern void JoinRecordsFreeClasses(JoinRecords *records);

/* In any state. */
extern void JoinRecordsFree(JoinRecords *records);

/* Frees the ranks by id, which records need no longer once they are in order. */
extern void JoinRecordsFreeRanks(JoinRecords *records);

/*
 * Sets the roles of canonical records, by `of_key` of the key of each row. Equal records of a side
 * have one role, the least of theirs. Engines may find further pairs.
 */
extern void JoinRecordsSetRoles(JoinRecords *records, const uint8 *of_key, const int64 *keys);

/* All seek again. */
extern void JoinRecordsFreeRoles(JoinRecords *records);

/* Makes a copy of the leader's records point into the worker's arena. */
extern void JoinRecordsAdopt(JoinRecords *records, JoinHost *host, const char *leader_base);

/* First canonical record of at least this size, or record_count. */
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

static inline Size
JoinRecordsBitmapWords(const JoinRecords *records)
{
	return (Size) records->record_count / 64 + 1;
}

/* Whether a record equals the one before, maybe of the other side. */
static inline bool
JoinRecordRepeats(const JoinRecords *records, uint32 number)
{
	return (records->repeats[number / 64] >> (number % 64)) & 1;
}

/* What a measure takes for the size of a record. */
static inline int64
JoinRecordMeasured(const JoinRecords *records, const JoinRecord *record)
{
	return records->totals != NULL ? records->totals[record->size_class] : (int64) record->size;
}

static inline bool
JoinRecordIsLeft(const JoinRecords *records, const JoinRecord *record)
{
	return record->row < records->first_right_row;
}

/* Whether a record equals the one before, of the same side. */
static inline bool
JoinRecordRepeatsSide(const JoinRecords *records, uint32 number)
{
	const JoinRecord *record = &records->records[number];

	return JoinRecordRepeats(records, number) &&
		   (!records->two_sided ||
			JoinRecordIsLeft(records, record) == JoinRecordIsLeft(records, record - 1));
}

static inline JoinRole
JoinRecordRole(const JoinRecords *records, uint32 number)
{
	return records->roles == NULL ? JOIN_SEEKS : (JoinRole) records->roles[number];
}

#endif
