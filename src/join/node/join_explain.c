/*
 * join_explain.c
 *		Shows the join node in EXPLAIN.
 */
#include "postgres.h"

#include "commands/explain.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#endif
#include "nodes/makefuncs.h"
#include "utils/ruleutils.h"

#include "join/node/join_explain.h"
#include "join/node/join_plan.h"

static const char *
join_type_name(JoinType type)
{
	switch (type)
	{
		case JOIN_LEFT:
			return "Left";
		case JOIN_SEMI:
			return "Semi";
		case JOIN_ANTI:
			return "Anti";
		default:
			return "Inner";
	}
}

static void
show_clauses(const char *label, List *clauses, CustomScanState *state, List *ancestors,
			 ExplainState *es)
{
	bool with_names = list_length(es->rtable) > 1 || es->verbose;
	List *context;

	if (clauses == NIL)
		return;
	context = set_deparse_context_plan(es->deparse_cxt, state->ss.ps.plan, ancestors);
	ExplainPropertyText(
		label, deparse_expression((Node *) make_ands_explicit(clauses), context, with_names, false),
		es);
}

static int64
kilobytes(int64 bytes)
{
	return (bytes + 1023) / 1024;
}

static void
show_figures(const JoinNodeFigures *figures, const JoinNodePlan *plan, bool is_parallel,
			 ExplainState *es)
{
	const JoinCounters *counters = &figures->counters;

	if (plan->equalities != NIL || plan->filters != NIL)
		ExplainPropertyUInteger("Pairs Removed by Filters", NULL, figures->filtered, es);
	if (plan->after != NIL)
		ExplainPropertyUInteger("Rows Removed by Filter", NULL, figures->removed, es);
	ExplainPropertyUInteger("Outer Records", NULL, figures->rows[0], es);
	if (!plan->is_self)
		ExplainPropertyUInteger("Inner Records", NULL, figures->rows[1], es);
	if (plan->kind->has_candidates)
	{
		ExplainPropertyUInteger("Candidates", NULL, counters->candidates, es);
		ExplainPropertyUInteger("Pruned by Bitmap", NULL, counters->pruned_by_bitmap, es);
		ExplainPropertyUInteger("Pruned by Position", NULL, counters->pruned_by_position, es);
	}
	ExplainPropertyUInteger("Parts", NULL, figures->parts, es);
	ExplainPropertyInteger("Memory", "kB", kilobytes(figures->memory_bytes), es);
	ExplainPropertyInteger("Temp Files", "kB", kilobytes(figures->temp_bytes), es);
	if (is_parallel)
		ExplainPropertyInteger("Joining Workers", NULL, figures->workers, es);
}

void
JoinNodeExplain(CustomScanState *state, List *ancestors, ExplainState *es,
				const JoinNodeFigures *figures)
{
	JoinNodePlan plan;

	JoinNodePlanFetch(&plan, (CustomScan *) state->ss.ps.plan);
	ExplainPropertyText("Join Type", join_type_name(plan.type), es);
	if (plan.is_self || es->format != EXPLAIN_FORMAT_TEXT)
		ExplainPropertyBool("Self Join", plan.is_self, es);
	show_clauses("Similarity Cond", plan.clause, state, ancestors, es);
	show_clauses("Group Cond", plan.equalities, state, ancestors, es);
	show_clauses("Join Filter", plan.filters, state, ancestors, es);
	show_clauses("Filter", plan.after, state, ancestors, es);
	ExplainPropertyText("Algorithm", plan.kind->algorithm, es);
	if (es->analyze)
		show_figures(figures, &plan, state->ss.ps.plan->parallel_aware, es);
}
