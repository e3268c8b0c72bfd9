/*
 * clean_search.h
 *		Searches for the row of a table that is most similar to a new one, planned once a session.
 */
#ifndef NEARDUP_CLEAN_CLEAN_SEARCH_H
#define NEARDUP_CLEAN_CLEAN_SEARCH_H

#include "lib/stringinfo.h"

/* A search with its plans. */
typedef struct CleanSearch CleanSearch;

/* What makes a search: the call of a function that returns its statements. */
typedef struct CleanSearchRequest
{
	Oid schema;		  /* of the function */
	const char *call; /* without the schema; $1 and so on are these values: */
	int count;
	const Oid *types;
	const Datum *values;
	const char *nulls; /* as SPI has them */

	Oid rel;
	Oid row_type;	/* of a new row: jsonb, or the type of the table's rows */
	StringInfo key; /* equal for two requests only if their values are */
} CleanSearchRequest;

/* A new row, as a search has read it. */
typedef struct CleanNewRow
{
	Datum *values; /* the tokens and the scope */
	char *nulls;
} CleanNewRow;

/* What a search has found. */
typedef struct CleanFoundRow
{
	char *key; /* NULL if there is no such row */
	double similarity;
} CleanFoundRow;

/*
 * Returns the search of a request. The caller is connected to SPI, and calls CleanSearchClose() in
 * the end, after an error too. Raises the errors by which the arguments are refused.
 */
extern CleanSearch *CleanSearchOpen(const CleanSearchRequest *request);
extern void CleanSearchClose(CleanSearch *search);

/*
 * Reads a new row, and takes the lock of its scope unless a constraint keeps rows apart. What the row
 * holds, and what the functions below return, lives until SPI_finish().
 */
extern CleanNewRow CleanSearchRead(CleanSearch *search, Datum new_row);

/* Finds the most similar row that reaches the threshold of the statement. */
extern CleanFoundRow CleanSearchFind(CleanSearch *search, const CleanNewRow *row);

/* Counts up the row of a key, and returns whether it was there. */
extern bool CleanSearchCountUp(CleanSearch *search, const char *key);

/* Inserts a new row, a jsonb object. Returns its key, or NULL if it was left out. */
extern char *CleanSearchInsert(CleanSearch *search, Datum new_row);

/* Raises an error if a row that was left out will be left out again; attempts are numbered from 1. */
extern void CleanSearchRefuse(CleanSearch *search, Datum new_row, double threshold, int attempt);

#endif
