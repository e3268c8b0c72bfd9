/*
 * vacuum.h
 *		VACUUM of an index.
 *
 * Both functions wait for the maintenance lock, hold it while they work, and release it before
 * they return.
 */
#ifndef NEARDUP_INDEX_VACUUM_H
#define NEARDUP_INDEX_VACUUM_H

#include "access/genam.h"

/* Makes the TIDs invalid for which the callback returns true. A NULL result is palloc'd. */
extern IndexBulkDeleteResult *IndexBulkDelete(IndexVacuumInfo *info, IndexBulkDeleteResult *result,
											  IndexBulkDeleteCallback callback, void *context);

/* Makes pending rows segments, writes segments with many dead records again, merges segments. */
extern IndexBulkDeleteResult *IndexVacuumCleanup(IndexVacuumInfo *info,
												 IndexBulkDeleteResult *result);

#endif
