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
 * (edit_ops.c), if their length is right. The texts in the column's statistics tell how many.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_statistic.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "function_behind.h"
#include "kinds/edit/edit_ops.h"
#include "kinds/edit/edit_selectivity.h"
#include "kinds/text_statistics.h"
#include "tokenset/similar_share.h"
#include "tokenset/tokenset_query.h"

PG_FUNCTION_INFO_V1(edit_matches_sel);

/* Returns the estimate for texts of these lengths, with so many distinct ones; 0 if unknown. */
static Selectivity
share_within(double x_length, double y_length, double distinct, double max_distance)
{
	Selectivity selectivity = DEFAULT_EQ_SEL;

	if (x_length <= max_distance && y_length <= max_distance)
		return 1;
	if (distinct > 0)
		selectivity = (max_distance + 1) / distinct;
	CLAMP_PROBABILITY(selectivity);
	return selectivity;
}

Selectivity
EditSelectivity(PlannerInfo *root, Node *x, Node *y, double max_distance, int relation,
				const SpecialJoinInfo *join)
{
	double share = share_within(
		TextArgumentLength(root, x), TextArgumentLength(root, y),
		Max(TextArgumentDistinct(root, x, relation), TextArgumentDistinct(root, y, relation)),
		max_distance);

	if (join != NULL && (join->jointype == JOIN_SEMI || join->jointype == JOIN_ANTI))
		return Max(share, SEMIJOIN_SHARE);
	return share;
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
	EditOperand result = {.value = operand, .predicate = EditIndexPredicate(TYPICAL_EDIT_DISTANCE)};

	if (IsA(operand, Const) && !((Const *) operand)->constisnull)
	{
		const TokensetQuery *query = DatumGetTokensetQuery(((Const *) operand)->constvalue);

		result.predicate = TokensetQueryPredicate(query);
		result.length = TokensetCount(TokensetQueryValue(query)) - EDIT_INDEX_GRAM_LENGTH + 1;
		return result;
	}
	if (args != NIL)
	{
		result.value = linitial(args);
		result.predicate.threshold = EditDistanceEstimate(root, lsecond(args));
	}
	result.length = TextArgumentLength(root, result.value);
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
	TextArgumentOpen(root, column, relation, &variable);
	if (statistic_proc_security_check(&variable, function))
		share = histogram_share(&variable, least, greatest, share);
	ReleaseVariableStats(variable);
	return share;
}

/* Returns the selectivity of text @~~ tokenset_query: the fraction of rows that an index returns. */
Datum
edit_matches_sel(PG_FUNCTION_ARGS)
{
	PlannerInfo *root = (PlannerInfo *) PG_GETARG_POINTER(0);
	List *args = (List *) PG_GETARG_POINTER(2);
	int relation = PG_GETARG_INT32(3);
	Node *column = linitial(args);
	EditOperand operand = EditOperandOf(root, lsecond(args));
	double max_distance = operand.predicate.threshold;
	double near = share_within(TextArgumentLength(root, column), operand.length,
							   Max(TextArgumentDistinct(root, column, relation),
								   TextArgumentDistinct(root, operand.value, relation)),
							   max_distance);
	double short_texts = short_texts_share(root, get_opcode(PG_GETARG_OID(1)), column,
										   operand.length, max_distance, relation);

	PG_RETURN_FLOAT8(Max(near, short_texts));
}
