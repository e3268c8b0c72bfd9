/*
 * maintain.h
 *		Keeping the parts of an index few: pending rows become segments, and segments are merged.
 *
 * The caller of each function holds the maintenance lock.
 */
#ifndef NEARDUP_INDEX_MAINTAIN_H
#define NEARDUP_INDEX_MAINTAIN_H

#include "index/meta.h"

/* When an insert has filled this many pages of the open stream, its rows become a segment. */
#define PENDING_MOST_PAGES 64

/* An insert merges segments of at most this many postings together. */
#define MERGE_OF_INSERT ((uint64) 2 * 1024 * 1024)

/*
 * Makes the rows of both streams segments, each of as many rows as maintenance_work_mem holds. Where
 * the metapage has no room for more segments, they are merged in between if `merges`; else, or where
 * it has no room for more retired parts, rows stay pending.
 */
extern void IndexFlush(Relation index, bool merges);

/*
 * Merges segments of similar size, while there are several that have at most `most_postings`
 * postings together. If the metapage is nearly full of segments, the smaller half is merged
 * whatever its size.
 */
extern void IndexMerge(Relation index, uint64 most_postings);

/* Writes each segment again that has many dead records, without these. */
extern void IndexRewriteWorn(Relation index);

/* Adds to the metapage a segment that was just written. */
extern void IndexAddSegment(Relation index, const IndexSegment *segment);

#endif
