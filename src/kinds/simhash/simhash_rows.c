/*
 * simhash_rows.c
 *		Rows that are simhashes.
 *
 * A simhash is a row of one token. In memory the rows are HammingValues, and there are no records.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"

#include "kernel/hamming/hamming_values.h"
#include "kinds/sets/set_rows.h"
#include "kinds/simhash/simhash_rows.h"
#include "simhash/distance.h"
#include "simhash/simhash.h"

static HammingValues *
values_of(const JoinInput *input)
{
	return input->content;
}

/* Returns the predicate of a greatest distance; none is above the number of bits. */
static Predicate
simhash_predicate(Measure measure, double threshold)
{
	int32 distance = SimhashMaxDistanceOrError((int32) threshold);

	return (Predicate){.measure = measure, .threshold = Min(distance, SIMHASH_BITS)};
}

/* Returns how to make a simhash of a column of another type, a hint; NULL if there is no way. */
static const char *
hint_of_type(Oid type)
{
	switch (type)
	{
		case INT8OID:
		case NUMERICOID:
		case BYTEAOID:
		case BITOID:
			return "In the query, write (...)::simhash for it.";
		case INT4OID:
			return "In the query, write (...)::bigint::simhash for it.";
		case VARBITOID:
			return "In the query, write (...)::bit(64)::simhash for it.";
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
			return "In the query, write simhash_from_hex(...) for 16 hexadecimal digits, "
				   "(...)::bit(64)::simhash for 64 zeros and ones, or simhash(word_tokens(...)) "
				   "for a text.";
		default:
			return NULL;
	}
}

static void
check_simhash_column(const RowReading *reading, Form_pg_attribute column)
{
	const char *hint = hint_of_type(reading->type);

	if (reading->type == reading->kind_type)
		return;
	ereport(ERROR, (errcode(ERRCODE_DATATYPE_MISMATCH),
					errmsg("simhash column of the query must be of type simhash"),
					errdetail("Column \"%s\" is of type %s.", NameStr(column->attname),
							  format_type_be(column->atttypid)),
					hint != NULL ? errhint("%s", hint) : 0));
}

/* Combined with one group, two values differ in the same bits. */
static bool
read_simhash(RowReading *reading, Datum value, uint64 group, JoinRow *row)
{
	reading->tokens.tokens[0] = (Token) (DatumGetSimhash(value) ^ group);
	*row = (JoinRow){.data = reading->tokens.tokens, .count = 1};
	return true;
}

static void
init_values(JoinInput *input)
{
	input->content = MemoryContextAlloc(input->context, sizeof(HammingValues));
	HammingValuesInit(input->content, input->records.host);
}

static void
keep_value(JoinInput *input, const SpillRow *row)
{
	uint64 value;

	if (values_of(input)->count == JOIN_MAX_RECORDS)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("%s is too large", input->name),
				 errdetail("A join holds at most %u values.", JOIN_MAX_RECORDS)));
	memcpy(&value, row->tokens, sizeof(value));
	HammingValuesAppend(values_of(input), value);
}

static void
free_values(JoinInput *input)
{
	HammingValuesFree(values_of(input));
}

static void
spill_values(JoinInput *input)
{
	const HammingValues *values = values_of(input);

	for (uint32 row = 0; row < values->count; row++)
		JoinInputSpillRow(input, row, &(SpillRow){.size = 1, .tokens = &values->values[row]});
	free_values(input);
}

const RowKind simhash_rows = {ROWS_BY_SIZE,
							  .name = "simhash",
							  .type = "simhash",
							  .algorithm = JOIN_HAMMING,
							  .algorithms = 1 << JOIN_HAMMING,
							  .predicate = simhash_predicate,
							  .check_column = check_simhash_column,
							  .read = read_simhash,
							  .init = init_values,
							  .fits = SetRowsFit,
							  .needed = SetRowsNeeded,
							  .append = JoinInputAppendTokens,
							  .keep = keep_value,
							  .spill = spill_values,
							  .free = free_values};
