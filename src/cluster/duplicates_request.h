/*
 * duplicates_request.h
 *		What a call of near_duplicates asks for.
 */
#ifndef NEARDUP_CLUSTER_DUPLICATES_REQUEST_H
#define NEARDUP_CLUSTER_DUPLICATES_REQUEST_H

#include "fmgr.h"

#include "cluster/partition.h"
#include "join/query_join.h"
#include "table/above_chance.h"

/* The query of the rows has these columns, in this order. */
enum
{
	COLUMN_PLACE,  /* if there is an order of preference, else 0 */
	COLUMN_TOKENS, /* NULL if the text is */
	COLUMN_TEXT,
	COLUMN_KEY,
	COLUMN_SCOPE, /* if rows are compared within scopes, else 0 */
	COLUMNS
};

typedef struct DuplicatesRequest
{
	JoinRequest join;
	ClusterMode mode;
	const char *key_name;
	const char *relation; /* this and the columns as SQL */
	const char *key_column;
	const char *text_column;
	bool text_is_string; /* the column is of type text, or of one that is taken for it */
	const char *tokens;	 /* this and `within` as the caller gave them, or NULL */
	const char *within;
	const char *compared; /* the tokens that are compared, as SQL */
	bool is_chosen;		  /* the threshold */
	bool is_ordered;	  /* by an order of preference */
	bool is_by_size;	  /* ordered by the number of tokens, the largest first */
	bool has_scopes;
	const char *except_pairs; /* a query, or NULL */
	Oid key_collation;		  /* of the column of keys */
} DuplicatesRequest;

/*
 * Reads the arguments [key type,] rel, key, text, threshold or NULL, tokens, keep, mode,
 * measure, within, except_pairs. Chooses what is not given, which may take joins, and composes the
 * query. Raises an error for what is wrong.
 */
extern DuplicatesRequest DuplicatesRequestRead(FunctionCallInfo fcinfo);

/* Reads the arguments rel, text, tokens, measure, and chooses as DuplicatesRequestRead does. */
extern AboveChance DuplicatesThresholdChoose(FunctionCallInfo fcinfo);

#endif
