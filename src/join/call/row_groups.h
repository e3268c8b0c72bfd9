/*
 * row_groups.h
 *		Groups of the rows that have equal sets, of which a join has the first row only.
 *
 * Equal rows have the same similar rows, except themselves. So a join of n equal rows need not find
 * their n²/2 pairs: it finds each pair of groups once, and its caller takes from a pair of groups
 * as many rows as it needs. The rows of two queries are in different groups.
 *
 * Groups have numbers, in the order of their first rows; members are places (row_places.h).
 */
#ifndef NEARDUP_JOIN_ROW_GROUPS_H
#define NEARDUP_JOIN_ROW_GROUPS_H

#include "kernel/engine.h"
#include "join/rows/copies.h"
#include "join/rows/key_order.h"
#include "join/rows/row_kind.h"

#define NO_GROUP PG_UINT32_MAX

typedef struct RowGroups
{
	MemoryContext context;
	uint32 count;
	uint32 left_count; /* rows of the first query; those of the second one follow */
	uint32 empty;	   /* the group of the last query's rows without tokens, or NO_GROUP */

	/* While rows are read. */
	MemoryContext reading_context;
	Copies *copies;	 /* copies within the present query */
	uint32 *of_rows; /* the group of each row, by number */
	uint32 row_count;
	uint32 row_capacity;

	/* Once keys are in order. The members of a group are members[starts[group]] and so on. */
	uint32 *starts;
	uint32 *members; /* places, ascending within a group */
	int64
		*measured; /* size or weight of each group's set; 0 if not known, or if it weighs nothing */
} RowGroups;

/* Begins without rows; groups take their memory in the context. */
extern void RowGroupsInit(RowGroups *groups, MemoryContext context);

/* Begins to group the rows of a query. */
extern void RowGroupsBeginQuery(RowGroups *groups);

/* Adds a row, and returns whether it is the first one of a new group, groups->count - 1. */
extern bool RowGroupsAdd(RowGroups *groups, const JoinRow *row);

/* Called after the last row: finds the members of each group by the order of the keys. */
extern void RowGroupsOrder(RowGroups *groups, const KeyOrder *order);

/* Notes the sizes of the records of a part, whose keys are groups. */
extern void RowGroupsMeasure(RowGroups *groups, const JoinRecords *records, const int64 *keys);

static inline uint32
RowGroupSize(const RowGroups *groups, uint32 group)
{
	return groups->starts[group + 1] - groups->starts[group];
}

/* Returns the first of the members of a group. */
static inline const uint32 *
RowGroupMembers(const RowGroups *groups, uint32 group)
{
	return groups->members + groups->starts[group];
}

static inline bool
RowGroupsHaveCopies(const RowGroups *groups)
{
	return groups->count < groups->row_count;
}

#endif
