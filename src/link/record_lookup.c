/*
 * record_lookup.c
 *		Finding the rows of a table that are nearest to one record.
 *
 * An index finds nearest sets by the number of tokens that they share, and knows no weights. So it is asked
 * for the rarest tokens of the record alone, by what the model says of their frequencies: rows that have most
 * of them. Their lists are short, and what the frequent tokens would add, the scores say later.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "executor/spi.h"
#include "lib/stringinfo.h"
#include "nodes/plannodes.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"

#include "compat.h"
#include "link/record_entities.h"
#include "link/record_lookup.h"
#include "link/record_text.h"
#include "tokenset/tokenset.h"

/* The tokens that rows are looked up by. */
#define MOST_TOKENS 22

/* The rows that are looked at; with the record, few enough that each is compared with it. */
#define MOST_ROWS_FOUND 32

/* A new row is looked up in a table of so many rows, rather than that all of these are read. */
#define ROWS_PER_LOOKUP 2000

/* The rows whose entities show how entities are named, where none is near. */
#define MOST_ENTITIES_SHOWN 8

static void
append_columns(StringInfo query, const RecordRequest *request)
{
	for (int i = 0; i < request->column_count; i++)
		appendStringInfo(query, "%s%s", i == 0 ? "" : ", ", request->columns[i]);
}

/* Raises an error for a member of a record. */
nd_noreturn static void
refuse_member(const RecordRequest *request, const JsonbValue *key)
{
	char *name = pnstrdup(key->val.string.val, key->val.string.len);
	StringInfoData columns;

	initStringInfo(&columns);
	append_columns(&columns, request);
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("the model has no column \"%s\"", name),
		 errdetail("It was learned from the columns %s.", columns.data),
		 errhint("Leave the member out of the record: record - %s.", quote_literal_cstr(name))));
}

/* Raises an error if a record is no object, or has a column that the model does not have. */
static void
check_record(const RecordRequest *request, Jsonb *record)
{
	JsonbIterator *iterator = JsonbIteratorInit(&record->root);
	JsonbIteratorToken token;
	JsonbValue key;

	if (!JB_ROOT_IS_OBJECT(record))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("record of %s must be an object of values by column", request->function),
				 errdetail("Its JSON type is %s.", TextDatumGetCString(DirectFunctionCall1(
													   jsonb_typeof, JsonbPGetDatum(record)))),
				 errhint("to_jsonb makes an object of a row.")));
	while ((token = JsonbIteratorNext(&iterator, &key, true)) != WJB_DONE)
	{
		bool is_known = token != WJB_KEY;

		for (int i = 0; i < request->column_count && !is_known; i++)
			is_known =
				key.val.string.len == (int) strlen(request->column_names[i]) &&
				memcmp(key.val.string.val, request->column_names[i], key.val.string.len) == 0;
		if (!is_known)
			refuse_member(request, &key);
	}
}

static SPITupleTable *
run_query(SPIPlanPtr plan)
{
	int result = SPI_execute_plan(plan, NULL, NULL, true, 0);

	if (result != SPI_OK_SELECT)
		elog(ERROR, "a look-up failed: %s", SPI_result_code_string(result));
	return SPI_tuptable;
}

static SPIPlanPtr
prepare_query(const char *query)
{
	SPIPlanPtr plan = SPI_prepare(query, 0, NULL);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	return plan;
}

/*
 * Appends the definitions of the columns. In place of domains they have the types below, since the constraints
 * of a domain are for rows of the table, and a record may lack a value.
 */
static void
append_definitions(StringInfo query, const RecordRequest *request)
{
	StringInfoData columns;
	CachedPlanSource *source;

	initStringInfo(&columns);
	appendStringInfoString(&columns, "SELECT ");
	append_columns(&columns, request);
	appendStringInfo(&columns, " FROM %s", request->relation);
	source = linitial(SPI_plan_get_plan_sources(prepare_query(columns.data)));
	for (int i = 0; i < request->column_count; i++)
	{
		Oid type = getBaseType(TupleDescAttr(source->resultDesc, i)->atttypid);

		appendStringInfo(
			query, "%s%s %s", i == 0 ? "" : ", ", request->columns[i],
			format_type_extended(type, -1, FORMAT_TYPE_TYPEMOD_GIVEN | FORMAT_TYPE_FORCE_QUALIFY));
	}
}

/*
 * Returns the record as a row of the table's columns, and behind these its tokens. An empty text is no value, in
 * whatever type.
 */
static SPITupleTable *
read_record(const RecordRequest *request, const char *schema, Jsonb *record)
{
	char *json = DatumGetCString(DirectFunctionCall1(jsonb_out, JsonbPGetDatum(record)));
	StringInfoData query;

	initStringInfo(&query);
	appendStringInfoString(&query, "SELECT ");
	append_columns(&query, request);
	appendStringInfo(&query, ", %s.record_tokens(ROW(", schema);
	append_columns(&query, request);
	appendStringInfo(&query,
					 ")) FROM pg_catalog.jsonb_to_record((SELECT COALESCE("
					 "pg_catalog.jsonb_object_agg(m.key, m.value), '{}'::pg_catalog.jsonb) "
					 "FROM pg_catalog.jsonb_each(%s::pg_catalog.jsonb) AS m "
					 "WHERE m.value OPERATOR(pg_catalog.<>) '\"\"'::pg_catalog.jsonb)) AS record (",
					 quote_literal_cstr(json));
	append_definitions(&query, request);
	appendStringInfoChar(&query, ')');
	return run_query(prepare_query(query.data));
}

/* Appends a row to the VALUES list of the search's query, of which the columns begin with number `first`. */
static void
append_row(StringInfo values, uint32 number, RecordTexts *texts, int count,
		   const SPITupleTable *rows, uint64 row, int first)
{
	appendStringInfo(values, "%s(%u::pg_catalog.int8, %s::pg_catalog.int8, 0::pg_catalog.int8",
					 number == 0 ? "VALUES " : ", ", number, number == 0 ? "NULL" : "1");
	for (int i = 0; i < count; i++)
	{
		bool is_null;
		Datum value = SPI_getbinval(rows->vals[row], rows->tupdesc, first + i + 1, &is_null);

		if (is_null)
			appendStringInfoString(values, ", NULL::pg_catalog.text");
		else
		{
			ByteSpan text = RecordTextOf(texts, i, value);

			appendStringInfo(values, ", %s::pg_catalog.text",
							 quote_literal_cstr(pnstrdup(text.data, text.length)));
		}
	}
	appendStringInfoChar(values, ')');
}

static int
compare_by_rarity(const void *a, const void *b)
{
	const ListedFrequency *x = a;
	const ListedFrequency *y = b;

	if (x->rows != y->rows)
		return x->rows < y->rows ? -1 : 1;
	return (x->token > y->token) - (x->token < y->token);
}

/* Returns the rarest tokens of a set as the text of one; NULL if it is empty. */
static char *
rarest_tokens(const LearnedModel *model, const Tokenset *set)
{
	int32 count = TokensetCount(set);
	ListedFrequency *found = palloc(Max(count, 1) * sizeof(ListedFrequency));
	StringInfoData text;

	if (count == 0)
		return NULL;
	for (int32 i = 0; i < count; i++)
		found[i] = (ListedFrequency){.token = set->tokens[i],
									 .rows = RecordFrequency(&model->tokens, set->tokens[i])};
	qsort(found, count, sizeof(ListedFrequency), compare_by_rarity);
	initStringInfo(&text);
	for (int32 i = 0; i < Min(count, MOST_TOKENS); i++)
		appendStringInfo(&text, "%c" INT64_FORMAT, i == 0 ? '{' : ',', found[i].token);
	appendStringInfoChar(&text, '}');
	return text.data;
}

/* Whether a plan has its rows from an index in the order of a distance, also from several partitions. */
static bool
is_ordered_by_index(Plan *plan)
{
	List *children = NIL;
	ListCell *cell;

	if (plan == NULL)
		return false;
	if (IsA(plan, IndexScan))
		return ((IndexScan *) plan)->indexorderby != NIL;
	if (IsA(plan, SubqueryScan))
		return is_ordered_by_index(((SubqueryScan *) plan)->subplan);
	if (IsA(plan, MergeAppend))
		children = ((MergeAppend *) plan)->mergeplans;
	else
		return is_ordered_by_index(outerPlan(plan));
	foreach(cell, children)
	{
		if (!is_ordered_by_index(lfirst(cell)))
			return false;
	}
	return true;
}

/* Returns what to do about the index that is missing. */
static const char *
hint_of_index(const RecordRequest *request)
{
	StringInfoData index;

	initStringInfo(&index);
	appendStringInfoString(&index, "USING neardup (record_tokens(ROW(");
	append_columns(&index, request);
	appendStringInfoString(&index, ")))");
	if (get_rel_relkind(request->relation_oid) == RELKIND_VIEW)
		return psprintf("A view has no index of its own. Each table behind it needs one, of the "
						"expressions that are these columns: CREATE INDEX ON ... %s;",
						index.data);
	return psprintf("CREATE INDEX ON %s %s;", request->relation, index.data);
}

/* Raises an error that names the index that is missing. */
nd_noreturn static void
refuse_without_index(const RecordRequest *request)
{
	bool is_foreign = get_rel_relkind(request->relation_oid) == RELKIND_FOREIGN_TABLE;

	ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					errmsg("%s needs an index on the tokens of the records of %s",
						   request->function, request->relation),
					is_foreign ? errdetail("A foreign table has no indexes.")
					: has_subclass(request->relation_oid)
						? errdetail("Each table that inherits from it, or is a partition of it, "
									"needs one.")
						: 0,
					is_foreign ? 0 : errhint("%s", hint_of_index(request))));
}

/* Makes the planner prefer an index to any other plan. */
static int
prefer_index(void)
{
	static const char *const settings[] = {"enable_seqscan", "enable_sort"};
	int level = NewGUCNestLevel();

	for (int i = 0; i < (int) lengthof(settings); i++)
		(void) set_config_option(settings[i], "off", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
								 true, 0, false);
	return level;
}

/*
 * Reads these columns of the rows that are nearest by their tokens, unless `rows` is NULL; returns false if no
 * index has their order.
 */
static bool
nearest_by_index(const RecordRequest *request, const char *schema, const char *columns,
				 const char *tokens, SPITupleTable **rows)
{
	StringInfoData query;
	CachedPlan *cached;
	SPIPlanPtr plan;
	bool has_index;
	int level;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s FROM %s ORDER BY %s.record_tokens(ROW(", columns,
					 request->relation, schema);
	append_columns(&query, request);
	appendStringInfo(&query, ")) OPERATOR(%s.<@>>) '%s'::%s.tokenset LIMIT %d", schema, tokens,
					 schema, MOST_ROWS_FOUND);
	level = prefer_index();
	plan = prepare_query(query.data);
	cached = SPI_plan_get_cached_plan(plan);
	has_index = is_ordered_by_index(linitial_node(PlannedStmt, cached->stmt_list)->planTree);
	if (has_index && rows != NULL)
		*rows = run_query(plan);
	ReleaseCachedPlan(cached, NULL);
	AtEOXact_GUC(true, level);
	return has_index;
}

/* Takes the keys of the rows that were found. */
static void
take_keys(RecordLookup *lookup, const RecordRequest *request, const SPITupleTable *rows,
		  MemoryContext context)
{
	Form_pg_attribute column = TupleDescAttr(rows->tupdesc, 0);
	Oid type = JoinKeyColumnType(column, request->key_policy, request->key_type);

	JoinKeysInit(&lookup->keys, context, NULL, type, column->attcollation, false);
	for (uint64 row = 0; row < rows->numvals; row++)
	{
		bool is_null;
		Datum key = SPI_getbinval(rows->vals[row], rows->tupdesc, 1, &is_null);

		if (is_null)
			ereport(ERROR, (errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
							errmsg("key column \"%s\" contains null values", request->key_name)));
		JoinKeysAppend(&lookup->keys, key);
	}
}

RecordLookup
RecordLookupRun(const RecordRequest *request, Oid schema, Jsonb *record)
{
	const char *schema_name = quote_identifier(get_namespace_name(schema));
	MemoryContext context = CurrentMemoryContext;
	int count = request->column_count;
	StringInfoData columns;
	RecordLookup lookup = {.query = NULL};
	SPITupleTable *sought;
	bool is_null;
	char *tokens;

	check_record(request, record);
	SPI_connect();
	sought = read_record(request, schema_name, record);
	tokens = rarest_tokens(
		request->model,
		DatumGetTokenset(SPI_getbinval(sought->vals[0], sought->tupdesc, count + 1, &is_null)));
	if (tokens != NULL)
	{
		StringInfoData values;
		RecordTexts *texts;
		SPITupleTable *rows;

		initStringInfo(&columns);
		appendStringInfo(&columns, "%s, ", request->key_column);
		append_columns(&columns, request);
		if (!nearest_by_index(request, schema_name, columns.data, tokens, &rows))
			refuse_without_index(request);
		texts = RecordTextsBegin(rows->tupdesc, 1);
		take_keys(&lookup, request, rows, context);
		initStringInfo(&values);
		append_row(&values, 0, texts, count, sought, 0, 0);
		for (uint64 row = 0; row < rows->numvals; row++)
			append_row(&values, (uint32) row + 1, texts, count, rows, row, 1);
		if (rows->numvals > 0)
			lookup.query = MemoryContextStrdup(context, values.data);
	}
	SPI_finish();
	return lookup;
}

/* Returns how many rows a relation has, as the planner estimates it: also one of partitions, or a view. */
static double
estimate_rows(const RecordRequest *request)
{
	SPIPlanPtr plan =
		prepare_query(psprintf("SELECT %s FROM %s", request->key_column, request->relation));
	CachedPlan *cached = SPI_plan_get_cached_plan(plan);
	double rows = linitial_node(PlannedStmt, cached->stmt_list)->planTree->plan_rows;

	ReleaseCachedPlan(cached, NULL);
	return rows;
}

/* Returns the new rows, their keys, tokens and entities, but no more than that. */
static SPITupleTable *
read_new_rows(const RecordRequest *request, const char *schema, uint64 most)
{
	StringInfoData query;
	SPITupleTable *rows;

	initStringInfo(&query);
	appendStringInfo(&query, "SELECT %s, %s.record_tokens(ROW(", request->key_column, schema);
	append_columns(&query, request);
	appendStringInfo(&query, ")), %s FROM %s WHERE %s IS NULL LIMIT " UINT64_FORMAT,
					 request->entity_column, request->relation, request->entity_column, most);
	rows = run_query(prepare_query(query.data));
	(void) JoinKeyColumnType(TupleDescAttr(rows->tupdesc, 0), request->key_policy,
							 request->key_type);
	(void) RecordEntityTypeOrError(TupleDescAttr(rows->tupdesc, 2), request->key_policy,
								   request->key_type);
	return rows;
}

/* Appends the values of the first column to an SQL list, but for NULL. */
static void
append_names(StringInfo names, const SPITupleTable *rows)
{
	for (uint64 row = 0; row < rows->numvals; row++)
	{
		char *name = SPI_getvalue(rows->vals[row], rows->tupdesc, 1);

		if (name != NULL)
			appendStringInfo(names, "%s%s", names->len == 0 ? "" : ", ", quote_literal_cstr(name));
	}
}

/* Appends the entities of the rows that are nearest to a new one. */
static void
append_nearest(StringInfo names, const RecordRequest *request, const char *schema,
			   const SPITupleTable *new_rows, uint64 row)
{
	bool is_null;
	Datum set = SPI_getbinval(new_rows->vals[row], new_rows->tupdesc, 2, &is_null);
	char *tokens = rarest_tokens(request->model, DatumGetTokenset(set));
	SPITupleTable *nearest;

	if (tokens != NULL &&
		nearest_by_index(request, schema, request->entity_column, tokens, &nearest))
		append_names(names, nearest);
}

/* Appends a few entities, whichever they are: they show how entities are named. */
static void
append_any(StringInfo names, const RecordRequest *request)
{
	char *query =
		psprintf("SELECT %s FROM %s WHERE %s IS NOT NULL LIMIT %d", request->entity_column,
				 request->relation, request->entity_column, MOST_ENTITIES_SHOWN);

	append_names(names, run_query(prepare_query(query)));
}

/* Narrows the query by an index, which is there. */
static void
narrow_by_index(RecordRequest *request, const char *schema, MemoryContext context)
{
	uint64 most = (uint64) (estimate_rows(request) / ROWS_PER_LOOKUP);
	SPITupleTable *new_rows = most > 0 ? read_new_rows(request, schema, most + 1) : NULL;
	StringInfoData names;
	int length_of_keys;

	if (new_rows == NULL || new_rows->numvals > most)
		return;
	initStringInfo(&names);
	/* The key of a new row may be the name of an entity. */
	append_names(&names, new_rows);
	length_of_keys = names.len;
	for (uint64 row = 0; row < new_rows->numvals; row++)
		append_nearest(&names, request, schema, new_rows, row);
	if (length_of_keys > 0 && names.len == length_of_keys)
		append_any(&names, request);
	MemoryContextSwitchTo(context);
	RecordRequestNarrow(request, names.data);
}

void
RecordLookupNarrow(RecordRequest *request, Oid schema)
{
	const char *schema_name = quote_identifier(get_namespace_name(schema));
	MemoryContext context = CurrentMemoryContext;

	SPI_connect();
	if (nearest_by_index(request, schema_name, request->key_column, "{}", NULL))
		narrow_by_index(request, schema_name, context);
	SPI_finish();
}
