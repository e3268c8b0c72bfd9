/*
 * signature_scan.c
 *		Makes and compares signatures, in a variant for each kind of processor.
 *
 * The variants are plain C; C with the instruction POPCNT, which a compiler may not assume; and
 * AVX-512 with VPOPCNTDQ, which compares eight signatures at once. All have the same results.
 */
#include "c.h"

#include "kernel/filters/signature_scan.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>
#endif

static void
scan_add_portable(uint64 *signature, uint32 words, const uint32 *tokens, uint32 count)
{
	/* Neighbouring tokens toggle different arrays, so that neither waits for the other. */
	uint64 even[SIGNATURE_MAX_WORDS] = {0};
	uint64 odd[SIGNATURE_MAX_WORDS] = {0};
	uint32 i = 0;

	if (words == 1)
	{
		uint64 word = *signature;

		for (; i < count; i++)
			word ^= UINT64CONST(1) << SignatureBit(tokens[i], 1);
		*signature = word;
		return;
	}
	for (; i + 1 < count; i += 2)
	{
		SignatureToggle(even, SignatureBit(tokens[i], words));
		SignatureToggle(odd, SignatureBit(tokens[i + 1], words));
	}
	if (i < count)
		SignatureToggle(even, SignatureBit(tokens[i], words));
	for (uint32 w = 0; w < words; w++)
		signature[w] ^= even[w] ^ odd[w];
}

static pg_attribute_always_inline uint32
scan(const SignaturePlanes *signatures, uint32 words, uint32 x, uint32 first, uint32 end,
	 uint32 greatest_distance, uint32 *near, uint32 *distances)
{
	uint32 count = 0;

	for (uint32 i = first; i < end; i++)
	{
		uint32 distance = 0;

#pragma GCC unroll 8
		for (uint32 w = 0; w < words; w++)
			distance += __builtin_popcountll(signatures->planes[w][x] ^ signatures->planes[w][i]);
		near[count] = i;
		distances[count] = distance;
		count += distance <= greatest_distance;
	}
	return count;
}

static pg_attribute_always_inline bool
scan_many(const SignaturePlanes *signatures, uint32 words, uint32 x_first, uint32 x_end,
		  uint32 first, uint32 end, const int32 *greatest_distances, uint8 *near)
{
	bool any = false;

	for (uint32 x = x_first; x < x_end; x++)
	{
		uint32 lanes = 0;

		for (uint32 i = first; i < end; i++)
		{
			int32 distance = 0;

#pragma GCC unroll 8
			for (uint32 w = 0; w < words; w++)
				distance +=
					__builtin_popcountll(signatures->planes[w][x] ^ signatures->planes[w][i]);
			lanes |= (uint32) (distance <= greatest_distances[x - x_first]) << (i - first);
		}
		near[x - x_first] = lanes;
		any |= lanes != 0;
	}
	return any;
}

/* The loop over words is unrolled for each width, which is a power of two up to 8. */
#define DEFINE_SCAN(suffix)                                                                        \
	static uint32 scan_##suffix(const SignaturePlanes *signatures, uint32 x, uint32 first,         \
								uint32 end, uint32 greatest_distance, uint32 *near,                \
								uint32 *distances)                                                 \
	{                                                                                              \
		switch (signatures->words)                                                                 \
		{                                                                                          \
			case 1:                                                                                \
				return scan(signatures, 1, x, first, end, greatest_distance, near, distances);     \
			case 2:                                                                                \
				return scan(signatures, 2, x, first, end, greatest_distance, near, distances);     \
			case 4:                                                                                \
				return scan(signatures, 4, x, first, end, greatest_distance, near, distances);     \
			default:                                                                               \
				return scan(signatures, 8, x, first, end, greatest_distance, near, distances);     \
		}                                                                                          \
	}

#define DEFINE_SCAN_MANY(suffix)                                                                   \
	static bool scan_many_##suffix(const SignaturePlanes *signatures, uint32 x_first,              \
								   uint32 x_end, uint32 first, uint32 end,                         \
								   const int32 *greatest_distances, uint8 *near)                   \
	{                                                                                              \
		switch (signatures->words)                                                                 \
		{                                                                                          \
			case 1:                                                                                \
				return scan_many(signatures, 1, x_first, x_end, first, end, greatest_distances,    \
								 near);                                                            \
			case 2:                                                                                \
				return scan_many(signatures, 2, x_first, x_end, first, end, greatest_distances,    \
								 near);                                                            \
			case 4:                                                                                \
				return scan_many(signatures, 4, x_first, x_end, first, end, greatest_distances,    \
								 near);                                                            \
			default:                                                                               \
				return scan_many(signatures, 8, x_first, x_end, first, end, greatest_distances,    \
								 near);                                                            \
		}                                                                                          \
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

/* Returns the XOR of the eight lanes. */
FOR_AVX512 static pg_attribute_always_inline uint64
xor_of_lanes(__m512i eight)
{
	__m256i four =
		_mm256_xor_si256(_mm512_castsi512_si256(eight), _mm512_extracti64x4_epi64(eight, 1));
	__m128i two = _mm_xor_si128(_mm256_castsi256_si128(four), _mm256_extracti128_si256(four, 1));

	return _mm_cvtsi128_si64(two) ^ _mm_extract_epi64(two, 1);
}

/*
 * Toggles the bits of eight tokens. Each lane has sums of its own, one for each word, so that
 * tokens with the same bit do not collide.
 */
FOR_AVX512 static pg_attribute_always_inline void
toggle_lanes(__m512i *sums, uint32 words, __m256i bit_of_lane, __mmask8 present)
{
	__m512i bits = _mm512_cvtepu32_epi64(bit_of_lane);
	__m512i toggles = _mm512_rolv_epi64(_mm512_set1_epi64(1), bits);

	for (uint32 w = 0; w < words; w++)
	{
		__mmask8 of_word = present;

		if (words > 1)
			of_word = _mm512_mask_cmpeq_epi64_mask(present, _mm512_srli_epi64(bits, 6),
												   _mm512_set1_epi64(w));
		sums[w] = _mm512_mask_xor_epi64(sums[w], of_word, sums[w], toggles);
	}
}

FOR_AVX512 static pg_attribute_always_inline void
add_lanes(uint64 *signature, uint32 words, const uint32 *tokens, uint32 count)
{
	const __m512i multiplier = _mm512_set1_epi32((int) SIGNATURE_MULTIPLIER);
	__m128i shift = _mm_cvtsi32_si128(32 - pg_leftmost_one_pos32(SIGNATURE_BITS_PER_WORD * words));
	__m512i sums[SIGNATURE_MAX_WORDS];

	for (uint32 w = 0; w < words; w++)
		sums[w] = _mm512_setzero_si512();
	for (uint32 i = 0; i < count; i += 2 * SIGNATURE_LANES)
	{
		__mmask16 present = count - i < 2 * SIGNATURE_LANES ? (1u << (count - i)) - 1 : 0xffff;
		__m512i some = _mm512_maskz_loadu_epi32(present, tokens + i);
		__m512i bits = _mm512_srl_epi32(_mm512_mullo_epi32(some, multiplier), shift);

		toggle_lanes(sums, words, _mm512_castsi512_si256(bits), (__mmask8) present);
		toggle_lanes(sums, words, _mm512_extracti64x4_epi64(bits, 1), (__mmask8) (present >> 8));
	}
	for (uint32 w = 0; w < words; w++)
		signature[w] ^= xor_of_lanes(sums[w]);
}

FOR_AVX512 static void
scan_add_avx512(uint64 *signature, uint32 words, const uint32 *tokens, uint32 count)
{
	switch (words)
	{
		case 1:
			add_lanes(signature, 1, tokens, count);
			break;
		case 2:
			add_lanes(signature, 2, tokens, count);
			break;
		case 4:
			add_lanes(signature, 4, tokens, count);
			break;
		default:
			add_lanes(signature, words, tokens, count);
			break;
	}
}

/*
 * Compares the signature x with the signatures of eight lanes, from i on. Appends those within the
 * distance, and returns how many there are then.
 */
FOR_AVX512 static pg_attribute_always_inline uint32
scan_eight(const uint64 *const *planes, uint32 words, const __m512i *of_x, uint32 i, __mmask8 lanes,
		   uint32 greatest_distance, uint32 count, uint32 *near, uint32 *distances)
{
	const __m512i steps = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0);
	__m512i distance = _mm512_setzero_si512();
	uint32 found;
	__mmask16 present;
	__m512i places;
	__m512i narrow;

#pragma GCC unroll 8
	for (uint32 w = 0; w < words; w++)
	{
		__m512i others = _mm512_maskz_loadu_epi64(lanes, planes[w] + i);

		distance =
			_mm512_add_epi64(distance, _mm512_popcnt_epi64(_mm512_xor_si512(of_x[w], others)));
	}
	lanes =
		_mm512_mask_cmple_epu64_mask(lanes, distance, _mm512_set1_epi64((int64) greatest_distance));
	if (likely(lanes == 0))
		return count;
	found = __builtin_popcount(lanes);
	present = (1u << found) - 1;
	places = _mm512_add_epi32(_mm512_set1_epi32((int) i), steps);
	narrow = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(distance));
	_mm512_mask_storeu_epi32(near + count, present, _mm512_maskz_compress_epi32(lanes, places));
	_mm512_mask_storeu_epi32(distances + count, present,
							 _mm512_maskz_compress_epi32(lanes, narrow));
	return count + found;
}

FOR_AVX512 static pg_attribute_always_inline uint32
scan_lanes(const SignaturePlanes *signatures, uint32 words, uint32 x, uint32 first, uint32 end,
		   uint32 greatest_distance, uint32 *near, uint32 *distances)
{
	const uint64 *planes[SIGNATURE_MAX_WORDS];
	__m512i of_x[SIGNATURE_MAX_WORDS];
	uint32 count = 0;
	uint32 i = first;

#pragma GCC unroll 8
	for (uint32 w = 0; w < words; w++)
	{
		planes[w] = signatures->planes[w];
		of_x[w] = _mm512_set1_epi64((int64) planes[w][x]);
	}
	for (; i + SIGNATURE_LANES <= end; i += SIGNATURE_LANES)
		count = scan_eight(planes, words, of_x, i, 0xff, greatest_distance, count, near, distances);
	if (i < end)
		count = scan_eight(planes, words, of_x, i, (1u << (end - i)) - 1, greatest_distance, count,
						   near, distances);
	return count;
}

FOR_AVX512 static pg_attribute_always_inline bool
scan_many_lanes(const SignaturePlanes *signatures, uint32 words, uint32 x_first, uint32 x_end,
				uint32 first, uint32 end, const int32 *greatest_distances, uint8 *near)
{
	__mmask8 lanes = (1u << (end - first)) - 1;
	__m512i others[SIGNATURE_MAX_WORDS];
	__mmask8 any = 0;

#pragma GCC unroll 8
	for (uint32 w = 0; w < words; w++)
		others[w] = _mm512_maskz_loadu_epi64(lanes, signatures->planes[w] + first);
	for (uint32 x = x_first; x < x_end; x++)
	{
		__m512i distance = _mm512_setzero_si512();

#pragma GCC unroll 8
		for (uint32 w = 0; w < words; w++)
		{
			__m512i of_x = _mm512_set1_epi64(signatures->planes[w][x]);

			distance =
				_mm512_add_epi64(distance, _mm512_popcnt_epi64(_mm512_xor_si512(of_x, others[w])));
		}
		near[x - x_first] = _mm512_mask_cmple_epi64_mask(
			lanes, distance, _mm512_set1_epi64(greatest_distances[x - x_first]));
		any |= near[x - x_first];
	}
	return any != 0;
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

	scans[count++] =
		(SignatureScan){scan_add_portable, scan_portable, scan_many_portable, are_near_portable};
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("popcnt"))
		scans[count++] =
			(SignatureScan){scan_add_portable, scan_popcnt, scan_many_popcnt, are_near_popcnt};
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vpopcntdq"))
		scans[count++] =
			(SignatureScan){scan_add_avx512, scan_avx512, scan_many_avx512, are_near_avx512};
#endif
	return count;
}

SignatureScan
SignatureScanBest(void)
{
	SignatureScan scans[SIGNATURE_SCANS] = {0};

	return scans[SignatureScansAvailable(scans) - 1];
}
