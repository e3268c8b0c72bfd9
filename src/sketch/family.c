/*
 * family.c
 *		Minima over the hash functions of a sketch.
 *
 * There are three scans with the same result. The portable one takes hash by hash, and all
 * functions for each. The vector scans take a few functions at a time, hold their parameters and
 * minima in registers, and run over all hashes of the block. AVX2 lacks a product of 64 bits, which
 * is made of three products of 32 bits, and an unsigned comparison, for which values have their
 * highest bit inverted; AVX-512 with DQ has both.
 */
#include "c.h"

#include "sketch/family.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>
#endif

static inline const uint64 *
multipliers(const MinhashFamily *family)
{
	return family->parameters;
}

static inline const uint64 *
addends(const MinhashFamily *family)
{
	return family->parameters + family->lanes;
}

/* Returns k, rounded up to a multiple of MINHASH_LANES. */
static uint32
lanes_of(uint32 k)
{
	return (k + MINHASH_LANES - 1) / MINHASH_LANES * MINHASH_LANES;
}

Size
MinhashFamilySize(uint32 k)
{
	return offsetof(MinhashFamily, parameters) + (Size) lanes_of(k) * 2 * sizeof(uint64);
}

/*
 * Returns the next number of SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number
 * Generators, 2014).
 */
static uint64
next_random(uint64 *state)
{
	uint64 z = *state += UINT64CONST(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64CONST(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64CONST(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void
MinhashFamilyInit(MinhashFamily *family, uint32 k, uint64 seed)
{
	uint32 lanes = lanes_of(k);

	family->k = k;
	family->lanes = lanes;
	for (uint32 i = 0; i < lanes; i++)
	{
		family->parameters[i] = next_random(&seed) | 1;
		family->parameters[lanes + i] = next_random(&seed);
	}
}

static void
scan_portable(const MinhashFamily *family, const uint64 *hashes, uint32 count, uint64 *minima)
{
	const uint64 *a = multipliers(family);
	const uint64 *b = addends(family);

	for (uint32 n = 0; n < count; n++)
	{
		uint64 x = hashes[n];

		for (uint32 i = 0; i < family->lanes; i++)
		{
			uint64 value = a[i] * x + b[i];

			minima[i] = Min(minima[i], value);
		}
	}
}

#ifdef HAVE_X86_VARIANTS

#define FOR_AVX2 __attribute__((target("avx2")))
#define FOR_AVX512 __attribute__((target("avx512f,avx512dq")))

/* Vectors of functions that are held in registers. */
#define VECTORS 4

/* Functions of these vectors, which divide MINHASH_LANES. */
#define AVX2_LANES (VECTORS * 4)
#define AVX512_LANES (VECTORS * 8)

/*
 * Returns the products a x modulo 2^64, where x_swapped is x with its halves swapped. With halves
 * of 32 bits, a x = low(a) low(x) + 2^32 (low(a) high(x) + high(a) low(x)).
 */
FOR_AVX2 static pg_attribute_always_inline __m256i
product(__m256i a, __m256i x, __m256i x_swapped)
{
	__m256i crossed = _mm256_mullo_epi32(a, x_swapped);
	__m256i upper = _mm256_add_epi32(crossed, _mm256_srli_epi64(crossed, 32));

	return _mm256_add_epi64(_mm256_mul_epu32(a, x), _mm256_slli_epi64(upper, 32));
}

/* Inverts the highest bit of all values, so that the signed comparison orders them. */
FOR_AVX2 static void
scan_avx2(const MinhashFamily *family, const uint64 *hashes, uint32 count, uint64 *minima)
{
	const __m256i highest = _mm256_set1_epi64x(PG_INT64_MIN);

	for (uint32 first = 0; first < family->lanes; first += AVX2_LANES)
	{
		__m256i a[VECTORS];
		__m256i b[VECTORS];
		__m256i least[VECTORS];

		for (int v = 0; v < VECTORS; v++)
		{
			a[v] = _mm256_loadu_si256((const __m256i *) (multipliers(family) + first + v * 4));
			b[v] = _mm256_xor_si256(
				_mm256_loadu_si256((const __m256i *) (addends(family) + first + v * 4)), highest);
			least[v] = _mm256_xor_si256(
				_mm256_loadu_si256((const __m256i *) (minima + first + v * 4)), highest);
		}
		for (uint32 n = 0; n < count; n++)
		{
			__m256i x = _mm256_set1_epi64x(hashes[n]);
			__m256i x_swapped = _mm256_shuffle_epi32(x, _MM_SHUFFLE(2, 3, 0, 1));

			for (int v = 0; v < VECTORS; v++)
			{
				__m256i value = _mm256_add_epi64(product(a[v], x, x_swapped), b[v]);

				least[v] = _mm256_blendv_epi8(least[v], value, _mm256_cmpgt_epi64(least[v], value));
			}
		}
		for (int v = 0; v < VECTORS; v++)
			_mm256_storeu_si256((__m256i *) (minima + first + v * 4),
								_mm256_xor_si256(least[v], highest));
	}
}

FOR_AVX512 static void
scan_avx512(const MinhashFamily *family, const uint64 *hashes, uint32 count, uint64 *minima)
{
	for (uint32 first = 0; first < family->lanes; first += AVX512_LANES)
	{
		__m512i a[VECTORS];
		__m512i b[VECTORS];
		__m512i least[VECTORS];

		for (int v = 0; v < VECTORS; v++)
		{
			a[v] = _mm512_loadu_si512(multipliers(family) + first + v * 8);
			b[v] = _mm512_loadu_si512(addends(family) + first + v * 8);
			least[v] = _mm512_loadu_si512(minima + first + v * 8);
		}
		for (uint32 n = 0; n < count; n++)
		{
			__m512i x = _mm512_set1_epi64(hashes[n]);

			for (int v = 0; v < VECTORS; v++)
				least[v] =
					_mm512_min_epu64(least[v], _mm512_add_epi64(_mm512_mullo_epi64(a[v], x), b[v]));
		}
		for (int v = 0; v < VECTORS; v++)
			_mm512_storeu_si512(minima + first + v * 8, least[v]);
	}
}

#endif

int
MinhashScansAvailable(MinhashScan *scans)
{
	int count = 0;

	scans[count++] = scan_portable;
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("avx2"))
		scans[count++] = scan_avx2;
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
		scans[count++] = scan_avx512;
#endif
	return count;
}

MinhashScan
MinhashScanBest(void)
{
	MinhashScan scans[MINHASH_SCANS] = {NULL};

	return scans[MinhashScansAvailable(scans) - 1];
}
