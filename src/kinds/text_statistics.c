/*
 * text_statistics.c
 *		What the planner knows of a text: its length, and how many distinct ones there are.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"

#include "kinds/text_statistics.h"

/* The assumed length of texts without statistics, in bytes. */
#define TYPICAL_LENGTH 32

void
TextArgumentOpen(PlannerInfo *root, Node *argument, int relation, VariableStatData *variable)
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
	TextArgumentOpen(root, argument, 0, &variable);
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

	TextArgumentOpen(root, argument, relation, &variable);
	if (variable.rel != NULL)
	{
		distinct = get_variable_numdistinct(&variable, &is_default);
		if (is_default)
			distinct = Max(variable.rel->tuples, distinct);
	}
	ReleaseVariableStats(variable);
	return distinct;
}
