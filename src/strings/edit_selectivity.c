/*
 * edit_selectivity.c
 *		Planner support of the edit distance, and its selectivity.
 *
 * Statistics of texts say nothing about which of them are near. The estimate assumes that a text
 * has one near value, which is itself, and one more for each edit of the distance. So with n
 * distinct values, a distance of k selects (k + 1) / n of the rows. Texts that are no longer than
 * the distance are within it of each other whatever they say.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/supportnodes.h"
#include "optimizer/optimizer.h"
#include "utils/selfuncs.h"

#include "strings/edit_selectivity.h"

PG_FUNCTION_INFO_V1(edit_distance_support);
PG_FUNCTION_INFO_V1(edit_within_support);

/* The assumed length of texts without statistics, in bytes. */
#define TYPICAL_LENGTH 32

/* Calls examine_variable; without a root, describes a variable of which nothing is known. */
static void
open_variable(PlannerInfo *root, Node *argument, int relation, VariableStatData *variable)
{
	if (root == NULL)
		memset(variable, 0, sizeof(*variable));
	else
		examine_variable(root, argument, relation, variable);
}

double
TextArgumentLength(PlannerInfo *root, Node *argument)
{
	VariableStatData variable;
	double length = TYPICAL_LENGTH;

	if (IsA(argument, Const))
		return ((Const *) argument)->constisnull
				   ? 0
				   : toast_raw_datum_size(((Const *) argument)->constvalue) - VARHDRSZ;
	open_variable(root, argument, 0, &variable);
	if (HeapTupleIsValid(variable.statsTuple))
		length = Max(((Form_pg_statistic) GETSTRUCT(variable.statsTuple))->stawidth - 1, 0);
	ReleaseVariableStats(variable);
	return length;
}

double
TextArgumentDistinct(PlannerInfo *root, Node *argument, int relation)
{
	VariableStatData variable;
	bool is_default;
	double distinct = 0;

	open_variable(root, argument, relation, &variable);
	if (variable.rel != NULL)
	{
		distinct = get_variable_numdistinct(&variable, &is_default);
		if (is_default)
			distinct = Max(variable.rel->tuples, distinct);
	}
	ReleaseVariableStats(variable);
	return distinct;
}

Selectivity
EditSelectivity(PlannerInfo *root, Node *x, Node *y, double max_distance, int relation)
{
	double distinct =
		Max(TextArgumentDistinct(root, x, relation), TextArgumentDistinct(root, y, relation));
	Selectivity selectivity = DEFAULT_EQ_SEL;

	if (TextArgumentLength(root, x) <= max_distance && TextArgumentLength(root, y) <= max_distance)
		return 1;
	if (distinct > 0)
		selectivity = (max_distance + 1) / distinct;
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

/* Answers the planner's question for the selectivity of edit_within(x, y, distance). */
Datum
edit_within_support(PG_FUNCTION_ARGS)
{
	SupportRequestSelectivity *request = (SupportRequestSelectivity *) PG_GETARG_POINTER(0);
	double max_distance = TYPICAL_EDIT_DISTANCE;
	Node *distance;

	if (!IsA(request, SupportRequestSelectivity))
		PG_RETURN_POINTER(NULL);
	distance = estimate_expression_value(request->root, lthird(request->args));
	if (IsA(distance, Const) && !((Const *) distance)->constisnull)
		max_distance = Max(DatumGetInt32(((Const *) distance)->constvalue), 0);
	request->selectivity =
		EditSelectivity(request->root, linitial(request->args), lsecond(request->args),
						max_distance, request->is_join ? 0 : request->varRelid);
	PG_RETURN_POINTER(request);
}

/*
 * Answers nothing. But the planner's call loads the library, and with it the join node, which plans
 * edit_distance(x, y) <= k as a join.
 */
Datum
edit_distance_support(PG_FUNCTION_ARGS)
{
	PG_RETURN_POINTER(NULL);
}
