/*
 * scan.h
 *		Scans of an index, plain ones and bitmap scans.
 *
 * A scan searches when its first row is asked for. From then until it is restarted or ended, it
 * holds a pin on the first page of each part of the index.
 */
#ifndef NEARDUP_INDEX_SCAN_H
#define NEARDUP_INDEX_SCAN_H

#include "access/genam.h"
#include "access/sdir.h"
#include "nodes/tidbitmap.h"

extern IndexScanDesc IndexScanBegin(Relation index, int nkeys, int norderbys);
extern void IndexScanRestart(IndexScanDesc scan, ScanKey keys, int nkeys, ScanKey orderbys,
							 int norderbys);

/* Adds all rows that may match, to be rechecked unless they surely do, and returns their number. */
extern int64 IndexScanBitmap(IndexScanDesc scan, TIDBitmap *bitmap);

/*
 * Puts the next row that may match into xs_heaptid, to be rechecked unless it surely does. With an
 * order, the row has a lower bound of its distance, and the bounds never fall. Returns false after the last row.
 */
extern bool IndexScanNext(IndexScanDesc scan, ScanDirection direction);

extern void IndexScanEnd(IndexScanDesc scan);

#endif
