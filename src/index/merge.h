/*
 * merge.h
 *		Merging several segments into one.
 */
#ifndef NEARDUP_INDEX_MERGE_H
#define NEARDUP_INDEX_MERGE_H

#include "index/meta.h"

/*
 * Writes a segment of the living records of the sources, which are segments of the index, at most
 * INDEX_SEGMENTS. Returns the segment, which the caller adds to the metapage in place of the
 * sources; its record_count is 0 if no record is alive. The caller holds the maintenance lock.
 * Takes maintenance_work_mem, and about six bytes for each record.
 */
extern IndexSegment MergeSegments(Relation index, const IndexSegment *sources, uint32 count);

#endif
