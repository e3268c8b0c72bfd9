/*
 * record_lookup.h
 *		The rows of a table that are nearest to one record, by an index.
 */
#ifndef NEARDUP_LINK_RECORD_LOOKUP_H
#define NEARDUP_LINK_RECORD_LOOKUP_H

#include "rows/keys.h"
#include "link/record_request.h"

typedef struct RecordLookup
{
	JoinKeys keys; /* of the rows that were found */
	/*
	 * SQL that returns the record and these rows, as RecordRequest's query does: the record has the key 0 and no
	 * entity, the rows have keys from 1 on, in the order of `keys`, and one entity. NULL if no row was found.
	 */
	const char *query;
} RecordLookup;

/*
 * Finds the rows that have most of the rarest tokens of the record, an object of values by column, by an
 * index on record_tokens of the request's columns. Allocates in the current memory context. Raises
 * invalid_parameter_value if the record has other columns, and object_not_in_prerequisite_state if there is
 * no such index.
 */
extern RecordLookup RecordLookupRun(const RecordRequest *request, Oid schema, Jsonb *record);

/*
 * Narrows the query of a request that places new rows, if these are few in a large table that has such an
 * index: of the other rows, it returns those of the entities to which the nearest rows belong. Else the query
 * stays as it is.
 */
extern void RecordLookupNarrow(RecordRequest *request, Oid schema);

#endif
