/*
 * index_class.c
 *		Operator classes of the access method neardup: which class it is, and the operators to order by.
 *
 * A class is known by the C function that makes its sets, whatever its name and schema are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "function_behind.h"
#include "kinds/index_class.h"

static const IndexOrder orders[] = {
	{INDEX_JACCARD_DISTANCE, MEASURE_JACCARD, false, true},
	{INDEX_COSINE_DISTANCE, MEASURE_COSINE, false, true},
	{INDEX_CONTAINS_DISTANCE, MEASURE_CONTAINMENT, true, true},
	{INDEX_CONTAINED_DISTANCE, MEASURE_CONTAINMENT, false, true},
	{INDEX_WORD_DISTANCE, MEASURE_CONTAINMENT, true, true},
	{INDEX_STRICT_WORD_DISTANCE, MEASURE_CONTAINMENT, true, true},
	{INDEX_NEGATIVE_JACCARD, MEASURE_JACCARD, false, false},
	{INDEX_NEGATIVE_COSINE, MEASURE_COSINE, false, false},
	{INDEX_NEGATIVE_DICE, MEASURE_DICE, false, false},
	{INDEX_NEGATIVE_OVERLAP, MEASURE_OVERLAP, false, false},
	{INDEX_NEGATIVE_CONTAINS, MEASURE_CONTAINMENT, true, false},
	{INDEX_NEGATIVE_CONTAINED, MEASURE_CONTAINMENT, false, false},
};

const IndexOrder *
IndexOrderOf(int strategy)
{
	for (int i = 0; i < (int) lengthof(orders); i++)
	{
		if (orders[i].strategy == strategy)
			return &orders[i];
	}
	return NULL;
}

int
IndexOrderByNegative(Measure measure, bool value_first)
{
	for (int i = 0; i < (int) lengthof(orders); i++)
	{
		if (orders[i].measure == measure && orders[i].value_first == value_first &&
			!orders[i].is_distance)
			return orders[i].strategy;
	}
	return 0;
}

PGFunction
IndexClassSetOfText(Oid opfamily)
{
	Oid function = get_opfamily_proc(opfamily, TEXTOID, TEXTOID, INDEX_SET_FUNCTION);

	return OidIsValid(function) ? FunctionBehind(function, 1) : NULL;
}
