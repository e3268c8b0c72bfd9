/*
 * date_slip.c
 *		Comparing the digits of dates.
 *
 * 1960-05-30 is 0x119600530: with the digits in one word, a slip is a matter of a shift and a mask.
 */
#include "postgres.h"

#include "port/pg_bitutils.h"

#include "link/date_slip.h"

#define DIGIT_BITS 4
#define DIGIT_MASK UINT64CONST(0xF)

#define DATE_DIGITS 8

/* A text of a date with this many digits more, or fewer, may be a slip. */
#define SLIP_DIGITS 1

static inline bool
slip_is_digit(const ByteSpan *text, Size at)
{
	return at < text->length && text->data[at] >= '0' && text->data[at] <= '9';
}

uint64
DateDigits(ByteSpan text)
{
	uint64 digits = 1;
	int count = 0;

	for (Size i = 0; i < text.length; i++)
	{
		bool is_alone = !slip_is_digit(&text, i + 1) && (i == 0 || !slip_is_digit(&text, i - 1));

		if (text.data[i] == ' ')
			continue;
		if (!slip_is_digit(&text, i) || (count += 1 + is_alone) > DATE_DIGITS + SLIP_DIGITS)
			return 0;
		digits = digits << DIGIT_BITS * (1 + is_alone) | (text.data[i] - '0');
	}
	return count < DATE_DIGITS - SLIP_DIGITS ? 0 : digits;
}

/* Returns the number of two digits, above the last `place` ones. */
static int
number_at(uint64 digits, int place)
{
	return (digits >> (place + 1) * DIGIT_BITS & DIGIT_MASK) * 10 +
		   (digits >> place * DIGIT_BITS & DIGIT_MASK);
}

/* Whether numbers of two digits are a century, a month and a day. */
static bool
are_date(int century, int month, int day)
{
	return century >= 10 && century <= 20 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static bool
slip_is_date(uint64 digits)
{
	int first = number_at(digits, 6);
	int second = number_at(digits, 4);
	int third = number_at(digits, 2);

	return digits >> DATE_DIGITS * DIGIT_BITS == 1 &&
		   (are_date(first, third, number_at(digits, 0)) || are_date(third, second, first) ||
			are_date(third, first, second));
}

/* Whether the longer one has one digit more than the other, in any place. */
static bool
has_digit_more(uint64 longer, uint64 shorter)
{
	for (int place = 0; place <= DATE_DIGITS; place++)
	{
		uint64 behind = (UINT64CONST(1) << place * DIGIT_BITS) - 1;

		if (((longer >> DIGIT_BITS & ~behind) | (longer & behind)) == shorter)
			return true;
	}
	return false;
}

/* Whether two texts that differ do so in one digit, or by an exchange of two neighbours. */
static bool
differ_in_place(uint64 a, uint64 b)
{
	int shift = pg_rightmost_one_pos64(a ^ b) / DIGIT_BITS * DIGIT_BITS;

	a >>= shift;
	b >>= shift;
	return a >> DIGIT_BITS == b >> DIGIT_BITS ||
		   (a >> 2 * DIGIT_BITS == b >> 2 * DIGIT_BITS &&
			(a & DIGIT_MASK) == (b >> DIGIT_BITS & DIGIT_MASK) &&
			(b & DIGIT_MASK) == (a >> DIGIT_BITS & DIGIT_MASK));
}

bool
DatesDifferBySlip(uint64 a, uint64 b)
{
	if (a == 0 || b == 0 || (!slip_is_date(a) && !slip_is_date(b)))
		return false;
	return a == b || differ_in_place(a, b) || has_digit_more(Max(a, b), Min(a, b));
}
