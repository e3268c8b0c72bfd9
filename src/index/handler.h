/*
 * handler.h
 *		The functions of the access method, as PostgreSQL calls them.
 */
#ifndef NEARDUP_INDEX_HANDLER_H
#define NEARDUP_INDEX_HANDLER_H

#include "access/amapi.h"
#include "access/genam.h"

extern IndexBuildResult *IndexBuild(Relation heap, Relation index, struct IndexInfo *info);
extern void IndexBuildEmpty(Relation index);

extern bool IndexInsert(Relation index, Datum *values, bool *isnull, ItemPointer tid, Relation heap,
						IndexUniqueCheck unique, bool unchanged, struct IndexInfo *info);

extern IndexBulkDeleteResult *IndexBulkDelete(IndexVacuumInfo *info, IndexBulkDeleteResult *result,
											  IndexBulkDeleteCallback callback, void *context);
extern IndexBulkDeleteResult *IndexVacuumCleanup(IndexVacuumInfo *info,
												 IndexBulkDeleteResult *result);

extern IndexScanDesc IndexScanBegin(Relation index, int nkeys, int norderbys);
extern void IndexScanRestart(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys,
							 int norderbys);
extern int64 IndexScanBitmap(IndexScanDesc scan, TIDBitmap *bitmap);
extern bool IndexScanNext(IndexScanDesc scan, ScanDirection direction);
extern void IndexScanEnd(IndexScanDesc scan);

extern void IndexCostEstimate(struct PlannerInfo *root, struct IndexPath *path, double loop_count,
							  Cost *startup, Cost *total, Selectivity *selectivity,
							  double *correlation, double *pages);

#endif
