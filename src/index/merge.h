/*
 * merge.h
 *		Several segments into one.
 */
#ifndef NEARDUP_INDEX_MERGE_H
#define NEARDUP_INDEX_MERGE_H

#include "index/meta.h"

/*
 * A segment of the sources' living records, as SegmentWriterFinish; record_count is 0 if there are
 * none. Takes maintenance_work_mem, and six bytes a record.
 */
extern IndexSegment MergeSegments(Relation index, const IndexSegment *sources, uint32 count);

#endif
