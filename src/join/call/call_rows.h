/*
 * call_rows.h
 *		The rows of a call: what a function keeps of the rows that it reads, as its wishes say.
 *
 * A row has a number, in the order of reading. When all rows are read, keys are put in order, and a row
 * is known by its place: the rank of its key, or its rank in another order that the caller prefers.
 * Arrays that had an element for each row by its number have them by place then.
 *
 * Equal rows may be one group: rows whose values are equal, and which nothing sets apart, such as
 * scopes. The join then has the first row of each group only, with the group's number as its key. While
 * rows are read, groups are numbered as they come. Then a group has the rank of its first row, the row
 * of the least place, among the first rows of all groups, and is known by this rank; its members are
 * places. The rows of two queries are in different groups. Groups, numbers and places are the same in
 * each part of spilled rows and under each predicate, and do not depend on the order of reading.
 */
#ifndef NEARDUP_JOIN_CALL_ROWS_H
#define NEARDUP_JOIN_CALL_ROWS_H

#include "join/query_join.h"
#include "join/call/except_pairs.h"
#include "rows/copies.h"
#include "rows/key_order.h"

/* What is kept of the keys of the rows. */
typedef enum KeyWish
{
	KEYS_LEFT_OUT,
	KEYS_KEPT,
	KEYS_RANKED, /* so that two of them can be compared */
	KEYS_UNIQUE	 /* in order, each of them once in a query: only these rows have places */
} KeyWish;

#define MOST_ROW_ARRAYS 4

/* Arrays with an element for each row, or for each group, which grow together and are put in order together. */
typedef struct RowArrays
{
	struct
	{
		void **array;
		Size width; /* of an element, in bytes */
	} of[MOST_ROW_ARRAYS];
	int count;
	uint32 capacity;
} RowArrays;

/* What a function wishes to have of its rows. What it does not mention is not kept. */
typedef struct RowWishes
{
	const RowKind
		*kind; /* of the values in the second column; NULL if the caller reads all values */
	int further_columns; /* of the query, besides a key and a value */

	KeyWish keys;
	int key_column;		  /* number of the column, from 0 on */
	const char *key_name; /* of the column of a table, whose rows must all have a key; else NULL */
	const char *names[2]; /* otherwise, what errors call the queries */
	JoinHost *key_host;	  /* allocates the keys; NULL for a memory context */

	int scope_column;	 /* rows of different scopes are no pair; 0 if all have one scope */
	ExceptPairs *except; /* pairs of keys that are no pairs; NULL if there are none */
	int except_column;	 /* the column of these pairs that has the keys */
	/* Of a pair, only the row of the greater place may be the left one, under a directed measure. */
	bool is_directed;

	/* How the rows of a query are sampled, while the caller may cut reading short; NULL for all rows. */
	QuerySample *sample;

	bool has_groups;	/* equal rows are one group; otherwise, each row is */
	bool has_sizes;		/* of the groups, in tokens */
	bool counts_copies; /* in figures and weights, all rows of a group count */

	/* Arrays of the caller, of which `note` or `begin_group` sets the elements. */
	RowArrays by_row;
	RowArrays by_group;

	/* What the caller does with rows while they are read; each function may be NULL. */
	void *context;
	/* Checks the columns of a query. */
	void (*begin)(void *context, TupleDesc columns);
	/* Notes what the caller keeps of a row. Without a kind, it may call CallRowsTakeContent. */
	void (*note)(void *context, TupleTableSlot *slot, uint32 number);
	/* Sees a value that was read, and returns whether it comes into a group and into the join. */
	bool (*see)(void *context, const JoinRow *value);
	/*
	 * Sets what sets a row apart from rows of equal values, and returns true; false if the row is a group
	 * by itself and is not in the join. The value is NULL if the row has none.
	 */
	bool (*set_apart)(void *context, uint32 number, const JoinRow *value, CopyHash *apart);
	/* Begins a group of rows with this content, a value or what CallRowsTakeContent was given. */
	void (*begin_group)(void *context, uint32 group, const void *content, Size size);
} RowWishes;

/* What makes two rows one group, beside the content that follows it. */
typedef struct ContentHead
{
	CopyHash apart;
	uint32 scope;
	uint32 excepted; /* number in `except`, or NO_ROW */
} ContentHead;

/* A row whose content has not been looked up yet. */
typedef struct WaitingRow
{
	bool waits;
	bool is_null; /* it has no value */
	uint32 number;
	ContentHead head;
	char *content; /* head and content */
	Size size;	   /* bytes of the content without the head */
	Size capacity;
	CopyHash hash; /* of head and content */
} WaitingRow;

typedef struct CallRows
{
	RowWishes wishes;
	SimilarityJoin *join; /* NULL if there is none */
	bool is_self_join;
	KeyPolicy key_policy;
	MemoryContext context; /* of what follows */
	uint32 count;
	uint32 left_count; /* rows of the first query; the others follow */
	JoinKeys keys;	   /* by number */
	KeyOrder order;
	uint32 *by_place; /* the number of the row at each place */

	uint32 group_count;
	uint32
		left_group_count; /* groups of the first query; by number, those of the second one follow */
	uint32 empty;		  /* number of the last query's group without tokens, or NO_ROW */
	uint32 *groups;		  /* the group of each row, first by number, then by place */
	/* By number of the group, then by rank; each is NULL without the wish: */
	uint32 *sizes;
	uint32 *scopes;
	uint32 *excepted; /* of the group's row, or NO_ROW */

	/* While rows are read. */
	bool is_cut;	  /* the caller sets it to end reading at the present row */
	Copies *copies;	  /* contents of the present query */
	ContentHead head; /* of the row that was noted last */
	WaitingRow waiting;
	uint64 secret; /* salts the scopes */

	/* Once rows have places. The members of a group are members[starts[rank]] and so on. */
	uint32 *ranks;	 /* the rank of a group, by number */
	uint32 *numbers; /* the number of a group, by rank */
	uint32 *starts;
	uint32 *members; /* places, ascending within a group */
	int64 *measured; /* by rank, the size of a group's set, or its weight once it is weighed */
} CallRows;

/*
 * Begins the join, if there is one, reads the queries of the request, and orders the keys; allocates in
 * the current memory context. Changes the request's task, which may refer to the rows: they must not
 * move. Groups that wait for a place have their numbers.
 *
 * Errors: those of JoinReadQuery; unique_violation if a key occurs twice in a query,
 * null_value_not_allowed if it is missing in a table, program_limit_exceeded for too many rows.
 */
extern void CallRowsRead(CallRows *rows, const RowWishes *wishes, SimilarityJoin *join,
						 JoinRequest *request);

/* Adds an array of the caller's to those of the wishes. */
static inline void
RowArraysAdd(RowArrays *arrays, void *array, Size width)
{
	arrays->of[arrays->count].array = array;
	arrays->of[arrays->count++].width = width;
}

/* Gives the row that is being noted this content. */
extern void CallRowsTakeContent(CallRows *rows, const void *content, Size size);

/*
 * Gives rows and groups their places: in the order of these numbers of rows, which was allocated as the
 * rows were; or of the keys, if it is NULL.
 */
extern void CallRowsPlace(CallRows *rows, uint32 *by_place);

/* Whether rows of two groups may be a pair: they have one scope, and are no pair of `except`. */
extern bool CallRowsComparable(const CallRows *rows, uint32 a, uint32 b);

/*
 * The same for rows that no query returns, with bigint keys: begins the join, takes the rows of one
 * side after the other, and ends reading. The request's queries do not matter.
 */
extern void CallRowsBegin(CallRows *rows, const RowWishes *wishes, SimilarityJoin *join,
						  JoinRequest *request, bool is_self_join);
extern void CallRowsBeginRight(CallRows *rows);
extern void CallRowsAppend(CallRows *rows, int64 key, const JoinRow *row);
extern void CallRowsEnd(CallRows *rows, const JoinRequest *request);

/* Returns the number of the row at a place. */
static inline uint32
CallRowsNumber(const CallRows *rows, uint32 place)
{
	return rows->by_place[place];
}

/* Returns the key of the row at a place as a result. */
static inline Datum
CallRowsKey(const CallRows *rows, uint32 place)
{
	return JoinKeysResult(&rows->keys, rows->key_policy, CallRowsNumber(rows, place));
}

/* Returns the group of a row that the join has. */
static inline uint32
CallRowsGroupOf(const CallRows *rows, uint32 row)
{
	return rows->ranks[JoinKeysInt64(&rows->join->part->keys, row)];
}

/* Returns how many rows a group has. */
static inline uint32
CallRowsGroupSize(const CallRows *rows, uint32 group)
{
	return rows->starts[group + 1] - rows->starts[group];
}

/* Returns the first of the members of a group. */
static inline const uint32 *
CallRowsMembers(const CallRows *rows, uint32 group)
{
	return rows->members + rows->starts[group];
}

#endif
