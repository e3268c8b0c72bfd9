/*
 * clean_search.c
 *		Searches for the row of a table that is most similar to a new one, planned once a session.
 *
 * The statements of a search are made by functions in SQL and PL/pgSQL (search.sql), which read what the
 * user has given as texts, check it, and ask which indexes and constraints the table has. A backend keeps
 * the statements and their plans for each request: a trigger, or a call of insert_or_find with the same
 * arguments, under a search path of the same schemas.
 *
 * The plans tell when a search is out of date, since they name the table and all else that the statements
 * were made from: PostgreSQL marks a plan as invalid when an index, a column or a constraint of its tables
 * has changed, when statistics have, and when a schema was renamed. Then the whole search is made again.
 * A function that is created or changed may take the place of one that the texts name, or have a
 * volatility by which a default counts as another, and no plan depends on that one; so any change of
 * pg_proc makes all searches invalid.
 *
 * Statements are planned without the values of their parameters. A plan that was good for a small table
 * may be bad for a large one, and the statistics do not tell of rows that the transaction itself has
 * inserted, as COPY does. So the plans are made again after a number of uses that doubles each time.
 *
 * Whoever uses a search has it open, and it is freed only if nobody has: triggers may call for the same
 * one, or make so many others that this one is forgotten.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/partition.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "executor/spi.h"
#include "lib/ilist.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/plancache.h"
#include "utils/syscache.h"

#include "clean/clean_lock.h"
#include "clean/clean_search.h"

/* How many searches a backend keeps, and how many INSERTs of one, which name different columns. */
#define MOST_SEARCHES 100
#define MOST_INSERTS 16

/* The plans are made again after this number of uses, then after twice as many. */
#define FIRST_USES 8

/* The INSERT of rows that have the same columns. */
typedef struct InsertPlan
{
	char *columns; /* NULL if there is none */
	int length;
	SPIPlanPtr plan;
} InsertPlan;

struct CleanSearch
{
	dlist_node node; /* in `searches`, unless it was forgotten */
	MemoryContext context;
	uint32 hash; /* of the key */
	char *key;
	int key_length;
	bool is_valid;
	bool is_forgotten;
	int users;			 /* how many have it open */
	int64 uses;			 /* how often it was opened */
	int64 planned_until; /* after so many uses */

	char *schema;	/* of the extension, quoted */
	Oid lock_table; /* the table, or that of which it is a partition */
	char
		*path; /* the search path with which rows are read and found; NULL for that of the caller */
	Datum parts; /* of type clean_search */
	Oid parts_type;
	bool has_constraint; /* which keeps rows apart */
	Oid row_type;

	char *reads;
	char *finds;
	char *counts_up; /* or NULL */
	SPIPlanPtr read_plan;
	SPIPlanPtr find_plan;
	SPIPlanPtr count_plan;
	InsertPlan inserts[MOST_INSERTS];
	int next_insert;
};

/* The searches that are kept, the one that was used last first. */
static dlist_head searches = DLIST_STATIC_INIT(searches);
static int search_count = 0;

/* Called when a function has changed. */
static void
function_changed(Datum argument, int cache, uint32 hash)
{
	dlist_iter iter;

	dlist_foreach(iter, &searches) dlist_container(CleanSearch, node, iter.cur)->is_valid = false;
}

static void
free_plan(SPIPlanPtr *plan)
{
	if (*plan != NULL)
		SPI_freeplan(*plan);
	*plan = NULL;
}

/* Frees the plans that plan_search() makes. */
static void
free_plans(CleanSearch *search)
{
	free_plan(&search->read_plan);
	free_plan(&search->find_plan);
	free_plan(&search->count_plan);
}

static void
free_search(CleanSearch *search)
{
	free_plans(search);
	for (int i = 0; i < MOST_INSERTS; i++)
		free_plan(&search->inserts[i].plan);
	MemoryContextDelete(search->context);
}

/* Takes a search from those that are kept. It is freed at once, or when nobody has it open. */
static void
forget_search(CleanSearch *search)
{
	dlist_delete(&search->node);
	search_count--;
	search->is_forgotten = true;
	if (search->users == 0)
		free_search(search);
}

/* Returns whether a plan is as it was made, or was not made. */
static bool
plan_is_valid(SPIPlanPtr plan)
{
	return plan == NULL || SPI_plan_is_valid(plan);
}

static bool
search_is_valid(const CleanSearch *search)
{
	if (!search->is_valid || !plan_is_valid(search->read_plan) ||
		!plan_is_valid(search->find_plan) || !plan_is_valid(search->count_plan))
		return false;
	for (int i = 0; i < MOST_INSERTS; i++)
	{
		if (!plan_is_valid(search->inserts[i].plan))
			return false;
	}
	return true;
}

/* Appends the schemas of the search path, which may be others for another role, to a key. */
static void
append_schemas(StringInfo key)
{
	List *schemas = fetch_search_path(true);
	ListCell *cell;

	foreach(cell, schemas)
	{
		Oid schema = lfirst_oid(cell);

		appendBinaryStringInfo(key, (char *) &schema, sizeof(schema));
	}
	list_free(schemas);
}

/* Returns the search of a key if it is kept and valid, else NULL. */
static CleanSearch *
find_kept(StringInfo key, uint32 hash)
{
	dlist_iter iter;

	dlist_foreach(iter, &searches)
	{
		CleanSearch *search = dlist_container(CleanSearch, node, iter.cur);

		if (search->hash != hash || search->key_length != key->len ||
			memcmp(search->key, key->data, key->len) != 0)
			continue;
		if (search_is_valid(search))
		{
			dlist_move_head(&searches, &search->node);
			return search;
		}
		forget_search(search);
		return NULL;
	}
	return NULL;
}

static SPIPlanPtr
plan_statement(const char *statement, int count, Oid *types)
{
	SPIPlanPtr plan = SPI_prepare_cursor(statement, count, types, CURSOR_OPT_GENERIC_PLAN);

	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed for \"%s\": %s", statement,
			 SPI_result_code_string(SPI_result));
	return plan;
}

static void
keep_plan(SPIPlanPtr *place, SPIPlanPtr plan)
{
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "SPI_keepplan failed");
	*place = plan;
}

/* Sets the search path with which rows are read and found. Returns what leave_path() needs. */
static int
enter_path(const CleanSearch *search)
{
	int level;

	if (search->path == NULL)
		return 0;
	level = NewGUCNestLevel();
	(void) set_config_option("search_path", search->path, PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	return level;
}

static void
leave_path(int level)
{
	if (level > 0)
		AtEOXact_GUC(true, level);
}

/* Plans the statements that read and find rows. The first returns what the others take. */
static void
plan_search(CleanSearch *search)
{
	int level = enter_path(search);
	Oid key_type = TEXTOID;
	TupleDesc columns;
	Oid *types;
	int count = 0;

	keep_plan(&search->read_plan, plan_statement(search->reads, 1, &search->row_type));
	columns =
		((CachedPlanSource *) linitial(SPI_plan_get_plan_sources(search->read_plan)))->resultDesc;
	types = palloc(columns->natts * sizeof(Oid));
	for (int i = 0; i < columns->natts; i++)
	{
		if (i != 1)
			types[count++] = TupleDescAttr(columns, i)->atttypid;
	}
	keep_plan(&search->find_plan, plan_statement(search->finds, count, types));
	leave_path(level);
	if (search->counts_up != NULL)
		keep_plan(&search->count_plan, plan_statement(search->counts_up, 1, &key_type));
	search->planned_until = Max(FIRST_USES, 2 * search->uses);
}

/* Returns a column of the only row of the last query as a text in a context, or NULL. */
static char *
copied_text(MemoryContext context, int column)
{
	char *text = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column);

	return text == NULL ? NULL : MemoryContextStrdup(context, text);
}

/* Has the statements of a request made, and returns a search without plans. */
static CleanSearch *
make_search(const CleanSearchRequest *request)
{
	const char *schema = quote_identifier(get_namespace_name(request->schema));
	char *query = psprintf("SELECT s.path, s.search, s.reads, s.finds, s.counts_up, "
						   "(s.search).exclusion FROM %s.%s AS s",
						   schema, request->call);
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "neardup search", ALLOCSET_SMALL_SIZES);
	CleanSearch *search = MemoryContextAllocZero(context, sizeof(CleanSearch));
	MemoryContext previous;
	bool is_null;
	int result = SPI_execute_with_args(query, request->count, (Oid *) request->types,
									   (Datum *) request->values, request->nulls, false, 0);

	if (result != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "the statements of a search were not made: %s", SPI_result_code_string(result));
	search->context = context;
	search->schema = MemoryContextStrdup(context, schema);
	search->lock_table = request->rel;
	if (get_rel_relispartition(request->rel))
		search->lock_table = llast_oid(get_partition_ancestors(request->rel));
	search->row_type = request->row_type;
	search->path = copied_text(context, 1);
	if (strcmp(search->path, namespace_search_path) == 0)
		search->path = NULL;
	search->parts_type = SPI_gettypeid(SPI_tuptable->tupdesc, 2);
	previous = MemoryContextSwitchTo(context);
	search->parts = datumCopy(
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &is_null), false, -1);
	MemoryContextSwitchTo(previous);
	search->reads = copied_text(context, 3);
	search->finds = copied_text(context, 4);
	search->counts_up = copied_text(context, 5);
	search->has_constraint = copied_text(context, 6) != NULL;
	search->is_valid = true;
	SPI_freetuptable(SPI_tuptable);
	return search;
}

/* Keeps a search until it is out of date, or many others were used since. */
static void
keep_search(CleanSearch *search, StringInfo key, uint32 hash)
{
	search->hash = hash;
	search->key = MemoryContextAlloc(search->context, key->len);
	search->key_length = key->len;
	memcpy(search->key, key->data, key->len);
	MemoryContextSetParent(search->context, CacheMemoryContext);
	dlist_push_head(&searches, &search->node);
	if (++search_count > MOST_SEARCHES)
		forget_search(dlist_tail_element(CleanSearch, node, &searches));
}

CleanSearch *
CleanSearchOpen(const CleanSearchRequest *request)
{
	static bool is_registered = false;
	CleanSearch *search;
	uint32 hash;

	if (!is_registered)
	{
		CacheRegisterSyscacheCallback(PROCOID, function_changed, (Datum) 0);
		is_registered = true;
	}
	/* What others have changed must be known before the plans say that they are valid. */
	AcceptInvalidationMessages();
	appendStringInfoString(request->key, request->call);
	append_schemas(request->key);
	hash = DatumGetUInt32(hash_any((unsigned char *) request->key->data, request->key->len));
	search = find_kept(request->key, hash);
	if (search == NULL)
	{
		search = make_search(request);
		keep_search(search, request->key, hash);
	}
	search->users++;
	PG_TRY();
	{
		if (search->find_plan == NULL ||
			(search->uses >= search->planned_until && search->users == 1))
		{
			free_plans(search);
			plan_search(search);
		}
	}
	PG_CATCH();
	{
		search->is_valid = false;
		CleanSearchClose(search);
		PG_RE_THROW();
	}
	PG_END_TRY();
	search->uses++;
	return search;
}

void
CleanSearchClose(CleanSearch *search)
{
	search->users--;
	if (search->users == 0 && search->is_forgotten)
		free_search(search);
}

CleanNewRow
CleanSearchRead(CleanSearch *search, Datum new_row)
{
	CleanNewRow row;
	int level = enter_path(search);
	int result = SPI_execute_plan(search->read_plan, &new_row, NULL, false, 0);
	TupleDesc columns;
	int count = 0;
	bool is_null;

	leave_path(level);
	if (result != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "a new row was not read: %s", SPI_result_code_string(result));
	columns = SPI_tuptable->tupdesc;
	row.values = palloc(columns->natts * sizeof(Datum));
	row.nulls = palloc(columns->natts);
	for (int i = 0; i < columns->natts; i++)
	{
		Datum value = SPI_getbinval(SPI_tuptable->vals[0], columns, i + 1, &is_null);

		if (i != 1)
		{
			row.values[count] = value;
			row.nulls[count++] = is_null ? 'n' : ' ';
		}
		else if (!search->has_constraint)
			CleanLock(search->lock_table, DatumGetInt64(value));
	}
	return row;
}

CleanFoundRow
CleanSearchFind(CleanSearch *search, const CleanNewRow *row)
{
	CleanFoundRow found = {NULL, 0};
	int level = enter_path(search);
	int result = SPI_execute_plan(search->find_plan, row->values, row->nulls, false, 0);
	Datum similarity;
	bool is_null;

	leave_path(level);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "a search failed: %s", SPI_result_code_string(result));
	if (SPI_processed > 0)
	{
		found.key = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
		similarity = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 2, &is_null);
		if (!is_null)
			found.similarity = DatumGetFloat8(similarity);
	}
	return found;
}

bool
CleanSearchCountUp(CleanSearch *search, const char *key)
{
	Datum value = CStringGetTextDatum(key);
	int result = SPI_execute_plan(search->count_plan, &value, NULL, false, 0);

	if (result < 0)
		elog(ERROR, "a row was not counted: %s", SPI_result_code_string(result));
	return SPI_processed > 0;
}

/* Returns the names of the columns of a new row, each with a null byte behind it. */
static StringInfo
columns_of(Jsonb *new_row)
{
	StringInfo columns = makeStringInfo();
	JsonbIterator *iterator = JsonbIteratorInit(&new_row->root);
	JsonbIteratorToken token;
	JsonbValue value;

	while ((token = JsonbIteratorNext(&iterator, &value, true)) != WJB_DONE)
	{
		if (token != WJB_KEY)
			continue;
		appendBinaryStringInfo(columns, value.val.string.val, value.val.string.len);
		appendStringInfoChar(columns, '\0');
	}
	return columns;
}

/* Has the INSERT of a new row made, and plans it. */
static SPIPlanPtr
plan_insert(CleanSearch *search, Datum new_row)
{
	Oid types[2] = {search->parts_type, JSONBOID};
	Datum values[2] = {search->parts, new_row};
	char *query = psprintf("SELECT %s.clean_insert($1, $2)", search->schema);
	Oid row_type = JSONBOID;
	int result = SPI_execute_with_args(query, 2, types, values, NULL, false, 0);

	if (result != SPI_OK_SELECT || SPI_processed != 1)
		elog(ERROR, "an INSERT was not made: %s", SPI_result_code_string(result));
	return plan_statement(SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1), 1,
						  &row_type);
}

/* Returns the plan of the INSERT of a new row, which is kept if there is a place for it. */
static SPIPlanPtr
insert_plan(CleanSearch *search, Datum new_row)
{
	StringInfo columns = columns_of(DatumGetJsonbP(new_row));
	InsertPlan *place;
	SPIPlanPtr plan;

	for (int i = 0; i < MOST_INSERTS; i++)
	{
		place = &search->inserts[i];
		if (place->columns != NULL && place->length == columns->len &&
			memcmp(place->columns, columns->data, columns->len) == 0)
			return place->plan;
	}
	plan = plan_insert(search, new_row);
	place = &search->inserts[search->next_insert];
	/* An INSERT further up may be running. */
	if (place->columns != NULL && search->users > 1)
		return plan;
	if (place->columns != NULL)
		pfree(place->columns);
	place->columns = NULL;
	free_plan(&place->plan);
	keep_plan(&place->plan, plan);
	place->columns = MemoryContextAlloc(search->context, Max(columns->len, 1));
	memcpy(place->columns, columns->data, columns->len);
	place->length = columns->len;
	search->next_insert = (search->next_insert + 1) % MOST_INSERTS;
	return plan;
}

char *
CleanSearchInsert(CleanSearch *search, Datum new_row)
{
	int result = SPI_execute_plan(insert_plan(search, new_row), &new_row, NULL, false, 0);

	if (result < 0)
		elog(ERROR, "a row was not inserted: %s", SPI_result_code_string(result));
	if (SPI_processed == 0 || SPI_tuptable == NULL)
		return NULL;
	return SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
}

void
CleanSearchRefuse(CleanSearch *search, Datum new_row, double threshold, int attempt)
{
	Oid types[4] = {search->parts_type, JSONBOID, FLOAT8OID, INT4OID};
	Datum values[4] = {search->parts, new_row, Float8GetDatum(threshold), Int32GetDatum(attempt)};
	char *query = psprintf("SELECT %s.clean_refuse_conflict($1, $2, $3, $4)", search->schema);
	int level = enter_path(search);

	(void) SPI_execute_with_args(query, 4, types, values, NULL, false, 0);
	leave_path(level);
}
