/*
 * track_table.c
 *		Opening a tracked table, and running statements on it.
 *
 * A backend keeps an entry for each tracked table that it has written to, as it does for the plans
 * of foreign keys. A callback of the relation cache marks the entry when one of its relations has
 * changed, and the next call reads it again. An entry that is replaced lives until the transaction
 * ends, since a trigger further up may be using it.
 *
 * Choosing the frequent tokens again counts as a change of DOC_neardup: it sends an invalidation
 * that all backends receive when the transaction commits, before its lock of the table is released.
 * A backend that gets the lock then finds its entry marked, and reads the new order before it
 * computes prefixes.
 *
 * SPI leaves its own memory context as the current one; the functions here restore the caller's.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "commands/sequence.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteHandler.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/regproc.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "rows/query.h"
#include "track/track_statements.h"
#include "track/track_table.h"
#include "text/element_tokens.h"

/*
 * Frequent tokens are chosen again once the newest member number is above GROWTH * (n +
 * LEAST_GROWTH), where n was the newest one at the last choice.
 */
#define GROWTH 2
#define LEAST_GROWTH 500

/* The entries of this backend, by the OID of the tracked table. */
static HTAB *tables = NULL;

/* Entries that were replaced; they are freed at the end of the transaction. */
static List *replaced = NIL;

typedef struct TableSlot
{
	Oid rel; /* key */
	TrackTable *table;
} TableSlot;

/* Called when a relation has changed, or any may have: marks the entries that use it. */
static void
forget_relation(Datum argument, Oid relation)
{
	HASH_SEQ_STATUS sequence;
	TableSlot *slot;

	hash_seq_init(&sequence, tables);
	while ((slot = hash_seq_search(&sequence)) != NULL)
	{
		TrackTable *table = slot->table;

		if (table != NULL &&
			(!OidIsValid(relation) || relation == table->rel || relation == table->members ||
			 relation == table->source || relation == table->state || relation == table->log))
			table->is_valid = false;
	}
}

static void
free_table(TrackTable *table)
{
	for (int i = 0; i < TRACK_STATEMENTS; i++)
	{
		if (table->plans[i] != NULL)
			SPI_freeplan(table->plans[i]);
	}
	MemoryContextDelete(table->context);
}

/* Called at the end of a transaction. */
static void
free_replaced(XactEvent event, void *argument)
{
	ListCell *cell;

	if (replaced == NIL ||
		(event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT && event != XACT_EVENT_PREPARE &&
		 event != XACT_EVENT_PARALLEL_COMMIT && event != XACT_EVENT_PARALLEL_ABORT))
		return;
	foreach(cell, replaced) free_table(lfirst(cell));
	list_free(replaced);
	replaced = NIL;
}

/* Returns the slot of a table, which is empty if nothing is known of it yet. */
static TableSlot *
table_find_slot(Oid rel)
{
	TableSlot *slot;
	bool found;

	if (tables == NULL)
	{
		HASHCTL control = {.keysize = sizeof(Oid), .entrysize = sizeof(TableSlot)};

		tables = hash_create("neardup tracked tables", 16, &control, HASH_ELEM | HASH_BLOBS);
		CacheRegisterRelcacheCallback(forget_relation, (Datum) 0);
		RegisterXactCallback(free_replaced, NULL);
	}
	slot = hash_search(tables, &rel, HASH_ENTER, &found);
	if (!found)
		slot->table = NULL;
	return slot;
}

/* Whether an entry is there, and nothing that it says has changed. */
static bool
is_usable(const TrackTable *table)
{
	if (table == NULL || !table->is_valid)
		return false;
	/* Names may have changed; a schema that is renamed does not tell its relations. */
	for (int i = 0; i < TRACK_STATEMENTS; i++)
	{
		if (table->plans[i] != NULL && !SPI_plan_is_valid(table->plans[i]))
			return false;
	}
	return true;
}

/*
 * Runs a query that returns one row, in a snapshot taken now, and writes its values. Returns false
 * if there is no such row, or if a value is NULL.
 */
static bool
select_one(const char *query, Oid rel, Datum *values, int count)
{
	Oid types[1] = {REGCLASSOID};
	Datum parameters[1] = {ObjectIdGetDatum(rel)};
	MemoryContext previous = CurrentMemoryContext;
	SPIPlanPtr plan = SPI_prepare(query, 1, types);
	int result;

	if (plan == NULL)
		elog(ERROR, "SPI_prepare failed: %s", SPI_result_code_string(SPI_result));
	PushActiveSnapshot(GetLatestSnapshot());
	result = SPI_execute_plan(plan, parameters, NULL, true, 0);
	PopActiveSnapshot();
	MemoryContextSwitchTo(previous);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan failed: %s", SPI_result_code_string(result));
	if (SPI_processed != 1)
		return false;
	for (int i = 0; i < count; i++)
	{
		bool isnull;

		values[i] = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, i + 1, &isnull);
		if (isnull)
			return false;
	}
	return true;
}

/* Returns the qualified name of a relation. */
static const char *
name_of(Oid relation)
{
	return quote_qualified_identifier(get_namespace_name(get_rel_namespace(relation)),
									  get_rel_name(relation));
}

/* Reads the entry of neardup_tracked. */
static void
read_registry(TrackTable *table)
{
	char *query =
		psprintf("SELECT t.threshold, t.members::oid, t.state::oid, t.log::oid, t.source::oid, "
				 "to_regclass(pg_get_serial_sequence(t.members::text, 'member'))::oid "
				 "FROM %s.neardup_tracked AS t WHERE t.rel = $1",
				 table->schema);
	Datum values[6];

	if (!select_one(query, table->rel, values, lengthof(values)))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("table %s is not tracked", name_of(table->rel)),
						errhint("Call neardup_track first.")));
	table->predicate =
		(Predicate){.measure = MEASURE_JACCARD, .threshold = DatumGetFloat8(values[0])};
	table->members = DatumGetObjectId(values[1]);
	table->state = DatumGetObjectId(values[2]);
	table->log = DatumGetObjectId(values[3]);
	table->source = DatumGetObjectId(values[4]);
	table->numbers = DatumGetObjectId(values[5]);
}

/* Returns the owner of a relation, InvalidOid if there is no such relation. */
static Oid
owner_of(Oid relation)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relation));
	Oid owner = InvalidOid;

	if (HeapTupleIsValid(tuple))
	{
		owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;
		ReleaseSysCache(tuple);
	}
	return owner;
}

/* Raises an error if the relations have several owners, or the table is in an inheritance tree. */
static void
check_relations(const TrackTable *table, Relation relation)
{
	const char *name = name_of(table->rel);
	const Oid oids[] = {table->members, table->state, table->log, table->source};

	for (int i = 0; i < (int) lengthof(oids); i++)
	{
		if (owner_of(oids[i]) != table->owner)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("table %s is tracked with relations of another owner", name),
					 errhint("Call neardup_untrack and neardup_track anew, as a role with the "
							 "rights of both owners.")));
	}
	if (get_rel_relkind(table->members) != RELKIND_RELATION)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("table %s is tracked with a relation that is not a table", name),
						errhint("Call neardup_untrack and neardup_track anew.")));
	/* Unlike has_subclass(), find_inheritance_children() sees that the last child was dropped. */
	if (relation->rd_rel->relispartition || has_superclass(table->rel) ||
		find_inheritance_children(table->rel, NoLock) != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("table %s is tracked, and has become part of an inheritance tree", name),
				 errdetail("Statements that name another table of the tree would not be seen."),
				 errhint("Call neardup_untrack, or take the table out of the tree.")));
}

/* Whether an expression is a column of the tracked table, of the type that the table has. */
static bool
is_column(const Node *expression, Relation relation)
{
	const Var *column = (const Var *) expression;
	TupleDesc columns = RelationGetDescr(relation);

	return IsA(column, Var) && column->varattno > 0 && column->varattno <= columns->natts &&
		   !TupleDescAttr(columns, column->varattno - 1)->attisdropped &&
		   TupleDescAttr(columns, column->varattno - 1)->atttypid == column->vartype;
}

/*
 * Reads types and columns from the definition of the view, whose first column is the key and whose
 * second one is the set.
 */
static void
read_columns(TrackTable *table, Relation relation, Oid extension_schema)
{
	Relation source = table_open(table->source, AccessShareLock);
	Query *query = source->rd_rel->relkind == RELKIND_VIEW ? get_view_query(source) : NULL;
	bool has_both = query != NULL && list_length(query->targetList) == 2;
	Node *key_column =
		has_both ? (Node *) linitial_node(TargetEntry, query->targetList)->expr : NULL;
	Node *set = has_both ? (Node *) lsecond_node(TargetEntry, query->targetList)->expr : NULL;
	const Var *key = (const Var *) key_column;

	table->set_type = GetSysCacheOid2(TYPENAMENSP, Anum_pg_type_oid, CStringGetDatum("tokenset"),
									  ObjectIdGetDatum(extension_schema));
	if (!has_both || !is_column(key_column, relation) || exprType(set) != table->set_type)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("view %s is not that of neardup_track", name_of(table->source)),
						errhint("Call neardup_untrack and neardup_track anew.")));
	table->key = key->varattno;
	table->key_type = key->vartype;
	table->key_array = get_array_type(key->vartype);
	table->key_collation = key->varcollid;
	get_typlenbyval(table->key_type, &table->key_length, &table->key_by_value);
	pull_varattnos((Node *) query->targetList, key->varno, &table->columns);
	table_close(source, NoLock);
}

/*
 * Finds equality and comparison of keys by the type's B-tree operator class: names would not do,
 * since the search path may lack the schema of the type.
 */
static void
find_operators(TrackTable *table)
{
	TypeCacheEntry *type = lookup_type_cache(
		table->key_type, TYPECACHE_EQ_OPR | TYPECACHE_CMP_PROC | TYPECACHE_CMP_PROC_FINFO);
	HeapTuple tuple;
	Form_pg_operator form;

	if (!OidIsValid(type->eq_opr) || !OidIsValid(type->cmp_proc))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_FUNCTION),
						errmsg("type %s of the key has no B-tree order",
							   format_type_be(table->key_type))));
	table->compare_keys = palloc(sizeof(FmgrInfo));
	fmgr_info_copy(table->compare_keys, &type->cmp_proc_finfo, CurrentMemoryContext);
	tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(type->eq_opr));
	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for operator %u", type->eq_opr);
	form = (Form_pg_operator) GETSTRUCT(tuple);
	table->equality =
		psprintf("OPERATOR(%s.%s)", quote_identifier(get_namespace_name(form->oprnamespace)),
				 NameStr(form->oprname));
	ReleaseSysCache(tuple);
}

/* Reads the order of tokens, and when it was chosen. */
static void
read_order(TrackTable *table)
{
	char *query = psprintf(
		"SELECT s.frequent::bigint[], s.frozen::bigint FROM %s AS s WHERE $1::regclass IS NOT NULL",
		name_of(table->state));
	Datum values[2];
	TokenList tokens;

	if (!select_one(query, table->rel, values, lengthof(values)))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("table %s must have one row", name_of(table->state))));
	table->frozen = table->newest = DatumGetInt64(values[1]);
	TokenListInit(&tokens, 16);
	TokensOfInt8Array(DatumGetArrayTypeP(values[0]), &tokens);
	table->order = TokenOrderCreate(tokens.tokens, tokens.count);
	pfree(tokens.tokens);
}

/*
 * Makes the entry, in a memory context of its own. It is valid from the start, so that a change
 * while it is being read marks it.
 */
static void
make_table(TableSlot *slot, Relation relation, Oid extension_schema)
{
	MemoryContext context =
		AllocSetContextCreate(CacheMemoryContext, "neardup tracked table", ALLOCSET_SMALL_SIZES);
	MemoryContext previous = MemoryContextSwitchTo(context);
	TrackTable *table = palloc0(sizeof(TrackTable));

	table->context = context;
	table->rel = RelationGetRelid(relation);
	table->owner = relation->rd_rel->relowner;
	table->is_valid = true;
	slot->table = table;
	table->schema = pstrdup(quote_identifier(get_namespace_name(extension_schema)));
	read_registry(table);
	check_relations(table, relation);
	read_columns(table, relation, extension_schema);
	find_operators(table);
	read_order(table);
	MemoryContextSwitchTo(previous);
}

TrackTable *
TrackTableOpen(Relation relation, Oid extension_schema)
{
	TableSlot *slot = table_find_slot(RelationGetRelid(relation));

	if (!is_usable(slot->table))
	{
		if (slot->table != NULL)
		{
			MemoryContext previous = MemoryContextSwitchTo(CacheMemoryContext);

			replaced = lappend(replaced, slot->table);
			slot->table = NULL;
			MemoryContextSwitchTo(previous);
		}
		PG_TRY();
		{
			make_table(slot, relation, extension_schema);
		}
		PG_CATCH();
		{
			if (slot->table != NULL)
				slot->table->is_valid = false;
			PG_RE_THROW();
		}
		PG_END_TRY();
	}
	return slot->table;
}

/* Returns the plan of a statement, which is made when it is first needed. */
static SPIPlanPtr
plan_of(TrackTable *table, TrackStatement statement)
{
	MemoryContext previous = CurrentMemoryContext;
	Oid types[TRACK_MOST_TYPES];
	int count;
	char *text;
	SPIPlanPtr plan;

	if (table->plans[statement] != NULL)
		return table->plans[statement];
	count = TrackStatementParameters(table, statement, types);
	text = TrackStatementText(table, statement);
	plan = SPI_prepare_cursor(text, count, types, CURSOR_OPT_GENERIC_PLAN);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed for \"%s\": %s", text,
			 SPI_result_code_string(SPI_result));
	if (SPI_keepplan(plan) != 0)
		elog(ERROR, "SPI_keepplan failed");
	MemoryContextSwitchTo(previous);
	table->plans[statement] = plan;
	pfree(text);
	return plan;
}

static void
relations_have_changed(const TrackTable *table)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("table %s is tracked with relations that have changed", name_of(table->rel)),
			 errdetail("They do not have the columns that neardup_track has made, or have nulls."),
			 errhint("Call neardup_untrack and neardup_track anew.")));
}

/*
 * Raises an error if a statement returns other types than it should. The relations belong to the
 * tracked table's owner, who may have changed their columns.
 */
static void
check_result_columns(const TrackTable *table, TrackStatement statement, TupleDesc columns)
{
	Oid types[TRACK_MOST_TYPES];
	int count = TrackStatementColumns(table, statement, types);

	if (columns->natts != count)
		elog(ERROR, "statement of a tracked table returns %d columns, not %d", columns->natts,
			 count);
	for (int i = 0; i < count; i++)
	{
		if (TupleDescAttr(columns, i)->atttypid != types[i])
			relations_have_changed(table);
	}
}

/* Takes the rows of a SELECT from the executor, one by one. */
typedef struct SelectedRows
{
	const TrackTable *table;
	TrackStatement statement;
	MemoryContext memory; /* of the caller */
	TrackRow row;
	void *context;
} SelectedRows;

static void
begin_selected(void *context, TupleDesc columns)
{
	const SelectedRows *rows = context;

	check_result_columns(rows->table, rows->statement, columns);
}

/*
 * Whether the columns are NULL just where they may be: in TRACK_READ all that is recorded, if
 * nothing is, and the set as it should be.
 */
static bool
has_right_nulls(TrackStatement statement, const TupleTableSlot *slot)
{
	bool may_lack = statement == TRACK_READ;
	int count = slot->tts_tupleDescriptor->natts - (may_lack ? 1 : 0);

	for (int i = 0; i < count; i++)
	{
		if (slot->tts_isnull[i] != (may_lack && slot->tts_isnull[0]))
			return false;
	}
	return true;
}

static bool
take_selected(void *context, TupleTableSlot *slot)
{
	SelectedRows *rows = context;
	MemoryContext previous;
	bool goes_on;

	slot_getallattrs(slot);
	if (!has_right_nulls(rows->statement, slot))
		relations_have_changed(rows->table);
	previous = MemoryContextSwitchTo(rows->memory);
	goes_on = rows->row(rows->context, slot);
	MemoryContextSwitchTo(previous);
	return goes_on;
}

static ParamListInfo
parameters_of(TrackTable *table, TrackStatement statement, Datum *values)
{
	Oid types[TRACK_MOST_TYPES];
	int count = TrackStatementParameters(table, statement, types);
	ParamListInfo parameters = makeParamList(count);

	for (int i = 0; i < count; i++)
		parameters->params[i] =
			(ParamExternData){.value = values[i], .pflags = PARAM_FLAG_CONST, .ptype = types[i]};
	return parameters;
}

void
TrackSelect(TrackTable *table, TrackStatement statement, Datum *values, TrackRow row, void *context)
{
	SelectedRows rows = {.table = table,
						 .statement = statement,
						 .memory = CurrentMemoryContext,
						 .row = row,
						 .context = context};
	QueryReceiver receiver;
	SPIPlanPtr plan = plan_of(table, statement);
	SPIExecuteOptions options = {.params = parameters_of(table, statement, values),
								 .read_only = true,
								 .must_return_tuples = true,
								 .dest = &receiver.dest};
	int result;

	QueryReceiverInit(&receiver, begin_selected, take_selected, &rows);
	CommandCounterIncrement();
	PushActiveSnapshot(GetLatestSnapshot());
	result = SPI_execute_plan_extended(plan, &options);
	PopActiveSnapshot();
	MemoryContextSwitchTo(rows.memory);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
	pfree(options.params);
}

void
TrackWrite(TrackTable *table, TrackStatement statement, Datum *values)
{
	MemoryContext previous = CurrentMemoryContext;
	bool is_fixed = IsolationUsesXactSnapshot();
	int result = SPI_execute_snapshot(
		plan_of(table, statement), values, NULL, is_fixed ? GetLatestSnapshot() : InvalidSnapshot,
		is_fixed ? GetTransactionSnapshot() : InvalidSnapshot, false, true, 0);

	MemoryContextSwitchTo(previous);
	if (result < 0)
		elog(ERROR, "SPI_execute_snapshot failed: %s", SPI_result_code_string(result));
	if (SPI_tuptable != NULL)
		check_result_columns(table, statement, SPI_tuptable->tupdesc);
}

int64
TrackNumber(TrackTable *table)
{
	table->newest = nextval_internal(table->numbers, false);
	return table->newest;
}

/*
 * In a transaction with one snapshot the answer is no: updating the state would fail there if
 * another transaction has done so since.
 */
bool
TrackTableHasGrown(const TrackTable *table)
{
	return !IsolationUsesXactSnapshot() && table->newest / GROWTH > table->frozen + LEAST_GROWTH;
}

void
TrackTableFreeze(TrackTable *table)
{
	Datum newest = Int64GetDatum(TrackNumber(table));

	TrackWrite(table, TRACK_FREEZE, &newest);
	CacheInvalidateRelcacheByRelid(table->members);
}
