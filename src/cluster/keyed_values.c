/*
 * keyed_values.c
 *		Values of some rows of near_duplicates, which are read once more by their keys.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "cluster/keyed_values.h"

/* Nothing is read if the keys of the rows take more. */
#define MOST_KEY_BYTES (64 * 1024 * 1024)

typedef struct Reading
{
	void (*begin)(void *context, Oid type);
	void (*take)(void *context, uint32 number, Datum value, bool is_null);
	void *context;
	int64 last; /* the number of the last row, from 1 on */
} Reading;

bool
KeyedValuesBegin(KeyedValues *values, const DuplicateRows *duplicates)
{
	*values = (KeyedValues){.duplicates = duplicates};
	/* Keys that are arrays themselves cannot be elements of an array. */
	return OidIsValid(get_array_type(duplicates->rows.keys.type));
}

void
KeyedValuesAsk(KeyedValues *values, uint32 place)
{
	const CallRows *rows = &values->duplicates->rows;
	const JoinKeys *keys = &rows->keys;
	Datum key = JoinKeysDatum(keys, CallRowsNumber(rows, place));

	values->count++;
	values->key_bytes += datumGetSize(key, keys->type_by_value, keys->type_length);
	if (values->key_bytes <= MOST_KEY_BYTES)
		values->keys = accumArrayResult(values->keys, key, false, keys->type, CurrentMemoryContext);
}

static void
begin_found(void *context, TupleDesc columns)
{
	const Reading *reading = context;

	if (reading->begin != NULL)
		reading->begin(reading->context, TupleDescAttr(columns, 1)->atttypid);
}

static bool
take_found(void *context, TupleTableSlot *slot)
{
	Reading *reading = context;
	int64 number;

	CHECK_FOR_INTERRUPTS();
	slot_getallattrs(slot);
	number = DatumGetInt64(slot->tts_values[0]);
	/* A view may return a key twice that it returned once before. */
	if (number == reading->last)
		return true;
	reading->last = number;
	reading->take(reading->context, (uint32) number - 1, slot->tts_values[1], slot->tts_isnull[1]);
	return true;
}

/*
 * Returns the query of the values by an array of keys. A line break ends the expression, which may end
 * in a comment and whose names are those of the table alone.
 */
static const char *
compose_values_query(const DuplicatesRequest *request, Oid type, const char *expression)
{
	StringInfoData sql;

	initStringInfo(&sql);
	appendStringInfo(&sql,
					 "SELECT asked.number, found.value "
					 "FROM pg_catalog.unnest($1) WITH ORDINALITY AS asked (key, number) "
					 "JOIN (SELECT %s AS key, (%s\n) AS value FROM %s) AS found ON ",
					 request->key_column, expression, request->relation);
	generate_operator_clause(&sql, "found.key", type,
							 lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr, "asked.key", type);
	appendStringInfoString(&sql, " ORDER BY asked.number");
	return sql.data;
}

void
KeyedValuesRead(const KeyedValues *values, const char *expression,
				void (*begin)(void *context, Oid type),
				void (*take)(void *context, uint32 number, Datum value, bool is_null),
				void *context)
{
	Oid type = values->duplicates->rows.keys.type;
	Reading reading = {.begin = begin, .take = take, .context = context};
	ParamListInfo parameters = makeParamList(1);
	QueryReceiver receiver;
	SPIExecuteOptions options = {.params = parameters,
								 .read_only = true,
								 .must_return_tuples = true,
								 .dest = &receiver.dest};
	int result;

	if (values->count == 0 || values->key_bytes > MOST_KEY_BYTES)
		return;
	parameters->params[0] =
		(ParamExternData){.value = makeArrayResult(values->keys, CurrentMemoryContext),
						  .pflags = PARAM_FLAG_CONST,
						  .ptype = get_array_type(type)};
	QueryReceiverInit(&receiver, begin_found, take_found, &reading);
	SPI_connect();
	result = SPI_execute_extended(
		compose_values_query(values->duplicates->request, type, expression), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}
