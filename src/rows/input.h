/*
 * input.h
 *		The rows of a join: in memory if they can be joined there, else in temporary files.
 */
#ifndef NEARDUP_JOIN_INPUT_H
#define NEARDUP_JOIN_INPUT_H

#include "nodes/memnodes.h"

#include "kernel/estimate/estimate.h"
#include "rows/keys.h"
#include "rows/needed_memory.h"
#include "rows/row_kind.h"
#include "rows/spill.h"
#include "rows/vocabulary.h"

/*
 * How a part of spilled rows, the arena that workers share, and what each of them has of its own
 * divide the memory. The arena is the largest, since it cannot grow, and must have room for all of
 * the part's index.
 */
#define SHARE_OF_PART 3
#define SHARE_OF_ARENA 5
#define SHARE_OF_WORKERS 3
#define SHARES (SHARE_OF_PART + SHARE_OF_ARENA + SHARE_OF_WORKERS)

typedef struct JoinInput
{
	const RowKind *kind;
	const char *name; /* what errors call the join: its function, unless it is the planner's */
	JoinRecords records;
	void *content; /* what the kind has of its rows beside the records; NULL if nothing */
	JoinKeys keys;
	MemoryContext context;	   /* holds files, keys and content */
	MemoryContext key_context; /* its child, for keys by reference */
	uint64 row_count;		   /* rows that were read, those with empty sets included */
	uint64 token_count;
	uint32 largest;			/* size, in tokens */
	Size spilled_key_bytes; /* bytes that keys took when rows were first spilled */

	Size memory; /* of the whole join, in bytes */
	/* If false, rows are never spilled. */
	bool is_limited;
	Predicate predicate; /* the weakest that rows are joined by */
	/* Of a weighted join: tokens that more rows have find no pairs (record_tails.h); 0 for no limit. */
	uint64 most_rows;
	MemoryEstimate estimate;

	JoinVocabulary *vocabulary; /* of the files; NULL if they have the tokens themselves */
	JoinSpill *spills[2]; /* files of each side, [0] alone in a self-join; NULL while in memory */
	NeededMemory *needed; /* what would have kept the rows; NULL while in memory */
	/* What the kind does beside these files. */
	Size other_sort_bytes;
	int64 other_file_bytes;
} JoinInput;

/* Keys, content and files are in a child of `context`, arrays in the host's memory. */
extern void JoinInputInit(JoinInput *input, const RowKind *kind, MemoryContext context,
						  JoinHost *host);

/* Sets the type of the keys, before the first row. Errors as of JoinKeysInit. */
extern void JoinInputSetKeys(JoinInput *input, Oid type, Oid collation, bool are_compared);

/* Makes an empty input for spilled rows of `other`, with its kind of rows and type of keys. */
extern void JoinInputInitLike(JoinInput *input, const JoinInput *other, MemoryContext context);

/*
 * Returns the limit of reading, in bytes: the memory of the join without an eighth, which is for
 * sorting and files.
 */
extern Size JoinInputMemory(Size memory);

/* Returns the memory of a join that has this limit of reading. */
extern Size JoinInputMemoryOf(Size limit);

/*
 * Returns the limit of a part of spilled rows, in bytes: the memory of the join without what files
 * and `other_bytes` take. If keys must be sorted, the limit of a part is the limit of reading,
 * otherwise no less. With workers, the part leaves memory for JoinInputArenaBytes.
 */
extern Size JoinInputPartMemory(const JoinInput *input, Size other_bytes, bool has_workers);

/* Returns the bytes that workers share while a part of at most `limit` bytes is joined. */
static inline Size
JoinInputArenaBytes(Size limit)
{
	return limit / SHARE_OF_PART * SHARE_OF_ARENA;
}

/* Returns what each record takes in addition for its tail, if there is a limit of rows, in bytes. */
static inline Size
JoinInputTailBytes(const JoinInput *input)
{
	return input->most_rows > 0 ? sizeof(RecordTail) : 0;
}

/* From now on rows are spilled if their join by this predicate would exceed `limit` bytes. */
extern void JoinInputLimit(JoinInput *input, Predicate predicate, JoinAlgorithm algorithm,
						   Size limit);

/* Raises the limit, in bytes; the input may have rows. */
extern void JoinInputRaiseLimit(JoinInput *input, Size limit);

/* Rows that are appended from now on belong to the right side. */
extern void JoinInputBeginRight(JoinInput *input);

/* Prefetch distance, in bytes. */
#define JOIN_ROWS_AHEAD 1024

/*
 * Prefetches the rows that are read next. A heap page is read from its end, so they lie before these
 * tokens of the present row. To prefetch an address that is not mapped does no harm.
 */
static inline void
JoinInputPrefetch(const void *tokens)
{
	for (int bytes = 64; bytes <= JOIN_ROWS_AHEAD; bytes += 64)
		__builtin_prefetch((const char *) tokens - bytes);
}

/*
 * Copies a row, as its kind reads it; one without tokens is only counted.
 * program_limit_exceeded if a join cannot hold it.
 */
static inline void
JoinInputAppend(JoinInput *input, Datum key, const JoinRow *row)
{
	input->kind->append(input, key, row);
}

/*
 * Counts a row that equals an earlier one of its side, and is not appended: figures and weights
 * count all rows.
 */
extern void JoinInputCountCopy(JoinInput *input, const JoinRow *row);

static inline bool
JoinInputIsSpilled(const JoinInput *input)
{
	return input->spills[0] != NULL;
}

/* Called after the last row: sorts the files. */
extern void JoinInputFinish(JoinInput *input);

/* Keeps a row of a file in memory. */
extern void JoinInputAppendSpilled(JoinInput *input, const SpillRow *row);

/* Whether that row fits the limit. */
static inline bool
JoinInputFits(JoinInput *input, const SpillRow *row)
{
	return input->kind->fits(input, row->size);
}

/* Returns the kilobytes that a sort may take. */
extern int JoinInputSortMemory(const JoinInput *input);

/* Returns the bytes that the sort of the keys takes; 0 if they need none. */
extern Size JoinInputKeySortBytes(const JoinInput *input);

/* Returns the peak of reading, in bytes, with files and sorts. */
extern Size JoinInputReadBytes(const JoinInput *input);

/* Returns the bytes in memory of open files' buffers and last rows. */
extern Size JoinInputFileBytes(const JoinInput *input);

/* Returns the bytes that were written to files. */
extern int64 JoinInputTempBytes(const JoinInput *input);

/* Returns MemoryContextMemAllocated of the keys, inline since each row needs it. */
static inline Size
JoinInputKeyBytes(const JoinInput *input)
{
	return input->key_context->mem_allocated;
}

/* Frees all memory and closes the files. */
extern void JoinInputFree(JoinInput *input);

/*
 * For kinds of rows:
 */

/* Appends a row of tokens; what RowKind's append is, unless the kind does more. */
extern void JoinInputAppendTokens(JoinInput *input, Datum key, const JoinRow *row);

/*
 * Spills all rows if the next one, of this size, would not fit. Returns whether the next one stays
 * in memory; then JoinInputTakeKey follows, else JoinInputPut.
 */
extern bool JoinInputMakeRoom(JoinInput *input, uint32 size);

/* Takes the key of a row that the kind has just kept in memory, and counts its size. */
static inline void
JoinInputTakeKey(JoinInput *input, Datum key, uint32 size)
{
	if (input->is_limited)
		MemoryEstimateAdd(&input->estimate, size);
	JoinKeysAppend(&input->keys, key);
}

/* Writes a row with its key to the file of the present side. */
extern void JoinInputPut(JoinInput *input, Datum key, uint32 size, const void *tokens);

/* Writes the row in memory with this number to the file of its side; rows come in their order. */
extern void JoinInputSpillRow(JoinInput *input, uint32 row, const SpillRow *content);

/*
 * Makes a vocabulary of the tokens of a dictionary, which it takes over. To be called first by a
 * kind that spills rows of tokens, and only needs their ranks.
 */
extern void JoinInputBeginVocabulary(JoinInput *input, TokenDictionary *dictionary);

/* Begins a file for the rows of a side. */
extern JoinSpill *JoinInputBeginSpill(JoinInput *input);

#endif
