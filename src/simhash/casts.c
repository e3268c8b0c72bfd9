/*
 * casts.c
 *		Casts of the simhash type to and from bit(64), bytea and numeric.
 *
 * Other programs' hashes of 64 bits come in these forms. The cast to and from bigint has no
 * function, since the types have the same representation; a hash whose first bit is 1 is a negative
 * bigint, whereas a numeric is unsigned.
 */
#include "postgres.h"

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"
#include "utils/varbit.h"

#include "compat.h"
#include "simhash/simhash.h"
#include "text_input.h"

PG_FUNCTION_INFO_V1(simhash_from_bits);
PG_FUNCTION_INFO_V1(simhash_to_bits);
PG_FUNCTION_INFO_V1(simhash_from_bytes);
PG_FUNCTION_INFO_V1(simhash_from_numeric);
PG_FUNCTION_INFO_V1(simhash_to_numeric);

/* Returns the value of 8 bytes, the most significant first. */
static Simhash
value_of_bytes(const uint8 *bytes)
{
	Simhash value = 0;

	for (int i = 0; i < SIMHASH_BITS / BITS_PER_BYTE; i++)
		value = value << BITS_PER_BYTE | bytes[i];
	return value;
}

/*
 * The cast from bit(64). The length of an argument is not part of its type, so it is checked:
 * another one raises string_data_length_mismatch.
 */
Datum
simhash_from_bits(PG_FUNCTION_ARGS)
{
	VarBit *bits = PG_GETARG_VARBIT_P(0);

	if (VARBITLEN(bits) != SIMHASH_BITS)
		ereport(ERROR, (errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
						errmsg("a simhash has %d bits", SIMHASH_BITS),
						errdetail("The bit string has %d.", VARBITLEN(bits))));
	PG_RETURN_SIMHASH(value_of_bytes(VARBITS(bits)));
}

Datum
simhash_to_bits(PG_FUNCTION_ARGS)
{
	Simhash value = PG_GETARG_SIMHASH(0);
	VarBit *bits = palloc0(VARBITTOTALLEN(SIMHASH_BITS));

	SET_VARSIZE(bits, VARBITTOTALLEN(SIMHASH_BITS));
	VARBITLEN(bits) = SIMHASH_BITS;
	for (int i = 0; i < SIMHASH_BITS / BITS_PER_BYTE; i++)
		VARBITS(bits)[i] = value >> (SIMHASH_BITS - BITS_PER_BYTE * (i + 1));
	PG_RETURN_VARBIT_P(bits);
}

/* The cast from bytea. Another length than 8 raises string_data_length_mismatch. */
Datum
simhash_from_bytes(PG_FUNCTION_ARGS)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);

	if (VARSIZE_ANY_EXHDR(bytes) != sizeof(Simhash))
		ereport(ERROR, (errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
						errmsg("a simhash has %d bytes", (int) sizeof(Simhash)),
						errdetail("The value has %d.", (int) VARSIZE_ANY_EXHDR(bytes))));
	PG_RETURN_SIMHASH(value_of_bytes((const uint8 *) VARDATA_ANY(bytes)));
}

/*
 * The cast from numeric. Raises numeric_value_out_of_range for what is no whole number from 0 to
 * 2^64 - 1. Normalized, a whole number is written as digits alone.
 */
Datum
simhash_from_numeric(PG_FUNCTION_ARGS)
{
	char *number = numeric_normalize(PG_GETARG_NUMERIC(0));
	Simhash value;

	errno = 0;
	value = strtou64(number, NULL, 10);
	if (errno != 0 || number[strspn(number, "0123456789")] != '\0')
		ereport(ERROR, (errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						errmsg("number cannot be a simhash: %s", InputQuote(number)),
						errdetail("It must be a whole number from 0 to 18446744073709551615."),
						*number == '-' ? errhint("Cast it to bigint first if it is a signed number "
												 "of 64 bits.")
									   : 0));
	pfree(number);
	PG_RETURN_SIMHASH(value);
}

Datum
simhash_to_numeric(PG_FUNCTION_ARGS)
{
	char *number = psprintf("%llu", (unsigned long long) PG_GETARG_SIMHASH(0));

	return DirectFunctionCall3(numeric_in, CStringGetDatum(number), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}
