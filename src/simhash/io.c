/*
 * io.c
 *		Text and binary form of the simhash type.
 *
 * The text form is 16 hexadecimal digits, the binary form an int8. Input is strict, so that a digit
 * that got lost is noticed; simhash_from_hex takes fewer.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "utils/builtins.h"

#include "compat.h"
#include "simhash/io.h"
#include "text_input.h"

PG_FUNCTION_INFO_V1(simhash_in);
PG_FUNCTION_INFO_V1(simhash_out);
PG_FUNCTION_INFO_V1(simhash_recv);
PG_FUNCTION_INFO_V1(simhash_send);
PG_FUNCTION_INFO_V1(simhash_from_hex);

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

/* Reads up to 16 hexadecimal digits, and returns how many there are. */
static int
read_digits(const char *text, Simhash *value)
{
	int count = 0;

	*value = 0;
	while (count < SIMHASH_TEXT_SIZE - 1 && digit_value(text[count]) >= 0)
		*value = *value << 4 | digit_value(text[count++]);
	return count;
}

bool
SimhashReadText(const char *text, Simhash *value)
{
	return read_digits(text, value) == SIMHASH_TEXT_SIZE - 1;
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
	int digits = read_digits(at, &value);
	bool is_number = digits > 0 && *InputSkipBlanks(at + digits) == '\0';

	if (!is_number || digits < SIMHASH_TEXT_SIZE - 1)
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("invalid input syntax for type simhash: \"%s\"", InputQuote(text)),
			 errdetail("A simhash is written as 16 hexadecimal digits."),
			 is_number ? errhint("Call simhash_from_hex for a number without leading zeros.") : 0));
	PG_RETURN_SIMHASH(value);
}

/* Raises invalid_text_representation unless the text has 1 to 16 digits, after 0x or without. */
Datum
simhash_from_hex(PG_FUNCTION_ARGS)
{
	char *hex = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const char *at = InputSkipBlanks(hex);
	Simhash value;
	int digits;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		at += 2;
	digits = read_digits(at, &value);
	if (digits == 0 || *InputSkipBlanks(at + digits) != '\0')
		ereport(ERROR, (errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
						errmsg("invalid hexadecimal number of a simhash: \"%s\"", InputQuote(hex)),
						errdetail("It has 1 to 16 hexadecimal digits.")));
	pfree(hex);
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
