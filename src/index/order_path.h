/*
 * order_path.h
 *		Index scans for queries that are ordered by a measure.
 */
#ifndef NEARDUP_INDEX_ORDER_PATH_H
#define NEARDUP_INDEX_ORDER_PATH_H

/* Called when the library is loaded. */
extern void OrderPathInit(void);

#endif
