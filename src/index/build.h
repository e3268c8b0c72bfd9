/*
 * build.h
 *		How rows come into an index: all rows of a table when it is built, then one at a time.
 */
#ifndef NEARDUP_INDEX_BUILD_H
#define NEARDUP_INDEX_BUILD_H

#include "access/amapi.h"
#include "access/genam.h"

/*
 * Fills an empty index with the rows of its table. The index has one segment, or none, unless one
 * could not number all rows.
 */
extern IndexBuildResult *IndexBuild(Relation heap, Relation index, struct IndexInfo *info);

/* Writes the initialization fork of an unlogged index, which a crash copies over the index. */
extern void IndexBuildEmpty(Relation index);

/*
 * Appends a row to the pending rows. When these have become many, it also makes them a segment,
 * unless another backend maintains the index at this moment. Always returns false: the index has
 * no way to be unique.
 */
extern bool IndexInsert(Relation index, Datum *values, bool *isnull, ItemPointer tid, Relation heap,
						IndexUniqueCheck unique, bool unchanged, struct IndexInfo *info);

#endif
