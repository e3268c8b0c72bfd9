/*
 * input.h
 *		The rows of a join: in memory if they can be joined there, else in temporary files.
 */
#ifndef NEARDUP_JOIN_INPUT_H
#define NEARDUP_JOIN_INPUT_H

#include "nodes/memnodes.h"

#include "kernel/edit/edit_records.h"
#include "kernel/hamming/hamming_join.h"
#include "kernel/estimate/estimate.h"
#include "kernel/filters/join_spec.h"
#include "kernel/records/records.h"
#include "join/rows/document_frequencies.h"
#include "join/rows/keys.h"
#include "join/rows/spill.h"
#include "text/bytes.h"

typedef struct JoinInput
{
	JoinRecords records;
	EditTexts texts; /* of JOIN_EDIT, instead of records until they are joined */
	bool has_texts;
	HammingValues values; /* of JOIN_HAMMING, instead of records */
	bool has_values;
	JoinKeys keys;
	bool keys_ready;
	MemoryContext context;	   /* of files and keys */
	MemoryContext key_context; /* its child, for keys by reference */
	uint64 row_count;		   /* with empty sets */
	uint64 token_count;
	uint32 largest;			/* size, in tokens */
	Size spilled_key_bytes; /* of keys until rows were spilled */

	/* If false, rows are never spilled. */
	bool is_limited;
	MemoryEstimate estimate;

	/* By side, [0] alone in a self-join; NULL while in memory. */
	JoinSpill *spills[2];
	JoinFrequencies *frequencies; /* of all rows, if they are in files and weighted; else NULL */
	int64 unweighed_bytes;		  /* of files before rows were weighed */
} JoinInput;

/* Keys and files are in a child of `context`, arrays in the host's memory. */
extern void JoinInputInit(JoinInput *input, MemoryContext context, JoinHost *host);

/* An empty input for spilled rows of `other`, with its type of keys. */
extern void JoinInputInitLike(JoinInput *input, const JoinInput *other, MemoryContext context);

/* Limit of reading, in bytes: hash memory without an eighth for sorting and files. */
extern Size JoinInputMemory(void);

/*
 * Limit of a part of spilled rows, in bytes: hash memory without files and `other_bytes`.
 * JoinInputMemory() if keys are sorted, else no less.
 */
extern Size JoinInputPartMemory(const JoinInput *input, Size other_bytes);

/* Spills rows if their join would exceed `limit` bytes. */
extern void JoinInputLimit(JoinInput *input, Predicate predicate, JoinAlgorithm algorithm,
						   Size limit);

/* In bytes; the input may have rows. */
extern void JoinInputRaiseLimit(JoinInput *input, Size limit);

/* Rows are 64-bit values, appended as sets of one token. */
extern void JoinInputTakeValues(JoinInput *input);

/* Rows are texts, appended by JoinInputAppendText. */
extern void JoinInputTakeTexts(JoinInput *input);

/* Rows from now on are the right side. */
extern void JoinInputBeginRight(JoinInput *input);

/*
 * Copies a row of distinct tokens, at any alignment; one without tokens is only counted.
 * program_limit_exceeded if a join cannot hold it.
 */
extern void JoinInputAppend(JoinInput *input, Datum key, const void *tokens, Size count);

/*
 * Copies a text in UTF-8. Texts of other groups need not meet, if texts.has_groups.
 * program_limit_exceeded if a join cannot hold it.
 */
extern void JoinInputAppendText(JoinInput *input, Datum key, ByteSpan utf8, uint64 group);

static inline bool
JoinInputIsSpilled(const JoinInput *input)
{
	return input->spills[0] != NULL;
}

/* After the last row: sorts the files. */
extern void JoinInputFinish(JoinInput *input);

/* Appends a row of a file, in memory. */
extern void JoinInputAppendSpilled(JoinInput *input, const SpillRow *row);

/* Whether that row fits the limit. */
extern bool JoinInputFits(JoinInput *input, const SpillRow *row);

/* Kilobytes for a sort. */
extern int JoinInputSortMemory(const JoinInput *input);

/* Bytes to sort the keys; 0 if they need none. */
extern Size JoinInputKeySortBytes(const JoinInput *input);

/* Peak bytes of reading, with files and sorts. */
extern Size JoinInputReadBytes(const JoinInput *input);

/* Bytes of open files' buffers and last rows. */
extern Size JoinInputFileBytes(const JoinInput *input);

/* MemoryContextMemAllocated, inlined since each row needs it. */
static inline Size
JoinInputKeyBytes(const JoinInput *input)
{
	return input->key_context->mem_allocated;
}

/* Frees all memory and closes the files. */
extern void JoinInputFree(JoinInput *input);

#endif
