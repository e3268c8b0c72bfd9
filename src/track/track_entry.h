/*
 * track_entry.h
 *		What a backend knows of a tracked table: its relations, types, predicate and order of
 *		tokens, and the plans of the statements that keep its clusters.
 */
#ifndef NEARDUP_TRACK_TRACK_ENTRY_H
#define NEARDUP_TRACK_TRACK_ENTRY_H

#include "access/attnum.h"
#include "executor/spi.h"
#include "nodes/bitmapset.h"

#include "tokenset/token_order.h"

/*
 * The statements that read and write the tables beside a tracked table. Each comment has the
 * parameters of the statement in parentheses, then a colon and the columns that it returns.
 */
typedef enum TrackStatement
{
	TRACK_READ,	   /* (key): ctid, member, cluster and set recorded; the set as it should be */
	TRACK_SIMILAR, /* (set, threshold): ctid, member, cluster, set of each similar row */
	TRACK_COPY,	   /* (set, newest): member of a row with this set that is not new */
	TRACK_CLUSTER, /* (cluster): member, set of each of its rows */
	TRACK_INSERT,  /* (key, member, cluster, set) */
	TRACK_CHANGE,  /* (key, set, member) */
	TRACK_DELETE,  /* (key) */
	TRACK_MERGE,   /* (parts, clusters, newest): part, the cluster that keeps its number */
	TRACK_RECORD, /* (keys): clusters of the rows that it deletes or changes, how many it changes */
	TRACK_ARRIVED, /* (keys): key and set of rows that are not recorded yet */
	TRACK_MEMBERS, /* ctid, cluster, set of all rows */
	TRACK_SPLIT,   /* (sets, newest, threshold, clusters): as TRACK_REBUILD, of these clusters */
	TRACK_REBUILD, /* (): key, difference, recorded, computed, of rows that were recorded wrongly */
	TRACK_REPAIR,  /* (sets, newest, threshold): as TRACK_REBUILD, of all clusters */
	TRACK_FREEZE,  /* (newest): nothing; it chooses the frequent tokens */
	TRACK_TRUNCATE
} TrackStatement;

#define TRACK_STATEMENTS (TRACK_TRUNCATE + 1)

typedef struct TrackTable
{
	Oid rel;
	bool is_valid;		   /* no definition that it was read from has changed since */
	MemoryContext context; /* holds the entry and all that it points to */
	Oid owner;
	Oid members;		/* DOC_neardup, of a tracked table DOC */
	Oid state;			/* DOC_neardup_state */
	Oid log;			/* DOC_neardup_log */
	Oid source;			/* the view DOC_neardup_source */
	Oid numbers;		/* the sequence of member and cluster */
	const char *schema; /* of the extension, quoted */
	Predicate predicate;

	/* The column of the key, and the columns that key and set are made of; column 0 means all. */
	AttrNumber key;
	Bitmapset *columns; /* offset by FirstLowInvalidHeapAttributeNumber */
	Oid set_type;
	Oid key_type;
	Oid key_array; /* array type; invalid if the key's type has none */
	Oid key_collation;
	int16 key_length;
	bool key_by_value;
	FmgrInfo *compare_keys; /* of the type's B-tree operator class */
	const char *equality;	/* OPERATOR(schema.name) of this class */

	TokenOrder *order; /* does not change while the table is locked */
	int64 frozen;	   /* the last number of `numbers` when the order was chosen */
	int64 newest;	   /* the last number that this backend has drawn */

	SPIPlanPtr plans[TRACK_STATEMENTS];
} TrackTable;

#endif
