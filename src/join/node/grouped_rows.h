/*
 * grouped_rows.h
 *		The rows of an input of the join node, in the order of their groups.
 *
 * They are kept where a threshold lets all pairs of a group be similar, so that the node loops over
 * them (join_run.c). A tuplesort holds them, in memory up to a limit, then in temporary files.
 */
#ifndef NEARDUP_JOIN_GROUPED_ROWS_H
#define NEARDUP_JOIN_GROUPED_ROWS_H

#include "utils/tuplesort.h"

#include "join/node/stored_tuples.h"

typedef struct GroupedRows
{
	Tuplesortstate *sort;
	const StoredTuples *tuples; /* tells which columns of a row are kept */
	TupleTableSlot *put;
	TupleTableSlot *row; /* the row that was read last: its group, and the kept columns */
	int64 group;		 /* of this row */
} GroupedRows;

/* Begins without rows, in the current memory context. Rows beyond `kilobytes` go to files. */
extern GroupedRows *GroupedRowsBegin(const StoredTuples *tuples, int kilobytes);

/* Keeps a row, which is deformed. */
extern void GroupedRowsPut(GroupedRows *rows, int64 group, TupleTableSlot *row);

/* Reads the next row; returns false after the last. */
extern bool GroupedRowsNext(GroupedRows *rows);

/*
 * Has the first row of a group be read next, or the first row of a later group if this one has none.
 * Groups are sought in ascending order, each any number of times.
 */
extern void GroupedRowsSeek(GroupedRows *rows, int64 group);

/* Puts the row that was read last into the scan tuple, where its input's columns begin at `first`. */
extern void GroupedRowsShow(const GroupedRows *rows, TupleTableSlot *scan_tuple, int first);

/* Adds the bytes that the rows take in memory or in files. */
extern void GroupedRowsFigures(const GroupedRows *rows, Size *memory_bytes, int64 *temp_bytes);

#endif
