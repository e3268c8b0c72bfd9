/*
 * similar_rows.h
 *		Which rows in files may have a similar row at all.
 *
 * Parts meet block by block: with a quarter of the memory, a row is loaded, put in order and indexed
 * several times. Most rows of most tables are similar to none. So before the parts, an index of
 * little more than the rows' rarest tokens (row_prefixes.h) finds those that have a near one, and the
 * others are not loaded. Such an index has a multiple of the rows that a part has.
 */
#ifndef NEARDUP_JOIN_SIMILAR_ROWS_H
#define NEARDUP_JOIN_SIMILAR_ROWS_H

#include "join/rows/input.h"

typedef struct SimilarRows
{
	JoinHost *host;
	uint64 *bits[2]; /* of each file, a bit for each row; NULL if all may have similar rows */
	uint64 words[2];
} SimilarRows;

/*
 * Finds these rows of a spilled, finished input in `limit` bytes. Finds nothing out where that
 * would not pay: where most rows have a near one, or meet very many.
 */
extern void SimilarRowsFind(SimilarRows *similar, const JoinInput *input, Predicate predicate,
							Size limit);

/* Whether a row of a file may have a similar one. */
static inline bool
SimilarRowsHave(const SimilarRows *similar, int side, uint64 number)
{
	return similar->bits[side] == NULL || (similar->bits[side][number / 64] >> (number % 64) & 1);
}

/* Returns the bytes that the bits take. */
extern Size SimilarRowsBytes(const SimilarRows *similar);

extern void SimilarRowsFree(SimilarRows *similar);

#endif
