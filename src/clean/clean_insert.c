/*
 * clean_insert.c
 *		Inserts a row, or finds the one that is there.
 *
 * What keeps callers apart who come at the same time with similar rows is a constraint of the table, for
 * which the second one waits, and then searches again; or else a lock of the scope (clean_lock.c).
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "clean/clean_search.h"

PG_FUNCTION_INFO_V1(insert_or_find);
PG_FUNCTION_INFO_V1(insert_or_find_keyed);

/* The arguments of a call, behind the type of keys: the table, the row, and those that make a search. */
enum
{
	REL,
	NEW_ROW,
	KEY,
	TOKENS,
	THRESHOLD,
	MEASURE,
	WITHIN,
	AMONG,
	ARGUMENTS
};

typedef struct Outcome
{
	char *key;
	double similarity; /* to the nearest row */
	bool inserted;
	bool is_far; /* no row is near enough for its similarity to be told */
} Outcome;

static Outcome
insert_or_find_row(CleanSearch *search, Datum new_row, double threshold)
{
	CleanNewRow row = CleanSearchRead(search, new_row);

	for (int attempt = 0;; attempt++)
	{
		CleanFoundRow found = CleanSearchFind(search, &row);
		char *key;

		if (found.key != NULL && found.similarity >= threshold)
			return (Outcome){found.key, found.similarity, false, false};
		if (attempt > 0)
			CleanSearchRefuse(search, new_row, threshold, attempt);
		key = CleanSearchInsert(search, new_row);
		if (key != NULL)
			return (Outcome){key, found.similarity, true, found.key == NULL};
	}
}

/* Appends an argument to a key, by which searches are told apart. */
static void
append_argument(StringInfo key, const NullableDatum *argument, Oid type)
{
	char is_null = argument->isnull;

	appendStringInfoChar(key, is_null);
	if (is_null)
		return;
	if (type == TEXTOID)
	{
		text *value = DatumGetTextPP(argument->value);
		int length = VARSIZE_ANY_EXHDR(value);

		appendBinaryStringInfo(key, (char *) &length, sizeof(length));
		appendBinaryStringInfo(key, VARDATA_ANY(value), length);
	}
	else if (type == NAMEOID)
		appendBinaryStringInfo(key, NameStr(*DatumGetName(argument->value)), NAMEDATALEN);
	else if (type == FLOAT8OID)
	{
		double value = DatumGetFloat8(argument->value);

		appendBinaryStringInfo(key, (char *) &value, sizeof(value));
	}
	else
	{
		Oid value = DatumGetObjectId(argument->value);

		appendBinaryStringInfo(key, (char *) &value, sizeof(value));
	}
}

/* Opens the search of a call. */
static CleanSearch *
call_open_search(Oid function, const NullableDatum *arguments)
{
	static const Oid type_of[ARGUMENTS] = {REGCLASSOID, JSONBOID, NAMEOID, TEXTOID,
										   FLOAT8OID,	TEXTOID,  TEXTOID, TEXTOID};
	Oid types[ARGUMENTS];
	Datum values[ARGUMENTS];
	char nulls[ARGUMENTS];
	CleanSearchRequest request = {
		.schema = get_func_namespace(function),
		.call = "clean_call_statements($1, $2, $3, $4, $5, $6, $7)",
		.types = types,
		.values = values,
		.nulls = nulls,
		.rel = arguments[REL].isnull ? InvalidOid : DatumGetObjectId(arguments[REL].value),
		.row_type = JSONBOID,
		.key = makeStringInfo(),
	};

	for (int i = 0; i < ARGUMENTS; i++)
	{
		if (i == NEW_ROW)
			continue;
		types[request.count] = type_of[i];
		values[request.count] = arguments[i].value;
		nulls[request.count++] = arguments[i].isnull ? 'n' : ' ';
		append_argument(request.key, &arguments[i], type_of[i]);
	}
	return CleanSearchOpen(&request);
}

static void
check_new_row(const NullableDatum *new_row)
{
	if (new_row->isnull || !JB_ROOT_IS_OBJECT(DatumGetJsonbP(new_row->value)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("new_row must be a jsonb object"),
				 errhint("Name its columns, as in {\"body\": \"a text\"}.")));
}

/* Returns a row of the key, as a value of the type of the first column, and the rest. */
static Datum
outcome_row(FunctionCallInfo fcinfo, const Outcome *outcome)
{
	TupleDesc columns;
	Datum values[3];
	bool nulls[3] = {false, false, outcome->is_far};
	Oid input;
	Oid parameter;

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	getTypeInputInfo(TupleDescAttr(columns, 0)->atttypid, &input, &parameter);
	values[0] = OidInputFunctionCall(input, outcome->key, parameter, -1);
	values[1] = BoolGetDatum(outcome->inserted);
	values[2] = Float8GetDatum(outcome->similarity);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(columns), values, nulls));
}

static Datum
insert_or_find_call(FunctionCallInfo fcinfo, const NullableDatum *arguments)
{
	MemoryContext memory = CurrentMemoryContext;
	Outcome outcome;
	CleanSearch *search;

	check_new_row(&arguments[NEW_ROW]);
	SPI_connect();
	search = call_open_search(fcinfo->flinfo->fn_oid, arguments);
	PG_TRY();
	{
		outcome = insert_or_find_row(search, arguments[NEW_ROW].value,
									 DatumGetFloat8(arguments[THRESHOLD].value));
	}
	PG_FINALLY();
	{
		CleanSearchClose(search);
	}
	PG_END_TRY();
	outcome.key = MemoryContextStrdup(memory, outcome.key);
	SPI_finish();
	return outcome_row(fcinfo, &outcome);
}

/* insert_or_find(rel, new_row, key, tokens, threshold, measure, within, among) → (key, inserted, similarity) */
Datum
insert_or_find(PG_FUNCTION_ARGS)
{
	return insert_or_find_call(fcinfo, fcinfo->args);
}

/* insert_or_find_keyed(key_type, rel, …): the same, with the key of the type of the first argument. */
Datum
insert_or_find_keyed(PG_FUNCTION_ARGS)
{
	return insert_or_find_call(fcinfo, fcinfo->args + 1);
}
