/*
 * choose_threshold.c
 *		The SQL function choose_threshold: what near_duplicates chooses without a threshold.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "funcapi.h"
#include "utils/builtins.h"

#include "cluster/duplicates_request.h"

PG_FUNCTION_INFO_V1(choose_threshold);

enum
{
	COLUMN_CHOSEN_TOKENS,
	COLUMN_CHOSEN_MEASURE,
	COLUMN_THRESHOLD,
	COLUMN_PAIRS,
	COLUMN_ABOVE_CHANCE,
	COLUMN_CAN_TELL,
	COLUMN_MESSAGE,
	CHOICE_COLUMNS
};

Datum
choose_threshold(PG_FUNCTION_ARGS)
{
	TupleDesc descriptor;
	Datum values[CHOICE_COLUMNS];
	bool nulls[CHOICE_COLUMNS] = {false};
	AboveChance chosen;

	if (get_call_result_type(fcinfo, NULL, &descriptor) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	chosen = DuplicatesThresholdChoose(fcinfo);
	values[COLUMN_CHOSEN_TOKENS] = CStringGetTextDatum(chosen.tokens);
	values[COLUMN_CHOSEN_MEASURE] = CStringGetTextDatum(MeasureName(chosen.measure));
	values[COLUMN_THRESHOLD] = Float8GetDatum(chosen.threshold);
	values[COLUMN_PAIRS] = Int64GetDatum((int64) rint(chosen.pairs));
	values[COLUMN_ABOVE_CHANCE] = Int64GetDatum((int64) rint(chosen.above));
	values[COLUMN_CAN_TELL] = BoolGetDatum(chosen.can_tell);
	values[COLUMN_MESSAGE] = CStringGetTextDatum(chosen.message);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(descriptor), values, nulls));
}
