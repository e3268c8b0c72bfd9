/*
 * records.h
 *		The records of a join: read in any order, then canonicalized.
 *
 * A record is the set of tokens of one of the host's rows. Empty sets are similar to nothing, and
 * are not kept.
 *
 * While records arrive, their tokens are ids: numbers that the dictionary gives to distinct tokens,
 * from 1 on. All ids are in one array, record after record.
 *
 * Once records are canonical (canonical.h), their tokens are ranks: numbers of the distinct tokens
 * from 0 on, in ascending order of document frequency (section 2.1 of the paper). Ranks ascend
 * within a record, so that its rarest tokens come first; these are its prefix, by which the filters
 * find candidates. Records are in the order of (size, content, side, row). Those of a weighted join
 * are in the order of total weight, and then in this order (record_weights.h).
 *
 * Records of one size are a class. All ranks are in one array, and the ranks of a class follow each
 * other without gaps, so that a record's place follows from its number. A class has an origin, such
 * that record n of all records begins at origin + n * size. The origin may be negative:
 *
 *		record		0		1		2
 *		class		0		1		1
 *		tokens		4 9		1 4 9	1 5 9
 *		begins at	0		2		5		the origin of class 1 is 2 - 1 * 3 = -1
 *
 * In a weighted join, where hardly two records have the same total weight, each record is a class
 * of its own.
 *
 * Equal sets are neighbours, since records are in the order of content. A bit for each record says
 * whether it repeats the one before, so that engines can join distinct sets instead of records.
 *
 * An R-S join has the records of both sides in one JoinRecords. The row's number tells the side, so
 * that the left record comes first where sets are equal.
 *
 * With workers, canonical arrays are in the arena (host.h). A worker has a copy of the leader's
 * struct, whose pointers it adopts.
 */
#ifndef NEARDUP_KERNEL_RECORDS_H
#define NEARDUP_KERNEL_RECORDS_H

#include "kernel/records/bucket_spec.h"
#include "kernel/records/dictionary.h"
#include "kernel/records/key_sort.h"
#include "kernel/records/known_tokens.h"
#include "kernel/records/record_demand.h"

typedef struct JoinRecord
{
	uint32 row;		   /* number of the row, which the host has given */
	uint32 size;	   /* number of tokens, at least 1 */
	uint32 size_class; /* number of its class; in a weighted join, of the record itself */
} JoinRecord;

/* How the tokens of a weighted join are weighed (measure/token_weight.h). */
typedef struct JoinWeighing
{
	bool is_weighted;
	bool squares;		 /* a record's total is the sum of squares of weights, not of weights */
	uint64 record_count; /* documents that the document frequencies are of */
	uint64 most_rows;	 /* tokens of more rows find no pairs (record_tails.h); 0 for no limit */
} JoinWeighing;

/* The tokens of a record that find no pairs. They follow the others. */
typedef struct RecordTail
{
	int64 total; /* of the whole record */
	uint32 size;
} RecordTail;

typedef struct ArrivedRecord
{
	uint32 row;
	uint32 size;
} ArrivedRecord;

/* What units share while the records of a class that several units have are put in order. */
typedef struct RecordRuns
{
	KeyedItem *order; /* by record: the numbers of records within their class, run after run */
	uint32 *tokens;	  /* as the tokens of the records, in the canonical order */
	uint32 *rows;
	JoinArena arena; /* before these arrays */
} RecordRuns;

typedef struct JoinRecords
{
	JoinHost *host;
	TokenDictionary dictionary;
	uint64 token_count; /* number of tokens of all records */
	uint32 record_count;
	uint32 largest; /* the greatest size */

	/* Before records are canonical, in the order of arrival. */
	ArrivedRecord *arrived;
	uint32 arrived_capacity;
	uint32 *ids; /* ids of the tokens, record after record */
	uint64 id_capacity;
	int64 pending[DICTIONARY_BATCH]; /* the last tokens, which have no ids yet */
	uint32 pending_count;

	/*
	 * Tokens that have been numbered before: their ids come first, and are followed by the ids of
	 * the dictionary.
	 */
	KnownTokens known;
	uint64 pending_places[DICTIONARY_BATCH]; /* among the ids, of a record with known tokens */

	/* Exist while records are put in order. Known tokens that no record has have no rank. */
	uint32 *rank_of_id;
	uint32 id_count;
	RecordRuns runs;

	/* Once records are canonical. */
	uint32 *tokens; /* ranks, class after class */
	JoinRecord *records;

	/* In an R-S join, rows from first_right_row on are the right side. */
	bool two_sided;
	uint32 first_right_row;

	uint32 *repeats;	  /* bitmap by record, see JoinRecordRepeats */
	uint32 *class_sizes;  /* the size of each class; ascending, except in a weighted join */
	uint32 *class_starts; /* the first record of each class; record_count comes last */
	int64 *class_origins; /* by class; record n begins at origin + n * size */
	uint32 class_count;
	uint32 distinct_tokens;
	uint32 first_shared_token; /* the first rank that several records have */

	/*
	 * The host sets the weighing before records are canonical. The arrays are NULL unless the join
	 * is weighted.
	 */
	JoinWeighing weighing;
	uint32 *weights;   /* the weight of each rank */
	int64 *totals;	   /* for each record the sum of its weights, or of their squares */
	RecordTail *tails; /* by record; NULL unless there is a limit of rows */

	RecordDemand demand; /* which pairs are wanted; all, unless it is set (demand/demands.h) */

	/* Set for JOIN_BUCKETS, else NULL. Workers have the values alone. */
	const BucketSpec *buckets;
	uint64 *values; /* for each rank the TokenHash of its token */

	/*
	 * By row, the rank of the row's key. NULL if keys ascend as rows do, or if keys are not
	 * compared. Workers do not have it.
	 */
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

/* Returns the bytes of the arrays of this many arrived records and tokens, as they grow. */
extern Size JoinRecordsArrivedBytes(uint64 record_count, uint64 token_count);

extern void JoinRecordsInit(JoinRecords *records, JoinHost *host);

/*
 * Adds the record of a row. `tokens` are `count` distinct int64, at any alignment. Returns false if
 * there are too many records, tokens of a record, or distinct tokens. The records can then only be
 * freed.
 */
extern bool JoinRecordsAppend(JoinRecords *records, uint32 row, const void *tokens, uint32 count);

/* The same for a record some of whose tokens are known, and given by their ids. */
extern bool JoinRecordsAppendKnown(JoinRecords *records, uint32 row, const uint32 *ids,
								   uint32 id_count, const void *tokens, uint32 count);

/*
 * Counts the tokens of a record that equals one that was added, so that document frequencies count
 * both records.
 */
extern void JoinRecordsCountCopy(JoinRecords *records, const void *tokens, uint32 count);

/* Gives the last tokens their ids, after which the dictionary has all tokens of all records. */
extern void JoinRecordsNumber(JoinRecords *records);

/* Frees unused capacity of the ids. */
extern void JoinRecordsTrim(JoinRecords *records);

extern void JoinRecordsFreeArrived(JoinRecords *records);

extern void JoinRecordsFreeClasses(JoinRecords *records);

/* Frees all arrays, in whatever state the records are. */
extern void JoinRecordsFree(JoinRecords *records);

/* Frees the ranks by id, which no one needs once records are in order. */
extern void JoinRecordsFreeRanks(JoinRecords *records);

/*
 * Turns a copy of the leader's records into a worker's: sets the host, and has pointers into the
 * arena, which the leader has mapped at leader_base, point into the worker's.
 */
extern void JoinRecordsAdopt(JoinRecords *records, JoinHost *host, const char *leader_base);

/* Returns the first canonical record of at least this size, or record_count. Not if weighted. */
extern uint32 JoinRecordsLowerBound(const JoinRecords *records, int64 size);

static inline const uint32 *
JoinRecordTokens(const JoinRecords *records, const JoinRecord *record)
{
	return records->tokens + (records->class_origins[record->size_class] +
							  (record - records->records) * (int64) record->size);
}

/* How many records ahead loops prefetch. */
#define RECORDS_AHEAD 16
#define TOKENS_PER_LINE 16

/* Prefetch two cache lines, enough for most prefixes. */
static inline void
JoinPrefetchTokens(const uint32 *tokens)
{
	__builtin_prefetch(tokens);
	__builtin_prefetch(tokens + TOKENS_PER_LINE);
}

/* Returns how many words of 32 bits a bitmap by record has. */
static inline Size
JoinRecordsBitmapWords(const JoinRecords *records)
{
	return (Size) records->record_count / 32 + 1;
}

/* Whether a record equals the one before, which may be of the other side. */
static inline bool
JoinRecordRepeats(const JoinRecords *records, uint32 number)
{
	return (records->repeats[number / 32] >> (number % 32)) & 1;
}

/* Returns what a measure takes for the size of a record. */
static inline int64
JoinRecordMeasured(const JoinRecords *records, const JoinRecord *record)
{
	return records->totals != NULL ? records->totals[record->size_class] : (int64) record->size;
}

/* Returns the same of a record with its tail. */
static inline int64
JoinRecordMeasuredWhole(const JoinRecords *records, const JoinRecord *record)
{
	return records->tails != NULL ? records->tails[record->size_class].total
								  : JoinRecordMeasured(records, record);
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
	return records->demand.roles == NULL ? JOIN_SEEKS : (JoinRole) records->demand.roles[number];
}

#endif
