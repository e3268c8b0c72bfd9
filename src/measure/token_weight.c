/*
 * token_weight.c
 *		ln(N / df) in integers.
 *
 * libm's log may differ in the last bit between machines, which near a half would round to another
 * weight. Here the binary logarithm comes bit by bit: squaring a number in [1, 2) doubles its
 * logarithm, whose next bit says whether the square has reached 2. The error is below 2^-52, while
 * weights are multiples of 2^-16: only a logarithm as near as that to a half could be rounded to
 * the wrong side, and then everywhere.
 */
#include "c.h"

#include "port/pg_bitutils.h"

#include "measure/token_weight.h"

#define LOG_BITS 56

/* ln 2, as a multiple of 2^-64. */
#define LN_2 UINT64CONST(0xb17217f7d1cf79ac)

/* The upper half of the product. */
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

/* log2 of a number from 1 on, as a multiple of 2^-LOG_BITS. */
static uint64
binary_logarithm(uint64 number)
{
	int whole = pg_leftmost_one_pos64(number);
	uint64 mantissa = number << (63 - whole); /* in [1, 2), of 63 fractional bits */
	uint64 result = (uint64) whole;

	for (int i = 0; i < LOG_BITS; i++)
	{
		bool reaches_2;

		mantissa = multiply_high(mantissa, mantissa); /* of 62 fractional bits */
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
