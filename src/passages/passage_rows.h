/*
 * passage_rows.h
 *		Reads the texts of queries as rows of passages, with their keys.
 *
 * Rows are numbered as they are read. Words and sorts are within the memory of a join, then in
 * temporary files; keys, and where rows begin, are always in memory.
 */
#ifndef NEARDUP_PASSAGES_PASSAGE_ROWS_H
#define NEARDUP_PASSAGES_PASSAGE_ROWS_H

#include "join/call/call_rows.h"
#include "join/call/row_values.h"
#include "join/process.h"
#include "passages/kernel/passages.h"
#include "text/bytes.h"

typedef struct PassageRows
{
	JoinProcess process;
	MemoryContext context;
	Passages passages;
	bool has_sentences;
	bool keeps_texts;
	RowValues texts;	/* bytes in UTF-8, if they are kept */
	CallRows rows;		/* their keys */
	uint64 row_count;	/* number of rows read, which progress reports */
	uint64 found_count; /* what the caller has found, for reports */
} PassageRows;

typedef struct PassageRequest
{
	const char *name;		/* name of the SQL function */
	const char *queries[2]; /* the queries in the order in which they are read; [1] may be NULL */
	ReaderSpec reader;
	uint32 min_words;
	bool has_sentences; /* words tell where sentences begin and end */
	bool keeps_texts;
} PassageRequest;

/*
 * Reads the rows, and finds the grams that may be repeated. The rows must not move until
 * PassageRowsEnd. Errors as of CallRowsRead.
 */
extern void PassageRowsRead(PassageRows *rows, const PassageRequest *request);

/* Returns the key of a row as a result has it. */
static inline Datum
PassageRowsKey(const PassageRows *rows, uint32 row)
{
	return JoinKeysResult(&rows->rows.keys, rows->rows.key_policy, row);
}

/* Frees the memory, closes the files. */
extern void PassageRowsEnd(PassageRows *rows);

#endif
