/*
 * token_overlap.c
 *		Counts common tokens by a merge, or by blocks of sixteen.
 *
 * Both ways go from the ends of the sequences to their beginnings: the frequent tokens are at the
 * ends, and these are most likely common. They stop as soon as the count decides: when enough tokens
 * have been found, or when the rest of the shorter sequence cannot make up for what is missing.
 *
 * Near duplicates have long equal runs, so the merge compares four tokens at once where it can.
 *
 * AVX-512 takes the last sixteen tokens of both sequences, and compares each token of one block with
 * all of the other. The greater of the two first tokens is the bound down to which both blocks are
 * complete. What is not below the bound has met every token that it may equal, and is dropped from
 * both sequences:
 *
 *		x  … 11 14 | 20 23 25 28		first token 11
 *		y  …       | 17 20 25 31		first token 17, the bound: 17 to 31 are dropped, 11 and 14 stay
 *
 * When fewer than sixteen tokens of y are left, dropped ones follow them, and a block of y may take
 * these in: they are greater than all that is left of x. So a y that had sixteen tokens is compared by
 * a loop of sixteen steps, which the compiler unrolls.
 */
#include "c.h"

#include "kernel/filters/token_overlap.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>
#endif

/* The merge compares this many tokens at once. */
#define RUN 4

static inline bool
equal_run(const uint32 *x, const uint32 *y)
{
	uint64 x_words[RUN / 2];
	uint64 y_words[RUN / 2];

	memcpy(x_words, x, sizeof(x_words));
	memcpy(y_words, y, sizeof(y_words));
	return ((x_words[0] ^ y_words[0]) | (x_words[1] ^ y_words[1])) == 0;
}

static int64
count_portable(const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size, int64 needed,
			   int64 enough)
{
	int64 common = 0;

	while (common < enough)
	{
		int64 missing = Max(needed - common, 1);

		while (x_size >= missing && y_size >= missing && x[x_size - 1] != y[y_size - 1])
		{
			uint32 last_x = x[x_size - 1];
			uint32 last_y = y[y_size - 1];

			x_size -= last_x > last_y;
			y_size -= last_y > last_x;
		}
		if (x_size < missing || y_size < missing)
			break;
		while (Min(x_size, y_size) >= RUN && equal_run(x + x_size - RUN, y + y_size - RUN))
		{
			common += RUN;
			x_size -= RUN;
			y_size -= RUN;
		}
		while (x_size > 0 && y_size > 0 && x[x_size - 1] == y[y_size - 1])
		{
			common++;
			x_size--;
			y_size--;
		}
	}
	return common;
}

#ifdef HAVE_X86_VARIANTS

#define FOR_AVX512 __attribute__((target("avx512f")))
#define LANES 16

/* Returns a bit for each lane whose token is among the others. */
FOR_AVX512 static pg_attribute_always_inline uint32
lanes_among(__m512i tokens, const uint32 *others, uint32 count)
{
	uint32 among = 0;

#pragma GCC unroll 16
	for (uint32 i = 0; i < count; i++)
		among |= _mm512_cmpeq_epi32_mask(tokens, _mm512_set1_epi32((int) others[i]));
	return among;
}

FOR_AVX512 static int64
count_avx512(const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size, int64 needed,
			 int64 enough)
{
	int64 common = 0;
	bool has_block = y_size >= LANES; /* a whole block can be read from y, to the last */

	while (x_size > 0 && y_size > 0 && common < enough && common + Min(x_size, y_size) >= needed)
	{
		uint32 x_count = Min(x_size, LANES);
		uint32 y_count = Min(y_size, LANES);
		const uint32 *last_x = x + x_size - x_count;
		const uint32 *last_y = y + y_size - y_count;
		__mmask16 x_present = (__mmask16) ((1u << x_count) - 1);
		__mmask16 y_present = (__mmask16) ((1u << y_count) - 1);
		__m512i of_x = _mm512_maskz_loadu_epi32(x_present, last_x);
		__m512i of_y = _mm512_maskz_loadu_epi32(y_present, last_y);
		__m512i bound = _mm512_set1_epi32((int) Max(*last_x, *last_y));
		uint32 among =
			has_block ? lanes_among(of_x, last_y, LANES) : lanes_among(of_x, last_y, y_count);

		common += __builtin_popcount(among & x_present);
		x_size -= __builtin_popcount(_mm512_mask_cmpge_epu32_mask(x_present, of_x, bound));
		y_size -= __builtin_popcount(_mm512_mask_cmpge_epu32_mask(y_present, of_y, bound));
	}
	return common;
}

#endif

int
TokenOverlapsAvailable(TokenOverlapCount *counts)
{
	int count = 0;

	counts[count++] = count_portable;
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("avx512f"))
		counts[count++] = count_avx512;
#endif
	return count;
}

int64
TokenOverlap(const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size, int64 needed,
			 int64 enough)
{
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("avx512f"))
		return count_avx512(x, x_size, y, y_size, needed, enough);
#endif
	return count_portable(x, x_size, y, y_size, needed, enough);
}
