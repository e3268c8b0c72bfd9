/*
 * io.c
 *		Text and binary form of the simhash type, and its casts to and from bit(64).
 *
 * The text form is 16 hexadecimal digits, the binary form an int8.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/varbit.h"

#include "compat.h"
#include "simhash/io.h"
#include "text_input.h"

PG_FUNCTION_INFO_V1(simhash_in);
PG_FUNCTION_INFO_V1(simhash_out);
PG_FUNCTION_INFO_V1(simhash_recv);
PG_FUNCTION_INFO_V1(simhash_send);
PG_FUNCTION_INFO_V1(simhash_from_bits);
PG_FUNCTION_INFO_V1(simhash_to_bits);

/* Returns the value of a hexadecimal digit, -1 for other characters. */
static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool
SimhashReadText(const char *text, Simhash *value)
{
	Simhash bits = 0;

	for (int i = 0; i < SIMHASH_TEXT_SIZE - 1; i++)
	{
		int digit = digit_value(text[i]);

		if (digit < 0)
			return false;
		bits = bits << 4 | digit;
	}
	*value = bits;
	return true;
}

void
SimhashWriteText(Simhash value, char *text)
{
	snprintf(text, SIMHASH_TEXT_SIZE, "%016llx", (unsigned long long) value);
}

Datum
simhash_in(PG_FUNCTION_ARGS)
{
	const char *text = PG_GETARG_CSTRING(0);
	const char *at = InputSkipBlanks(text);
	Simhash value;

	if (!SimhashReadText(at, &value) || *InputSkipBlanks(at + SIMHASH_TEXT_SIZE - 1) != '\0')
	{
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid input syntax for type simhash: \"%s\"", InputQuote(text)),
						errdetail("A simhash is written as 16 hexadecimal digits.")));
	}
	PG_RETURN_SIMHASH(value);
}

Datum
simhash_out(PG_FUNCTION_ARGS)
{
	char *text = palloc(SIMHASH_TEXT_SIZE);

	SimhashWriteText(PG_GETARG_SIMHASH(0), text);
	PG_RETURN_CSTRING(text);
}

Datum
simhash_recv(PG_FUNCTION_ARGS)
{
	PG_RETURN_SIMHASH(pq_getmsgint64((StringInfo) PG_GETARG_POINTER(0)));
}

Datum
simhash_send(PG_FUNCTION_ARGS)
{
	StringInfoData buffer;

	pq_begintypsend(&buffer);
	pq_sendint64(&buffer, PG_GETARG_SIMHASH(0));
	PG_RETURN_BYTEA_P(pq_endtypsend(&buffer));
}

/*
 * The cast from bit(64). The length of an argument is not part of its type, so it is checked:
 * another one raises string_data_length_mismatch.
 */
Datum
simhash_from_bits(PG_FUNCTION_ARGS)
{
	VarBit *bits = PG_GETARG_VARBIT_P(0);
	Simhash value = 0;

	if (VARBITLEN(bits) != SIMHASH_BITS)
		ereport(ERROR, (errcode(ERRCODE_STRING_DATA_LENGTH_MISMATCH),
						errmsg("a simhash has %d bits", SIMHASH_BITS),
						errdetail("The bit string has %d.", VARBITLEN(bits))));
	for (int i = 0; i < SIMHASH_BITS / BITS_PER_BYTE; i++)
		value = value << BITS_PER_BYTE | VARBITS(bits)[i];
	PG_RETURN_SIMHASH(value);
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
