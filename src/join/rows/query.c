/*
 * query.c
 *		Runs a query that a user gave as text.
 *
 * Rows go to the caller's receiver instead of SPI's tuple table.
 */
#include "postgres.h"

#include "executor/spi.h"
#include "nodes/nodeFuncs.h"
#include "parser/analyze.h"
#include "tcop/cmdtag.h"
#include "utils/plancache.h"

#include "join/rows/query.h"

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

/* Functions that the query calls may still write. */
static SPIPlanPtr
prepare_select(const char *what, const char *query)
{
	SPIPlanPtr plan = SPI_prepare_cursor(query, 0, NULL, CURSOR_OPT_PARALLEL_OK);
	List *sources;
	CachedPlanSource *source;

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

void
JoinRunQuery(const char *what, const char *query, DestReceiver *dest)
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
	result = SPI_execute_plan_extended(prepare_select(what, query), &options);
	if (result != SPI_OK_SELECT)
		elog(ERROR, "SPI_execute_plan_extended failed: %s", SPI_result_code_string(result));
	SPI_finish();
}
