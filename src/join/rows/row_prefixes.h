/*
 * row_prefixes.h
 *		An index of the rarest tokens of rows in files, with the rows' signatures.
 *
 * A similar pair has α common tokens at least. A row x has α - 1 tokens beside its |x| - α + 1
 * rarest ones, so one of these is common to both. The index has the rarest tokens of some rows; another
 * row looks up all of its own. So it meets each row that is similar to it, and some rows that are
 * not similar, most of which are dropped by their signatures (bitmap_filter.h).
 *
 * An entry takes a few bytes, where a row that is joined takes hundreds.
 */
#ifndef NEARDUP_JOIN_ROW_PREFIXES_H
#define NEARDUP_JOIN_ROW_PREFIXES_H

#include "join/rows/spill.h"
#include "kernel/filters/signature_scan.h"

/* A row has a token of this bucket among its rarest. */
typedef struct PrefixEntry
{
	uint32 bucket;
	uint32 row;
} PrefixEntry;

typedef struct RowPrefixes
{
	JoinHost *host;
	const uint32 *known_ranks; /* ranks of ids, by document frequency */
	const LeastOverlaps *least_overlaps;
	SignatureScan scan;
	uint32 words; /* of a signature */

	uint64 bucket_count;
	int shift;			  /* by how many bits a hash is shifted to give its bucket */
	uint32 *starts;		  /* where the list of each bucket starts */
	uint32 *lists;		  /* rows, bucket by bucket */
	PrefixEntry *entries; /* what becomes the lists */
	uint64 entry_count;
	uint64 entry_capacity;

	uint64 *rows; /* of each row its size, then its signature */
	uint32 row_count;
	uint32 row_capacity;
} RowPrefixes;

/*
 * Makes an empty index of at most about this many bytes, for `rows` rows of this mean size.
 * `least_overlaps` has the least overlaps by the predicate, up to the largest row.
 */
extern void RowPrefixesBegin(RowPrefixes *prefixes, const LeastOverlaps *least_overlaps,
							 const uint32 *known_ranks, double mean_size, uint64 rows, Size bytes);

/*
 * Adds a row that has at least `least` tokens in common, at least 1, with each row that is similar
 * to it. Returns false if there is no room for it.
 */
extern bool RowPrefixesAdd(RowPrefixes *prefixes, const SpillRow *row, int64 least);

/* Called after the last row. */
extern void RowPrefixesFinish(RowPrefixes *prefixes);

/* Forgets the rows. */
extern void RowPrefixesReset(RowPrefixes *prefixes);

/*
 * Calls `take` for each of the first `count` rows of the index that may be similar, perhaps several
 * times. Returns how many rows were compared.
 */
extern uint64 RowPrefixesMeet(const RowPrefixes *prefixes, const SpillRow *row, uint32 count,
							  void (*take)(void *context, uint32 number), void *context);

extern void RowPrefixesFree(RowPrefixes *prefixes);

#endif
