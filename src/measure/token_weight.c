/*
 * token_weight.c
 *		ln(N / df), computed in integers.
 *
 * A weight must be the same number on every machine, since indexes, replicas and the nodes of a
 * cluster compare sums of weights. The function log of libm does not ensure that: implementations
 * may differ in the last bit, and where the product lies near a half they would round to different
 * weights. So the logarithm is computed here in integer arithmetic.
 *
 * The binary logarithm of a number comes bit by bit. The position of the leading one is its whole
 * part, and what remains is a mantissa in [1, 2). To square the mantissa doubles its logarithm; if
 * the square reaches 2, the next bit of the logarithm is 1, and the square is halved. Thus for the
 * number 3 = 2 * 1.5: the whole part is 1; 1.5^2 = 2.25 gives a 1 and 1.125; 1.125^2 = 1.27 gives a
 * 0, and so on: 1.10... in binary, as log2(3) = 1.585.
 *
 * The error is below 2^-52, and weights are multiples of 2^-16. Only a logarithm that is within the
 * error of a half could be rounded to the wrong side, and then it is so everywhere.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "measure/token_weight.h"

/* Bits of a logarithm behind the binary point. */
#define LOG_BITS 56

/* ln 2 in multiples of 2^-64. */
#define LN_2 UINT64CONST(0xb17217f7d1cf79ac)

/* Returns the upper 64 bits of the 128-bit product. */
static uint64
multiply_high(uint64 a, uint64 b)
{
	uint64 a_high = a >> 32;
	uint64 a_low = a & PG_UINT32_MAX;
	uint64 b_high = b >> 32;
	uint64 b_low = b & PG_UINT32_MAX;
	uint64 low = a_low * b_low;
	uint64 middle = a_high * b_low + (low >> 32);
	uint64 other = a_low * b_high + (middle & PG_UINT32_MAX);

	return a_high * b_high + (middle >> 32) + (other >> 32);
}

/* Returns log2 of a number that is at least 1, in multiples of 2^-LOG_BITS, rounded down. */
static uint64
binary_logarithm(uint64 number)
{
	int whole = pg_leftmost_one_pos64(number);
	uint64 mantissa = number << (63 - whole); /* in [1, 2), with 63 fractional bits */
	uint64 result = (uint64) whole;

	for (int i = 0; i < LOG_BITS; i++)
	{
		bool reaches_2;

		mantissa = multiply_high(mantissa, mantissa); /* with 62 fractional bits */
		reaches_2 = mantissa >> 63 != 0;
		if (!reaches_2)
			mantissa <<= 1;
		result = result << 1 | reaches_2;
	}
	return result;
}

uint32
TokenWeight(uint64 records, uint64 frequency)
{
	uint64 logarithm;
	uint64 half = UINT64CONST(1) << (LOG_BITS - TOKEN_WEIGHT_BITS - 1);

	frequency = Max(frequency, 1);
	if (frequency >= records)
		return 0;
	logarithm = multiply_high(binary_logarithm(records) - binary_logarithm(frequency), LN_2);
	return (uint32) Min((logarithm + half) >> (LOG_BITS - TOKEN_WEIGHT_BITS), TOKEN_WEIGHT_MAX);
}
