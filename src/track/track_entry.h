/*
 * track_entry.h
 *		What a backend knows of a tracked table.
 */
#ifndef NEARDUP_TRACK_TRACK_ENTRY_H
#define NEARDUP_TRACK_TRACK_ENTRY_H

#include "access/attnum.h"
#include "executor/spi.h"
#include "nodes/bitmapset.h"

#include "tokenset/token_order.h"

typedef enum TrackStatement
{
	TRACK_READ,	   /* (key): ctid, member, cluster and set recorded; the set as it should be */
	TRACK_SIMILAR, /* (set, threshold): ctid, member, cluster, set */
	TRACK_COPY,	   /* (set, newest): a row that had it before */
	TRACK_CLUSTER, /* (cluster): member, set */
	TRACK_INSERT,  /* (key, member, cluster, set) */
	TRACK_CHANGE,  /* (key, set, member) */
	TRACK_DELETE,  /* (key) */
	TRACK_MERGE,   /* (parts, clusters, newest): part, cluster that is kept */
	TRACK_RECORD,  /* (keys): what went or changed: its clusters */
	TRACK_ARRIVED, /* (keys): key and set of what is not recorded */
	TRACK_MEMBERS, /* ctid, cluster, set */
	TRACK_SPLIT,   /* (pairs, newest, clusters): computes these anew, as TRACK_REBUILD */
	TRACK_REBUILD, /* records what the table has: key, difference, recorded, computed */
	TRACK_REPAIR,  /* (pairs, newest): computes all clusters anew, as TRACK_REBUILD */
	TRACK_FREEZE,  /* (newest): chooses the frequent tokens */
	TRACK_TRUNCATE
} TrackStatement;

#define TRACK_STATEMENTS (TRACK_TRUNCATE + 1)

typedef struct TrackTable
{
	Oid rel;
	bool is_valid;
	MemoryContext context; /* of all below */
	Oid owner;
	Oid members;
	Oid state;
	Oid log;
	Oid source;
	Oid numbers;		/* the sequence of member and cluster */
	const char *schema; /* of the extension */
	Predicate predicate;

	/* The key's column, and those that the set is made of; column 0 stands for all. */
	AttrNumber key;
	Bitmapset *columns; /* offset by FirstLowInvalidHeapAttributeNumber */
	Oid set_type;
	Oid key_type;
	Oid key_array; /* invalid if there is none */
	Oid key_collation;
	int16 key_length;
	bool key_by_value;
	FmgrInfo *compare_keys;
	const char *equality;

	TokenOrder *order; /* stands while the table is locked */
	int64 frozen;	   /* the last number when the order was chosen */
	int64 newest;	   /* the last that this backend has given */

	SPIPlanPtr plans[TRACK_STATEMENTS];
} TrackTable;

#endif
