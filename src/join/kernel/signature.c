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

static pg_attribute_always_inline void
scan_many(const SignaturePlanes *signatures, uint32 words, uint32 x_first, uint32 x_end,
		  uint32 first, uint32 end, const int32 *greatest_distances, uint8 *near)
{
	for (uint32 x = x_first; x < x_end; x++)
	{
		uint32 lanes = 0;

		for (uint32 i = first; i < end; i++)
		{
			int32 distance = 0;

			for (uint32 w = 0; w < words; w++)
				distance +=
					__builtin_popcountll(signatures->planes[w][x] ^ signatures->planes[w][i]);
			lanes |= (uint32) (distance <= greatest_distances[x - x_first]) << (i - first);
		}
		near[x - x_first] = lanes;
	}
}

/* The loop over words is unrolled for the two widths that are used most. */
#define DEFINE_SCAN(suffix)                                                                        \
	static uint32 scan_##suffix(const SignaturePlanes *signatures, uint32 x, uint32 first,         \
								uint32 end, uint32 greatest_distance, uint32 *near)                \
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

#define DEFINE_SCAN_MANY(suffix)                                                                   \
	static void scan_many_##suffix(const SignaturePlanes *signatures, uint32 x_first,              \
								   uint32 x_end, uint32 first, uint32 end,                         \
								   const int32 *greatest_distances, uint8 *near)                   \
	{                                                                                              \
		if (signatures->words == 1)                                                                \
			scan_many(signatures, 1, x_first, x_end, first, end, greatest_distances, near);        \
		else                                                                                       \
			scan_many(signatures, signatures->words, x_first, x_end, first, end,                   \
					  greatest_distances, near);                                                   \
	}

#define DEFINE_ARE_NEAR(suffix)                                                                    \
	static bool are_near_##suffix(const uint64 *x, const uint64 *y, uint32 words,                  \
								  int64 greatest_distance)                                         \
	{                                                                                              \
		int64 distance = 0;                                                                        \
                                                                                                   \
		for (uint32 w = 0; w < words; w++)                                                         \
			distance += __builtin_popcountll(x[w] ^ y[w]);                                         \
		return distance <= greatest_distance;                                                      \
	}

DEFINE_SCAN(portable)
DEFINE_SCAN_MANY(portable)
DEFINE_ARE_NEAR(portable)

#ifdef HAVE_X86_VARIANTS

#define FOR_POPCNT __attribute__((target("popcnt")))
#define FOR_AVX512 __attribute__((target("avx512f,avx512vpopcntdq")))

FOR_POPCNT
DEFINE_SCAN(popcnt)
FOR_POPCNT
DEFINE_SCAN_MANY(popcnt)
FOR_POPCNT
DEFINE_ARE_NEAR(popcnt)

FOR_AVX512 static pg_attribute_always_inline uint32
scan_lanes(const SignaturePlanes *signatures, uint32 words, uint32 x, uint32 first, uint32 end,
		   uint32 greatest_distance, uint32 *near)
{
	__m512i greatest = _mm512_set1_epi64(greatest_distance);
	uint32 count = 0;

	for (uint32 i = first; i < end; i += SIGNATURE_LANES)
	{
		__mmask8 lanes = end - i < SIGNATURE_LANES ? (1u << (end - i)) - 1 : 0xff;
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

FOR_AVX512 static pg_attribute_always_inline void
scan_many_lanes(const SignaturePlanes *signatures, uint32 words, uint32 x_first, uint32 x_end,
				uint32 first, uint32 end, const int32 *greatest_distances, uint8 *near)
{
	__mmask8 lanes = (1u << (end - first)) - 1;
	__m512i others[SIGNATURE_MAX_WORDS];

	for (uint32 w = 0; w < words; w++)
		others[w] = _mm512_maskz_loadu_epi64(lanes, signatures->planes[w] + first);
	for (uint32 x = x_first; x < x_end; x++)
	{
		__m512i distance = _mm512_setzero_si512();

		for (uint32 w = 0; w < words; w++)
		{
			__m512i of_x = _mm512_set1_epi64(signatures->planes[w][x]);

			distance =
				_mm512_add_epi64(distance, _mm512_popcnt_epi64(_mm512_xor_si512(of_x, others[w])));
		}
		near[x - x_first] = _mm512_mask_cmple_epi64_mask(
			lanes, distance, _mm512_set1_epi64(greatest_distances[x - x_first]));
	}
}

FOR_AVX512 static bool
are_near_avx512(const uint64 *x, const uint64 *y, uint32 words, int64 greatest_distance)
{
	__m512i distance = _mm512_setzero_si512();

	for (uint32 w = 0; w < words; w += SIGNATURE_LANES)
	{
		__mmask8 lanes = words - w < SIGNATURE_LANES ? (1u << (words - w)) - 1 : 0xff;
		__m512i differing = _mm512_xor_si512(_mm512_maskz_loadu_epi64(lanes, x + w),
											 _mm512_maskz_loadu_epi64(lanes, y + w));

		distance = _mm512_add_epi64(distance, _mm512_popcnt_epi64(differing));
	}
	return _mm512_reduce_add_epi64(distance) <= greatest_distance;
}

#define scan scan_lanes
#define scan_many scan_many_lanes
FOR_AVX512
DEFINE_SCAN(avx512)
FOR_AVX512
DEFINE_SCAN_MANY(avx512)
#undef scan
#undef scan_many

#endif

int
SignatureScansAvailable(SignatureScan *scans)
{
	int count = 0;

	scans[count++] = (SignatureScan){scan_portable, scan_many_portable, are_near_portable};
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("popcnt"))
		scans[count++] = (SignatureScan){scan_popcnt, scan_many_popcnt, are_near_popcnt};
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
		scans[count++] = (SignatureScan){scan_avx512, scan_many_avx512, are_near_avx512};
#endif
	return count;
}

SignatureScan
SignatureScanBest(void)
{
	SignatureScan scans[SIGNATURE_SCANS] = {{NULL}};

	return scans[SignatureScansAvailable(scans) - 1];
}
