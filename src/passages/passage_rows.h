/*
 * passage_rows.h
 *		Reads the texts of queries as rows of passages, with their keys.
 *
 * Rows are numbered as they are read. Words and sorts are within the memory of a join, then in
 * temporary files; keys, and where rows begin, are always in memory.
 */
#ifndef NEARDUP_PASSAGES_PASSAGE_ROWS_H
#define NEARDUP_PASSAGES_PASSAGE_ROWS_H

#include "storage/buffile.h"

#include "join/process.h"
#include "join/rows/reader.h"
#include "passages/kernel/passages.h"

/* The texts of all rows, in a file, so that passages can be shown. */
typedef struct PassageTexts
{
	BufFile *file;
	uint64 *starts; /* for each row the segment of the file and the place in it */
	Size count;
	Size capacity;
} PassageTexts;

typedef struct PassageRows
{
	JoinProcess process;
	MemoryContext context;
	PassageFiles files;
	Passages passages;
	JoinInput input; /* no rows, but how texts are read */
	RowObserver observer;
	KeyPolicy key_policy;
	Oid key_type;
	bool keys_are_compared;
	bool keeps_texts;
	bool has_sentences;
	JoinKeys keys;
	uint32 left_count; /* rows of the first query that was read */
	PassageTexts texts;
	uint64 row_count;	/* number of rows read, which progress reports */
	uint64 found_count; /* what the caller has found, for reports */
} PassageRows;

typedef struct PassageRequest
{
	const char *name;		/* name of the SQL function */
	const char *queries[2]; /* the queries in the order in which they are read; [1] may be NULL */
	ReaderSpec reader;
	uint32 min_words;
	bool keeps_texts;
	bool has_sentences; /* words tell where sentences begin and end */
} PassageRequest;

/*
 * Reads the rows, and finds the grams that may be repeated. The rows must not move until
 * PassageRowsEnd. Errors as of JoinReadQuery.
 */
extern void PassageRowsRead(PassageRows *rows, const PassageRequest *request);

/* Returns the key of a row as a result has it. */
static inline Datum
PassageRowsKey(const PassageRows *rows, uint32 row)
{
	return JoinKeysResult(&rows->keys, rows->key_policy, row);
}

/* Returns characters of a kept text, from 1, the end exclusive, as a new text. */
extern text *PassageRowsText(PassageRows *rows, uint32 row, uint32 from, uint32 to);

/* Frees the memory, closes the files. */
extern void PassageRowsEnd(PassageRows *rows);

#endif
