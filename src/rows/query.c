/*
 * query.c
 *		Runs a query that a user gave as text.
 *
 * Rows go to the caller's receiver instead of SPI's tuple table.
 */
#include "postgres.h"

#include "access/relation.h"
#include "access/sysattr.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "common/keywords.h"
#include "executor/executor.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "parser/parse_func.h"
#include "storage/bufmgr.h"
#include "tcop/cmdtag.h"
#include "tcop/tcopprot.h"
#include "utils/plancache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/varlena.h"

#include "compat.h"
#include "rows/query.h"

static void
begin_rows(DestReceiver *self, int operation, TupleDesc columns)
{
	QueryReceiver *receiver = (QueryReceiver *) self;

	if (receiver->begin != NULL)
		receiver->begin(receiver->context, columns);
}

static bool
receive_row(TupleTableSlot *slot, DestReceiver *self)
{
	QueryReceiver *receiver = (QueryReceiver *) self;

	return receiver->row(receiver->context, slot);
}

static void
end_rows(DestReceiver *self)
{
}

void
QueryReceiverInit(QueryReceiver *receiver, void (*begin)(void *context, TupleDesc columns),
				  bool (*row)(void *context, TupleTableSlot *row), void *context)
{
	*receiver = (QueryReceiver){.dest = {.receiveSlot = receive_row,
										 .rStartup = begin_rows,
										 .rShutdown = end_rows,
										 .rDestroy = end_rows,
										 .mydest = DestTuplestore},
								.begin = begin,
								.row = row,
								.context = context};
}

/* Rejects writes and row locks, also in subqueries. */
static bool
forbid_writing(Node *node, void *context)
{
	const Query *query = (const Query *) node;
	const char *what = context;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, forbid_writing, context);
	if (query->hasModifyingCTE)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s must only read", what),
						errdetail("It has a data-modifying statement in WITH.")));
	if (query->rowMarks != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED), errmsg("%s must only read", what),
				 errdetail("It locks rows by %s.",
						   LCS_asString(linitial_node(RowMarkClause, query->rowMarks)->strength))));
	return query_tree_walker((Query *) query, forbid_writing, context, 0);
}

/* Returns whether a query is a bare name, of a table if it could be a command too, as COMMIT is. */
static bool
is_name(const char *query)
{
	List *names;

	if (strchr(query, '(') != NULL || !SplitIdentifierString(pstrdup(query), '.', &names) ||
		names == NIL || list_length(names) > 2)
		return false;
	if (list_length(names) > 1 || ScanKeywordLookup(linitial(names), &ScanKeywords) < 0)
		return true;
	return OidIsValid(RelnameGetRelid(linitial(names)));
}

/* Refuses the name of a table, which would be no more than a syntax error. */
static void
refuse_name(const char *what, const char *columns, const char *query)
{
	if (!is_name(query))
		return;
	ereport(ERROR,
			(errcode(ERRCODE_SYNTAX_ERROR),
			 errmsg("%s must be the text of a query, not a name", what),
			 errhint("Give the text of a SELECT with its columns, such as SELECT %s FROM %s.",
					 columns, query + strspn(query, " \t\r\n"))));
}

/* Returns the plan of a query that only reads; functions that it calls may still write. */
static SPIPlanPtr
prepare_select(const char *what, const char *columns, const char *query)
{
	SPIPlanPtr plan;
	List *sources;
	CachedPlanSource *source;

	if (columns != NULL)
		refuse_name(what, columns, query);
	plan = SPI_prepare_cursor(query, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	if (plan == NULL)
		elog(ERROR, "SPI_prepare_cursor failed: %s", SPI_result_code_string(SPI_result));
	sources = SPI_plan_get_plan_sources(plan);
	if (list_length(sources) != 1)
		ereport(ERROR,
				(errcode(ERRCODE_SYNTAX_ERROR), errmsg("%s must be exactly one statement", what),
				 errdetail("It has %d statements.", list_length(sources))));
	source = (CachedPlanSource *) linitial(sources);
	if (source->commandTag != CMDTAG_SELECT || source->resultDesc == NULL)
		ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
						errmsg("%s must be a SELECT that returns rows", what),
						errdetail("The statement is %s.", GetCommandTagName(source->commandTag))));
	forbid_writing((Node *) source->query_list, (void *) what);
	return plan;
}

/* A table of more blocks is sampled by blocks, a smaller one is scanned for a sample of rows. */
#define MOST_BLOCKS_OF_ROWS 20000

/* Returns the table of a query in which each row of one table gives a row or none; else NULL. */
static RangeTblEntry *
table_of_query(const Query *query)
{
	RangeTblEntry *entry;

	if (list_length(query->rtable) != 1 || list_length(query->jointree->fromlist) != 1 ||
		query->hasAggs || query->hasWindowFuncs || query->hasTargetSRFs ||
		query->groupClause != NIL || query->groupingSets != NIL || query->havingQual != NULL ||
		query->distinctClause != NIL || query->sortClause != NIL || query->limitCount != NULL ||
		query->limitOffset != NULL || query->setOperations != NULL || query->cteList != NIL)
		return NULL;
	entry = linitial_node(RangeTblEntry, query->rtable);
	return entry->rtekind == RTE_RELATION && entry->tablesample == NULL ? entry : NULL;
}

/* Counts the blocks of a table, its partitions and children; 0 if one cannot be sampled. */
static uint64
count_blocks(const RangeTblEntry *entry)
{
	List *tables = entry->inh ? find_all_inheritors(entry->relid, AccessShareLock, NULL)
							  : list_make1_oid(entry->relid);
	uint64 blocks = 0;
	ListCell *cell;

	foreach(cell, tables)
	{
		Relation table = relation_open(lfirst_oid(cell), AccessShareLock);
		char kind = table->rd_rel->relkind;

		if (kind == RELKIND_RELATION || kind == RELKIND_MATVIEW)
			blocks += RelationGetNumberOfBlocks(table);
		relation_close(table, NoLock);
		if (kind != RELKIND_RELATION && kind != RELKIND_MATVIEW &&
			kind != RELKIND_PARTITIONED_TABLE)
			return 0;
	}
	return blocks;
}

static void
sample_table(Query *query, RangeTblEntry *entry, const QuerySample *sample)
{
	char *method = pstrdup(sample->by_block ? "system" : "bernoulli");
	Oid handler_argument = INTERNALOID;
	AttrNumber place = (AttrNumber) (list_length(query->targetList) + 1);
	Var *ctid = makeVar(1, SelfItemPointerAttributeNumber, TIDOID, -1, InvalidOid, 0);

	query->targetList =
		lappend(query->targetList, makeTargetEntry((Expr *) ctid, place, pstrdup("ctid"), false));
	if (sample->percent >= 100)
		return;
	entry->tablesample = makeNode(TableSampleClause);
	entry->tablesample->tsmhandler =
		LookupFuncName(list_make2(makeString(pstrdup("pg_catalog")), makeString(method)), 1,
					   &handler_argument, false);
	entry->tablesample->args =
		list_make1(makeConst(FLOAT4OID, -1, InvalidOid, sizeof(float4),
							 Float4GetDatum((float4) sample->percent), false, true));
}

static void
run_plan(PlannedStmt *plan, const char *text, DestReceiver *dest)
{
	QueryDesc *description =
		CreateQueryDesc(plan, text, GetActiveSnapshot(), InvalidSnapshot, dest, NULL, NULL, 0);

	ExecutorStart(description, 0);
	nd_executor_run(description, ForwardScanDirection, 0);
	ExecutorFinish(description);
	ExecutorEnd(description);
	FreeQueryDesc(description);
}

void
JoinRunSample(const char *what, const char *columns, const char *query, QuerySample *sample,
			  DestReceiver *dest)
{
	const CachedPlanSource *source;
	RangeTblEntry *entry;
	PlannedStmt *plan;
	Query *read;

	SPI_connect();
	source = linitial(SPI_plan_get_plan_sources(prepare_select(what, columns, query)));
	read = copyObject(linitial_node(Query, source->query_list));
	entry = table_of_query(read);
	sample->blocks = entry == NULL ? 0 : count_blocks(entry);
	sample->by_block = sample->percent < 100 && sample->blocks > MOST_BLOCKS_OF_ROWS;
	if (sample->blocks > 0)
		sample_table(read, entry, sample);
	plan = nd_plan_query(read, query);
	sample->expected_rows = plan->planTree->plan_rows;
	run_plan(plan, query, dest);
	SPI_finish();
}

void
JoinRunQuery(const char *what, const char *columns, const char *query, DestReceiver *dest)
{
	SPIExecuteOptions options;
	int result;

	/* SPI tells only its own receiver from others. */
	Assert(dest->mydest != DestSPI);
	SPI_connect();
	memset(&options, 0, sizeof(options));
	options.read_only = true;
	options.must_return_tuples = true;
	options.dest = dest;
	result = SPI_execute_plan_extended(prepare_select(what, columns, query), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}
