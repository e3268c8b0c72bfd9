/*
 * merge.h
 *		Merging several segments into one.
 */
#ifndef NEARDUP_INDEX_MERGE_H
#define NEARDUP_INDEX_MERGE_H

#include "index/segment_store.h"

/* Segments that are merged at once, at most. */
#define MERGE_MOST 64

/*
 * Writes a segment of the living records of the sources, at most MERGE_MOST, which are in these
 * files or, if `files` is NULL, in the index. Returns the segment, which the caller adds to the
 * metapage in place of the sources unless it is in a file; its record_count is 0 if no record is
 * alive. The caller holds the maintenance lock. Takes maintenance_work_mem, and about six bytes for
 * each record.
 */
extern IndexSegment MergeSegments(const SegmentStore *to, const IndexSegment *sources,
								  SegmentFile *const *files, uint32 count);

/* Returns how many of the first segments a segment has room for: its records have 32-bit numbers. */
extern uint32 MergeRoom(const IndexSegment *segments, uint32 count);

#endif
