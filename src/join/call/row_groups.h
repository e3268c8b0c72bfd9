/*
 * row_groups.h
 *		Groups of the rows that have equal sets, of which a join has the first row only.
 *
 * Equal rows have the same similar rows, except themselves. So a join of n equal rows need not find
 * their n²/2 pairs: it finds each pair of groups once, and its caller takes from a pair of groups
 * as many rows as it needs. The rows of two queries are in different groups.
 *
 * While rows are read, groups are numbered as they come, and the join has these numbers for keys. Once
 * keys are in order, a group has the rank of its first row, which has its least key, among the
 * first rows of all groups, and is known by this rank. Members are places (row_places.h).
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
	uint32 left_count; /* groups of the first query; by number, groups of the second query follow */
	uint32 empty;	   /* number of the last query's group without tokens, or NO_GROUP */

	/* While rows are read. */
	MemoryContext reading_context;
	Copies *copies;	 /* copies within the present query */
	uint32 *of_rows; /* the group of each row, by number */
	uint32 row_count;
	uint32 row_capacity;
	uint32 *sizes; /* tokens of each group, by number */
	uint32 size_capacity;

	/* Once keys are in order. The members of a group are members[starts[rank]] and so on. */
	uint32 *ranks;	 /* by number */
	uint32 *numbers; /* by rank */
	uint32 *starts;
	uint32 *members; /* places, ascending within a group */
	int64 *measured; /* by rank, the size of a group's set, or its weight once it is weighed */
} RowGroups;

/* Begins without rows; groups take their memory in the context. */
extern void RowGroupsInit(RowGroups *groups, MemoryContext context);

/* Begins to group the rows of a query. */
extern void RowGroupsBeginQuery(RowGroups *groups);

/* Adds a row, and returns whether it is the first one of a new group, groups->count - 1. */
extern bool RowGroupsAdd(RowGroups *groups, const JoinRow *row);

/* Called after the last row: ranks the groups, and finds their members, by the order of the keys. */
extern void RowGroupsOrder(RowGroups *groups, const KeyOrder *order);

/* Notes the weights of the records of a part, whose keys are numbers of groups. */
extern void RowGroupsWeigh(RowGroups *groups, const JoinRecords *records, const int64 *keys);

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
