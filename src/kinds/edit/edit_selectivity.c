/*
 * edit_selectivity.c
 *		Selectivity of the edit distance.
 *
 * Statistics of texts say nothing about which of them are near. The estimate assumes that a text
 * has one near value, which is itself, and one more for each edit of the distance. So with n
 * distinct values, a distance of k selects (k + 1) / n of the rows. Texts that are no longer than
 * the distance are within it of each other whatever they say.
 *
 * An index returns more: also texts that are too short to have to share a q-gram with the value
 * (edit_tokens.c), if their length is right. The texts in the column's statistics tell how many.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "function_behind.h"
#include "kinds/edit/edit_query.h"
#include "kinds/edit/edit_selectivity.h"
#include "kinds/edit/edit_tokens.h"

PG_FUNCTION_INFO_V1(edit_matches_sel);

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

double
EditDistanceEstimate(PlannerInfo *root, Node *distance)
{
	distance = estimate_expression_value(root, distance);
	if (!IsA(distance, Const) || ((Const *) distance)->constisnull)
		return TYPICAL_EDIT_DISTANCE;
	return Max(DatumGetInt32(((Const *) distance)->constvalue), 0);
}

EditOperand
EditOperandOf(PlannerInfo *root, Node *operand)
{
	List *args = ArgumentsOfCall(operand, edit_query, 2);
	EditOperand result = {.value = operand, .max_distance = TYPICAL_EDIT_DISTANCE};

	if (args != NIL)
	{
		result.value = linitial(args);
		result.max_distance = EditDistanceEstimate(root, lsecond(args));
	}
	else if (IsA(operand, Const) && !((Const *) operand)->constisnull)
	{
		EditQuery *query = DatumGetEditQuery(((Const *) operand)->constvalue);

		result.value = (Node *) makeConst(TEXTOID, -1, InvalidOid, -1,
										  PointerGetDatum(EditQueryValue(query)), false, false);
		result.max_distance = query->max_distance;
	}
	return result;
}

/* Returns the fraction of the texts in a column's histogram whose bytes are from least to greatest. */
static double
histogram_share(VariableStatData *variable, double least, double greatest, double unknown)
{
	AttStatsSlot slot;
	int count = 0;
	double share = unknown;

	if (!HeapTupleIsValid(variable->statsTuple) ||
		!get_attstatsslot(&slot, variable->statsTuple, STATISTIC_KIND_HISTOGRAM, InvalidOid,
						  ATTSTATSSLOT_VALUES))
		return unknown;
	for (int i = 0; i < slot.nvalues; i++)
	{
		double length = (double) (toast_raw_datum_size(slot.values[i]) - VARHDRSZ);

		count += length >= least && length <= greatest;
	}
	if (slot.nvalues > 0)
		share = (double) count / slot.nvalues;
	free_attstatsslot(&slot);
	return share;
}

/*
 * Returns the fraction of the column's texts that may be within the distance of a text of this
 * length, and have to share no q-gram with it. Where nothing is known of their lengths, these are
 * taken to be spread evenly up to twice the mean.
 */
static double
short_texts_share(PlannerInfo *root, Oid function, Node *column, double length, double max_distance,
				  int relation)
{
	VariableStatData variable;
	double longest = EDIT_INDEX_GRAM_LENGTH * (max_distance - 1) + 1;
	double least = length - max_distance;
	double greatest = Min(length + max_distance, longest);
	double share;

	if (length > longest)
		return 0;
	share = Min((greatest - Max(least, 0) + 1) / (2 * TextArgumentLength(root, column) + 1), 1);
	open_variable(root, column, relation, &variable);
	if (statistic_proc_security_check(&variable, function))
		share = histogram_share(&variable, least, greatest, share);
	ReleaseVariableStats(variable);
	return share;
}

/* Returns the selectivity of text @~ edit_query: the fraction of rows that an index returns. */
Datum
edit_matches_sel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	List *args = (List *) PG_GETARG_POINTER(2);
	int relation = PG_GETARG_INT32(3);
	Node *column = linitial(args);
	EditOperand operand = EditOperandOf(root, lsecond(args));
	double near = EditSelectivity(root, column, operand.value, operand.max_distance, relation);
	double short_texts =
		short_texts_share(root, get_opcode(PG_GETARG_OID(1)), column,
						  TextArgumentLength(root, operand.value), operand.max_distance, relation);

	PG_RETURN_FLOAT8(Max(near, short_texts));
}
