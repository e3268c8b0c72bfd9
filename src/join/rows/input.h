/*
 * input.h
 *		The rows of a join: in memory as long as it can be joined there, else
 *		in temporary files.
 */
#ifndef NEARDUP_JOIN_INPUT_H
#define NEARDUP_JOIN_INPUT_H

#include "nodes/memnodes.h"

#include "kernel/edit/edit_join.h"
#include "kernel/hamming/hamming_join.h"
#include "kernel/estimate/estimate.h"
#include "kernel/filters/join_spec.h"
#include "kernel/records/records.h"
#include "join/rows/keys.h"
#include "join/rows/spill.h"

typedef struct JoinInput
{
	JoinRecords records;
	EditTexts texts;	  /* instead of records, in a join of texts */
	HammingValues values; /* instead of records, in a join of 64-bit values */
	bool has_values;
	JoinKeys keys;
	bool keys_ready;
	MemoryContext context;	   /* of the spilled rows */
	MemoryContext key_context; /* its child, of keys by reference alone */
	uint64 row_count;		   /* rows with a key and a set, empty sets included */
	uint64 token_count;
	uint32 largest;			/* set, in tokens */
	Size spilled_key_bytes; /* that the keys took when rows were spilled */

	/* With a limit of memory; else all is kept in memory. */
	bool is_limited;
	MemoryEstimate estimate;

	/* By side, [0] alone in a self-join; NULL while rows are in memory. */
	JoinSpill *spills[2];
} JoinInput;

/* Memory is that of a child of the given context. */
extern void JoinInputInit(JoinInput *input, MemoryContext context, JoinHost *host);

/* An empty input for the spilled rows of another, with the same type of keys. */
extern void JoinInputInitLike(JoinInput *input, const JoinInput *other, MemoryContext context);

/*
 * What the rows of a join may take while they are read, in bytes: hash memory, but for an eighth
 * that is left for sorting and files.
 */
extern Size JoinInputMemory(void);

/*
 * What a part of the spilled rows may take, in bytes, once all are in their files: all but what the
 * files and other things take, unless its keys are to be sorted as well; never less than the rows
 * might take while they were read.
 */
extern Size JoinInputPartMemory(const JoinInput *input, Size other_bytes);

/* From now on, no more memory than the limit, in bytes: what is beyond goes to files. */
extern void JoinInputLimit(JoinInput *input, Predicate predicate, JoinAlgorithm algorithm,
						   Size limit);

/* Another limit, in bytes, for an input that may have rows already. */
extern void JoinInputRaiseLimit(JoinInput *input, Size limit);

/* Rows have 64-bit values, which are appended as sets of one token are, and no records. */
extern void JoinInputTakeValues(JoinInput *input);

/* What is appended from now on is the right side. */
extern void JoinInputBeginRight(JoinInput *input);

/*
 * Adds a row, of count distinct tokens at any alignment. Rows without tokens
 * are counted only. program_limit_exceeded beyond what a join can hold.
 */
extern void JoinInputAppend(JoinInput *input, Datum key, const void *tokens, Size count);

/* Whether rows are in files, not in memory. */
static inline bool
JoinInputIsSpilled(const JoinInput *input)
{
	return input->spills[0] != NULL;
}

/* After the last row: files are put in the order of sizes. */
extern void JoinInputFinish(JoinInput *input);

/* Appends a row that was read from a file, in memory. */
extern void JoinInputAppendSpilled(JoinInput *input, const SpillRow *row);

/* Whether that row would fit into the limit. */
extern bool JoinInputFits(JoinInput *input, const SpillRow *row);

/* Kilobytes for sorting beside what is in memory. */
extern int JoinInputSortMemory(const JoinInput *input);

/* Bytes that sorting the keys takes. */
extern Size JoinInputKeySortBytes(const JoinInput *input);

/* The most bytes that the input took until it was finished, with its files and sorts. */
extern Size JoinInputReadBytes(const JoinInput *input);

/* Bytes that the files take: their buffers, and the row that was read last from each. */
extern Size JoinInputFileBytes(const JoinInput *input);

/*
 * Bytes that keys take beside the arrays, which are the host's: what MemoryContextMemAllocated says,
 * without a call for each row.
 */
static inline Size
JoinInputKeyBytes(const JoinInput *input)
{
	return input->key_context->mem_allocated;
}

/* Frees all memory and closes the files. */
extern void JoinInputFree(JoinInput *input);

#endif
