/*
 * verify.c
 *		Computes the overlap of candidates.
 *
 * Two sets reach an overlap if at most |x| minus the overlap of x's tokens have no equal one in y,
 * and likewise for y: these numbers are the slack of x and y. The overlap is computed in one of two
 * ways, both of which stop as soon as the slack is used up.
 *
 * The merge walks through both sequences. Near duplicates have long equal runs, so it compares four
 * tokens at once where it can.
 *
 * The band, with AVX-512, uses that equal tokens have nearly the same position. If x[i] = y[j] and
 * m tokens before them are common, then i - m tokens of x and j - m of y are unmatched. So j - i is
 * between -x_slack and y_slack, and x[i] need only be compared with those tokens of y: 16 tokens
 * of x at a time, with y shifted by each distance.
 */
#include "c.h"

#include "kernel/filters/verify.h"
#include "measure/token_weight.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>
#endif

/* The merge compares this many tokens at once. */
#define RUN 4

/* A band at least this wide takes longer than the merge. */
#define MOST_BAND 40

static inline bool
equal_run(const uint32 *x, const uint32 *y)
{
	uint64 x_words[RUN / 2];
	uint64 y_words[RUN / 2];

	memcpy(x_words, x, sizeof(x_words));
	memcpy(y_words, y, sizeof(y_words));
	return ((x_words[0] ^ y_words[0]) | (x_words[1] ^ y_words[1])) == 0;
}

#ifdef HAVE_X86_VARIANTS

#define FOR_AVX512 __attribute__((target("avx512f")))
#define LANES 16

StaticAssertDecl(MOST_BAND + LANES <= 64, "places of a band have a bit each");

/* Returns a mask whose bit i says whether first + i is in 0 .. size - 1; first is at least -64. */
static inline uint64
places_within(int64 first, int64 size)
{
	uint64 below_size = size - first >= 64 ? ~UINT64CONST(0)
						: size > first	   ? (UINT64CONST(1) << (size - first)) - 1
										   : 0;

	return first < 0 ? below_size >> -first << -first : below_size;
}

/* Returns the overlap, or less than x_size - x_slack if it is certainly less. */
FOR_AVX512 static int64
overlap_within_band(const uint32 *x, int64 x_size, const uint32 *y, int64 y_size, int64 x_slack,
					int64 y_slack)
{
	int64 unmatched = 0;

	for (int64 i = 0; i < x_size && unmatched <= x_slack; i += LANES)
	{
		__mmask16 present = (__mmask16) places_within(i, x_size);
		uint64 of_band = places_within(i - x_slack, y_size);
		__m512i of_x = _mm512_maskz_loadu_epi32(present, x + i);
		__mmask16 matched = 0;

		for (int64 j = i - x_slack; j <= i + y_slack; j++)
		{
			__mmask16 both = present & (__mmask16) of_band;
			__m512i of_y = _mm512_maskz_loadu_epi32(both, y + j);

			matched |= _mm512_mask_cmpeq_epi32_mask(both, of_x, of_y);
			of_band >>= 1;
		}
		unmatched += __builtin_popcount(present & ~matched);
	}
	return x_size - unmatched;
}

#endif

int64
OverlapAtLeast(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size,
			   int64 needed)
{
	const uint32 *x_begin = x;
	const uint32 *x_end = x + x_size;
	const uint32 *y_end = y + y_size;

	int64 x_slack = (int64) x_size - needed;
	int64 y_slack = (int64) y_size - needed;

	if (x_slack < 0 || y_slack < 0)
		return Min(x_size, y_size);
	JoinTick(host, (uint64) x_size + y_size);
#ifdef HAVE_X86_VARIANTS
	if (x_slack + y_slack < MOST_BAND && __builtin_cpu_supports("avx512f"))
		return overlap_within_band(x, x_size, y, y_size, x_slack, y_slack);
#endif
	while (x < x_end && y < y_end)
	{
		while (x_end - x >= RUN && y_end - y >= RUN && equal_run(x, y))
		{
			x += RUN;
			y += RUN;
		}
		while (x < x_end && y < y_end && *x == *y)
		{
			x++;
			y++;
		}
		while (x < x_end && y < y_end && *x != *y)
		{
			if (*x < *y)
			{
				x++;
				x_slack--;
			}
			else
			{
				y++;
				y_slack--;
			}
			if ((x_slack | y_slack) < 0)
				return needed - 1;
		}
	}
	/* The tokens that x passed without losing slack are common. */
	return (x - x_begin) - ((int64) x_size - needed - x_slack);
}

int64
VerifyOverlap(JoinHost *host, const PrefixedRecord *x, const PrefixedRecord *y,
			  uint32 prefix_overlap, int64 least_overlap)
{
	const PrefixedRecord *u = x;
	const PrefixedRecord *v = y;
	int64 needed = least_overlap - prefix_overlap;

	/*
	 * The prefix of u ends first. Its tokens are below all of the suffix of v, and so have been
	 * counted; the suffix of u may match any token of v.
	 */
	if (x->tokens[x->prefix - 1] >= y->tokens[y->prefix - 1])
	{
		u = y;
		v = x;
	}
	if ((int64) u->size - u->prefix < needed)
		return prefix_overlap;

	/*
	 * At least prefix_overlap tokens of v are common with the prefix of u, so its first are below
	 * the suffix.
	 */
	return prefix_overlap + OverlapAtLeast(host, u->tokens + u->prefix, u->size - u->prefix,
										   v->tokens + prefix_overlap, v->size - prefix_overlap,
										   needed);
}

int64
WeightedOverlap(JoinHost *host, TokenTerms terms, const uint32 *x, uint32 x_size, const uint32 *y,
				uint32 y_size, double x_slack, double y_slack)
{
	const uint32 *x_end = x + x_size;
	const uint32 *y_end = y + y_size;
	int64 x_left = (int64) x_slack;
	int64 y_left = (int64) y_slack;
	int64 overlap = 0;

	JoinTick(host, (uint64) x_size + y_size);
	while (x < x_end && y < y_end && (x_left | y_left) >= 0)
	{
		int64 term = TokenWeightTerm(terms.weights[Min(*x, *y)], terms.squares);

		if (*x == *y)
		{
			overlap += term;
			x++;
			y++;
		}
		else if (*x < *y)
		{
			x_left -= term;
			x++;
		}
		else
		{
			y_left -= term;
			y++;
		}
	}
	return overlap;
}
