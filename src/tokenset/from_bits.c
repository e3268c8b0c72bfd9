/*
 * from_bits.c
 *		SQL functions from bit strings to a tokenset, for hashes that are longer than a simhash.
 *
 * Bits are numbered from 1, from the left: of a byte, the most significant one comes first. The set
 * has the number of each bit that is 1. So the tokens that only one of two sets has are the bits in
 * which the strings differ, and the Hamming distance of the sets is the distance of the strings.
 *
 * A set of bit_tokens has the token 0 as well. Without it, a string of zeros would be the empty set,
 * which is similar to nothing, whereas it is near to every string of few ones. As both sets have it,
 * it does not change a distance. It would change the other measures, so a set of bit_set has the
 * ones alone: the Jaccard similarity of two is the Tanimoto coefficient of the strings.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/varbit.h"

#include "tokenset/tokenset.h"

PG_FUNCTION_INFO_V1(bit_tokens_varbit);
PG_FUNCTION_INFO_V1(bit_tokens_bytea);
PG_FUNCTION_INFO_V1(bit_set_varbit);
PG_FUNCTION_INFO_V1(bit_set_bytea);

/* Bytes between two checks for interrupts. */
#define BLOCK 65536

/* Returns the number of bits that are 1. */
static Size
count_ones(const uint8 *bytes, Size length)
{
	Size ones = 0;

	for (Size done = 0; done < length; done += BLOCK)
	{
		CHECK_FOR_INTERRUPTS();
		ones += pg_popcount((const char *) bytes + done, (int) Min(length - done, BLOCK));
	}
	return ones;
}

/* Appends the tokens of a byte's ones, whose first bit has a number, and returns where they end. */
static Token *
append_ones(Token *token, uint8 byte, Token first)
{
	for (int i = 0; i < BITS_PER_BYTE; i++)
	{
		if (byte & (0x80 >> i))
			*token++ = first + i;
	}
	return token;
}

/* Returns the set of some bytes' ones, and perhaps 0. Errors are those of TokensetCheckCount. */
static Tokenset *
set_of_ones(const uint8 *bytes, Size length, bool has_zero)
{
	Tokenset *set = TokensetAllocate(count_ones(bytes, length) + has_zero);
	Token *token = set->tokens;

	if (has_zero)
		*token++ = 0;
	for (Size i = 0; i < length; i++)
	{
		if (i % BLOCK == 0)
			CHECK_FOR_INTERRUPTS();
		token = append_ones(token, bytes[i], (Token) i * BITS_PER_BYTE + 1);
	}
	return set;
}

/* The bits behind the last one of a bit string are 0, so whole bytes are read. */
static Tokenset *
set_of_varbit(FunctionCallInfo fcinfo, bool has_zero)
{
	VarBit *bits = PG_GETARG_VARBIT_P(0);
	Tokenset *set = set_of_ones(VARBITS(bits), VARBITBYTES(bits), has_zero);

	PG_FREE_IF_COPY(bits, 0);
	return set;
}

static Tokenset *
set_of_bytea(FunctionCallInfo fcinfo, bool has_zero)
{
	bytea *bytes = PG_GETARG_BYTEA_PP(0);
	Tokenset *set =
		set_of_ones((const uint8 *) VARDATA_ANY(bytes), VARSIZE_ANY_EXHDR(bytes), has_zero);

	PG_FREE_IF_COPY(bytes, 0);
	return set;
}

Datum
bit_tokens_varbit(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(set_of_varbit(fcinfo, true));
}

Datum
bit_tokens_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(set_of_bytea(fcinfo, true));
}

Datum
bit_set_varbit(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(set_of_varbit(fcinfo, false));
}

Datum
bit_set_bytea(PG_FUNCTION_ARGS)
{
	PG_RETURN_TOKENSET(set_of_bytea(fcinfo, false));
}
