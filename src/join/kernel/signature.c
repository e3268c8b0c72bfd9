/*
 * signature.c
 *		Scanning signatures for those that are near.
 *
 * Three functions of the same result: portable C; the same with the POPCNT
 * instruction, which every x86-64 processor since 2008 has, but compilers may
 * not assume; and AVX-512 with VPOPCNTDQ, eight signatures at a time. On other
 * processors the compiler's own population count is as fast as theirs.
 */
#include "c.h"

#include "join/kernel/signature.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>
#endif

static pg_attribute_always_inline uint32
scan(const SignaturePlanes *signatures, uint32 words, uint32 x, uint32 first, uint32 end,
	 uint32 greatest_distance, uint32 *near)
{
	uint32 count = 0;

	for (uint32 i = first; i < end; i++)
	{
		uint32 distance = 0;

		for (uint32 w = 0; w < words; w++)
			distance += __builtin_popcountll(signatures->planes[w][x] ^ signatures->planes[w][i]);
		near[count] = i;
		count += distance <= greatest_distance;
	}
	return count;
}

/* The loop over words is unrolled for the two widths that are used most. */
#define DEFINE_SCAN(name)                                                                          \
	static uint32 name(const SignaturePlanes *signatures, uint32 x, uint32 first, uint32 end,      \
					   uint32 greatest_distance, uint32 *near)                                     \
	{                                                                                              \
		switch (signatures->words)                                                                 \
		{                                                                                          \
			case 1:                                                                                \
				return scan(signatures, 1, x, first, end, greatest_distance, near);                \
			case 4:                                                                                \
				return scan(signatures, 4, x, first, end, greatest_distance, near);                \
			default:                                                                               \
				return scan(signatures, signatures->words, x, first, end, greatest_distance,       \
							near);                                                                 \
		}                                                                                          \
	}

DEFINE_SCAN(scan_portable)

#ifdef HAVE_X86_VARIANTS

__attribute__((target("popcnt"))) DEFINE_SCAN(scan_popcnt)

#define LANES 8

	__attribute__((target("avx512f,avx512vpopcntdq"))) static pg_attribute_always_inline uint32
	scan_lanes(const SignaturePlanes *signatures, uint32 words, uint32 x, uint32 first, uint32 end,
			   uint32 greatest_distance, uint32 *near)
{
	__m512i greatest = _mm512_set1_epi64(greatest_distance);
	uint32 count = 0;

	for (uint32 i = first; i < end; i += LANES)
	{
		__mmask8 lanes = end - i < LANES ? (1u << (end - i)) - 1 : 0xff;
		__m512i distance = _mm512_setzero_si512();

		for (uint32 w = 0; w < words; w++)
		{
			__m512i of_x = _mm512_set1_epi64(signatures->planes[w][x]);
			__m512i others = _mm512_maskz_loadu_epi64(lanes, signatures->planes[w] + i);

			distance =
				_mm512_add_epi64(distance, _mm512_popcnt_epi64(_mm512_xor_si512(of_x, others)));
		}
		lanes = _mm512_mask_cmple_epu64_mask(lanes, distance, greatest);
		while (lanes != 0)
		{
			near[count++] = i + __builtin_ctz(lanes);
			lanes &= lanes - 1;
		}
	}
	return count;
}

#define scan scan_lanes
__attribute__((target("avx512f,avx512vpopcntdq"))) DEFINE_SCAN(scan_avx512)
#undef scan

#endif

	int SignatureScansAvailable(SignatureScan *scans)
{
	int count = 0;

	scans[count++] = scan_portable;
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("popcnt"))
		scans[count++] = scan_popcnt;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
		scans[count++] = scan_avx512;
#endif
	return count;
}

SignatureScan
SignatureScanBest(void)
{
	SignatureScan scans[SIGNATURE_SCANS] = {NULL};

	return scans[SignatureScansAvailable(scans) - 1];
}
