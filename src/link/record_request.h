/*
 * record_request.h
 *		What a call of duplicate_records asks for.
 */
#ifndef NEARDUP_LINK_RECORD_REQUEST_H
#define NEARDUP_LINK_RECORD_REQUEST_H

#include "fmgr.h"

#include "join/query_join.h"
#include "link/learned_model.h"

/* The query of the rows has these columns, and then the columns that are read. */
enum
{
	RECORD_KEY,
	RECORD_PLACE,				  /* by an order of preference, if there is one, else 0; */
	RECORD_ENTITY = RECORD_PLACE, /* or the entity that the row is known to belong to */
	RECORD_SCOPE,				  /* if rows are compared within scopes, else 0 */
	RECORD_TEXTS
};

typedef struct RecordRequest
{
	const char *function;
	KeyPolicy key_policy;
	Oid key_type; /* type of the keys, set for KEYS_OF_TYPE */
	Oid key_collation;

	Oid relation_oid;
	const char *relation; /* this and the columns as SQL */
	const char *key_name;
	const char *key_column;
	const char *entity_column; /* NULL if nothing is known of entities; also set to find a record */
	int column_count;
	int text_count; /* of the columns that are read: after those that are compared come others of `differ` */
	char **column_names;
	const char **columns;
	int differ_count;
	int *differ;	  /* the columns by which rows are never the same thing */
	const char *keep; /* NULL, as the other three, if the caller gave none */
	const char *within;
	const char *except_pairs;
	const char *differ_names;  /* as an array */
	const LearnedModel *model; /* by which pairs are scored; NULL if it is to be learned */

	char *query;
	bool
		is_narrowed; /* the query has few new rows, and of the others those that may be near them */
} RecordRequest;

/* The arguments that not all functions have. */
typedef enum RecordArguments
{
	RECORD_HAS_KEEP = 1,
	RECORD_HAS_MODEL = 2,
	RECORD_HAS_ENTITY = 4,
	RECORD_HAS_RECORD = 8
} RecordArguments;

/*
 * Reads the arguments [key type,] rel, key, columns, keep if the function has it, within, except_pairs,
 * differ, and a model if the function has it, and composes the query. A function of entities has the
 * arguments entity and model in place of columns; one that finds a record has only [key type,] rel, key,
 * record and model. The columns are those of the model if there is one.
 * Raises undefined_table, undefined_column, duplicate_column, null_value_not_allowed, the errors of
 * fragment.h and learned_model.h; invalid_parameter_value if the key is among the columns, fewer than two are
 * compared, or the model has others.
 */
extern RecordRequest RecordRequestRead(FunctionCallInfo fcinfo, int arguments);

/* Narrows the query to the new rows and those of the entities of this SQL list of names. */
extern void RecordRequestNarrow(RecordRequest *request, const char *names);

/*
 * Returns the same call, as SQL, without the columns that are marked; NULL if there are no marks, or too few
 * columns besides.
 */
extern char *RecordRequestWithout(const RecordRequest *request, const bool *left_out);

#endif
