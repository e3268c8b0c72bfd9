/*
 * duplicate_rows.h
 *		The rows of a call of near_duplicates: keys, contents, scopes and places.
 */
#ifndef NEARDUP_CLUSTER_DUPLICATE_ROWS_H
#define NEARDUP_CLUSTER_DUPLICATE_ROWS_H

#include "cluster/duplicates_request.h"
#include "cluster/except_pairs.h"
#include "join/rows/copies.h"
#include "join/rows/key_order.h"

/*
 * `first` is, while rows are read, the row of the same content that came first; afterwards, the one
 * of the least place.
 */
typedef struct DuplicateRow
{
	uint32 number; /* among the rows that were read, and their keys */
	uint32 first;  /* row with the same content */
	uint32 place;  /* by the order of preference or of sizes, else 0 */
	bool has_text;
	CopyHash text; /* equal for equal texts only */
} DuplicateRow;

/* A row whose content has not been looked up yet. */
typedef struct WaitingRow
{
	uint32 number;
	Size count;	   /* tokens; 0 if no row waits */
	char *content; /* head and tokens */
	Size capacity; /* bytes of the content */
	CopyHash hash; /* of the content */
} WaitingRow;

typedef struct DuplicateRows
{
	DuplicatesRequest *request;
	SimilarityJoin *join;  /* of the numbers of first rows */
	MemoryContext context; /* of all below */
	JoinKeys keys;
	Copies *contents; /* content heads and tokens */
	WaitingRow waiting;
	DuplicateRow *rows; /* by number, then by place */
	Size row_capacity;
	Size row_count;
	uint32 *sizes; /* by number, of the tokens; NULL unless rows are ordered by them */
	Size size_capacity;
	uint32 *scopes; /* by number; NULL if all rows have the same */
	Size scope_capacity;
	uint64 secret; /* of the groups */
	ExceptPairs *except;
	uint32 *excepted; /* by number, the number in `except`; NULL without them */
	Size excepted_capacity;
	uint32 *places; /* by number, of the least row with the same content */
	KeyOrder order;
} DuplicateRows;

/*
 * Begins the join and reads the rows of the request, which may then accept fewer pairs of the join.
 * The caller has them placed next (duplicate_places.h). Allocates in the current memory context, in
 * which all must stay while the join runs.
 */
extern void DuplicateRowsRead(DuplicateRows *rows, SimilarityJoin *join,
							  DuplicatesRequest *request);

#endif
