/*
 * maintain.h
 *		Keeping the parts of an index few. The caller holds the maintenance lock.
 */
#ifndef NEARDUP_INDEX_MAINTAIN_H
#define NEARDUP_INDEX_MAINTAIN_H

#include "index/meta.h"

/* Pages of the open stream from which on its rows become a segment. */
#define PENDING_MOST_PAGES 64

/* Postings of a merge that an insert may do. */
#define MERGE_OF_INSERT ((uint64) 2 * 1024 * 1024)

/* Makes the streams' rows segments, each of as many rows as maintenance_work_mem holds. */
extern void IndexFlush(Relation index);

/* Merges segments of similar size, of at most so many postings together. */
extern void IndexMerge(Relation index, uint64 most_postings);

/* Writes segments anew that have many dead records. */
extern void IndexRewriteWorn(Relation index);

/* Merges all segments into one. */
extern void IndexMergeAll(Relation index);

/* Adds a segment just written. */
extern void IndexAddSegment(Relation index, const IndexSegment *segment);

#endif
