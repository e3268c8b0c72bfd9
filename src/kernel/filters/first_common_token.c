/*
 * first_common_token.c
 *		Tests whether two sequences have a common token.
 *
 * Both tests work from the end of the sequences: there are the frequent tokens, which are most
 * likely common. The portable test merges. The AVX-512 test compares blocks of 16 tokens, each
 * token of one block with all of the other, and then drops a block.
 */
#include "c.h"

#include "kernel/filters/first_common_token.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>

#define FOR_AVX512 __attribute__((target("avx512f")))
#define LANES 16
#endif

static bool
have_common_portable(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size)
{
	JoinTick(host, (uint64) x_size + y_size);
	while (x_size > 0 && y_size > 0)
	{
		uint32 last_x = x[x_size - 1];
		uint32 last_y = y[y_size - 1];

		if (last_x == last_y)
			return true;
		x_size -= last_x > last_y;
		y_size -= last_y > last_x;
	}
	return false;
}

#ifdef HAVE_X86_VARIANTS

/* Returns a bit for each lane whose token is among the others. */
FOR_AVX512 static inline __mmask16
lanes_among(__m512i tokens, const uint32 *others, uint32 count)
{
	__mmask16 among = 0;

	for (uint32 i = 0; i < count; i++)
		among |= _mm512_cmpeq_epi32_mask(tokens, _mm512_set1_epi32((int) others[i]));
	return among;
}

/*
 * Blocks are the last 16 tokens of either sequence. Tokens ascend, so the block with the greater
 * first token is above all that the other sequence has before its block: it has met every token
 * that it may equal, and is dropped.
 */
FOR_AVX512 static bool
have_common_avx512(JoinHost *host, const uint32 *x, uint32 x_size, const uint32 *y, uint32 y_size)
{
	JoinTick(host, (uint64) x_size + y_size);
	while (x_size > 0 && y_size > 0)
	{
		uint32 x_count = Min(x_size, LANES);
		uint32 y_count = Min(y_size, LANES);
		const uint32 *last_x = x + x_size - x_count;
		const uint32 *last_y = y + y_size - y_count;
		__mmask16 present = (__mmask16) ((1u << x_count) - 1);
		__m512i of_x = _mm512_maskz_loadu_epi32(present, last_x);
		__mmask16 common = lanes_among(of_x, last_y, y_count);

		if ((common & present) != 0)
			return true;
		if (*last_x > *last_y)
			x_size -= x_count;
		else
			y_size -= y_count;
	}
	return false;
}

#endif

int
CommonTokenTestsAvailable(CommonTokenTest *tests)
{
	int count = 0;

	tests[count++] = have_common_portable;
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("avx512f"))
		tests[count++] = have_common_avx512;
#endif
	return count;
}

CommonTokenTest
CommonTokenTestBest(void)
{
	CommonTokenTest tests[COMMON_TOKEN_TESTS] = {NULL};

	return tests[CommonTokenTestsAvailable(tests) - 1];
}
