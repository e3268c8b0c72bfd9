/*
 * join_plan.c
 *		Stores the plan of a join in a CustomScan, which the planner can copy and send to workers.
 *
 * custom_exprs is a list of lists of expressions: the planner turns their columns into columns of
 * the scan tuple. custom_private has the numbers and OIDs.
 */
#include "postgres.h"

#include "join/node/join_plan.h"
#include "kinds/kinds.h"

void
JoinNodePlanStore(const JoinNodePlan *plan, CustomScan *scan)
{
	const Comparison *comparison = &plan->rule.comparison;
	List *numbers = list_make5_int(plan->type, KindNumber(plan->kind), plan->measure,
								   plan->outer_is_y, plan->is_self);
	List *rule = list_make5_int(plan->rule.source, comparison->order, comparison->number,
								comparison->of_complement, plan->rule.setting);

	scan->custom_exprs =
		list_make5(plan->clause, plan->operands, plan->threshold, plan->equalities, plan->keys[0]);
	scan->custom_exprs = lappend(scan->custom_exprs, plan->keys[1]);
	scan->custom_exprs = lappend(scan->custom_exprs, plan->filters);
	scan->custom_exprs = lappend(scan->custom_exprs, plan->after);
	scan->custom_private = list_make5(
		list_concat(numbers, list_make2_int(plan->skips_itself, plan->outer_columns)),
		plan->hash_functions[0], plan->hash_functions[1], plan->collations, plan->inner_sources);
	scan->custom_private = lappend(scan->custom_private, rule);
}

static ThresholdRule
fetch_rule(const List *rule)
{
	return (ThresholdRule){.source = (ThresholdSource) linitial_int(rule),
						   .comparison = {.order = (ComparisonOrder) lsecond_int(rule),
										  .number = (ComparedNumber) lthird_int(rule),
										  .of_complement = lfourth_int(rule) != 0},
						   .setting = list_nth_int(rule, 4)};
}

void
JoinNodePlanFetch(JoinNodePlan *plan, const CustomScan *scan)
{
	List *numbers = linitial(scan->custom_private);

	plan->type = (JoinType) linitial_int(numbers);
	plan->kind = kinds[lsecond_int(numbers)];
	plan->measure = (Measure) lthird_int(numbers);
	plan->outer_is_y = lfourth_int(numbers) != 0;
	plan->is_self = list_nth_int(numbers, 4) != 0;
	plan->skips_itself = list_nth_int(numbers, 5) != 0;
	plan->outer_columns = list_nth_int(numbers, 6);
	plan->hash_functions[0] = lsecond(scan->custom_private);
	plan->hash_functions[1] = lthird(scan->custom_private);
	plan->collations = lfourth(scan->custom_private);
	plan->inner_sources = list_nth(scan->custom_private, 4);
	plan->rule = fetch_rule(list_nth(scan->custom_private, 5));
	plan->clause = linitial(scan->custom_exprs);
	plan->operands = lsecond(scan->custom_exprs);
	plan->threshold = lthird(scan->custom_exprs);
	plan->equalities = lfourth(scan->custom_exprs);
	plan->keys[0] = list_nth(scan->custom_exprs, 4);
	plan->keys[1] = list_nth(scan->custom_exprs, 5);
	plan->filters = list_nth(scan->custom_exprs, 6);
	plan->after = list_nth(scan->custom_exprs, 7);
}
