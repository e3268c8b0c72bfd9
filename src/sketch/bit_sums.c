/*
 * bit_sums.c
 *		Weighted and unweighted sums of the bits of token hashes.
 *
 * Where all weights are 1, as in most sets, the sum of a bit is twice the number of hashes that
 * have it, less the number of hashes. So it is enough to count, and counters of one byte are enough
 * for 255 hashes: the 64 counters are 64 bytes, one AVX-512 register. There, a hash is a mask of 64
 * lanes, and adding it takes one instruction. AVX2 has two registers of 32 counters, and makes the
 * lanes of a hash by copying each of its bytes to eight lanes and testing another bit in each.
 * Portable C has eight words of eight counters, and spreads each byte of a hash over a word.
 *
 * With weights, 64 sums of 64 bits are added to or subtracted from.
 */
#include "c.h"

#include "common/int.h"

#include "sketch/bit_sums.h"
#include "sketch/token_hash.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>
#endif

/* Hashes that counters of one byte can count. */
#define CHUNK 255

/* Returns a word whose byte i is bit i of the given byte. */
static uint64
spread_byte(uint64 byte)
{
	/*
	 * Four bits at a time. The factor has bits 0, 7, 14 and 21, so that the product has copies of
	 * the four bits there, which do not overlap: bit i of copy i lies at 8 i, and the mask keeps
	 * these.
	 */
	return ((((byte & 0x0f) * UINT64CONST(0x0000000000204081)) & UINT64CONST(0x0000000001010101)) |
			((((byte >> 4) * UINT64CONST(0x0000000000204081)) & UINT64CONST(0x0000000001010101))
			 << 32));
}

static void
bits_count_portable(uint32 *counters, const uint64 *hashes, uint32 count)
{
	uint64 bytes[BIT_SUMS / 8] = {0};

	for (uint32 i = 0; i < count; i++)
	{
		for (int j = 0; j < BIT_SUMS / 8; j++)
			bytes[j] += spread_byte((hashes[i] >> (8 * j)) & 0xff);
	}
	for (int bit = 0; bit < BIT_SUMS; bit++)
		counters[bit] += (bytes[bit / 8] >> (8 * (bit % 8))) & 0xff;
}

static void
bits_add_portable(int64 *sums, uint64 hash, int64 weight)
{
	for (int bit = 0; bit < BIT_SUMS; bit++)
	{
		/* 0 where the hash has the bit, else -1, by which (w ^ -1) - -1 is -w. */
		int64 minus = (int64) ((hash >> bit) & 1) - 1;

		sums[bit] += (weight ^ minus) - minus;
	}
}

#ifdef HAVE_X86_VARIANTS

#define FOR_AVX2 __attribute__((target("avx2")))
#define FOR_AVX512 __attribute__((target("avx512f,avx512bw")))

FOR_AVX2 static void
bits_count_avx2(uint32 *counters, const uint64 *hashes, uint32 count)
{
	/* The byte of the hash that holds the bit of each counter, for either half. */
	const __m256i which_low =
		_mm256_setr_epi64x(0, INT64CONST(0x0101010101010101), INT64CONST(0x0202020202020202),
						   INT64CONST(0x0303030303030303));
	const __m256i which_high = _mm256_add_epi8(which_low, _mm256_set1_epi8(4));
	const __m256i bits = _mm256_set1_epi64x((int64) UINT64CONST(0x8040201008040201));
	__m256i low = _mm256_setzero_si256();
	__m256i high = _mm256_setzero_si256();
	uint8 bytes[BIT_SUMS];

	for (uint32 i = 0; i < count; i++)
	{
		__m256i hash = _mm256_set1_epi64x((int64) hashes[i]);
		__m256i low_bits = _mm256_and_si256(_mm256_shuffle_epi8(hash, which_low), bits);
		__m256i high_bits = _mm256_and_si256(_mm256_shuffle_epi8(hash, which_high), bits);

		low = _mm256_sub_epi8(low, _mm256_cmpeq_epi8(low_bits, bits));
		high = _mm256_sub_epi8(high, _mm256_cmpeq_epi8(high_bits, bits));
	}
	_mm256_storeu_si256((__m256i *) bytes, low);
	_mm256_storeu_si256((__m256i *) (bytes + BIT_SUMS / 2), high);
	for (int bit = 0; bit < BIT_SUMS; bit++)
		counters[bit] += bytes[bit];
}

FOR_AVX2 static void
bits_add_avx2(int64 *sums, uint64 hash, int64 weight)
{
	const __m256i one = _mm256_set1_epi64x(1);
	__m256i weights = _mm256_set1_epi64x(weight);
	__m256i shifts = _mm256_setr_epi64x(0, 1, 2, 3);
	__m256i hashes = _mm256_set1_epi64x((int64) hash);

	for (int bit = 0; bit < BIT_SUMS; bit += 4)
	{
		__m256i *sum = (__m256i *) (sums + bit);
		__m256i has = _mm256_and_si256(_mm256_srlv_epi64(hashes, shifts), one);
		__m256i minus = _mm256_sub_epi64(has, one);
		__m256i added = _mm256_sub_epi64(_mm256_xor_si256(weights, minus), minus);

		_mm256_storeu_si256(sum, _mm256_add_epi64(_mm256_loadu_si256(sum), added));
		shifts = _mm256_add_epi64(shifts, _mm256_set1_epi64x(4));
	}
}

FOR_AVX512 static void
bits_count_avx512(uint32 *counters, const uint64 *hashes, uint32 count)
{
	const __m512i one = _mm512_set1_epi8(1);
	__m512i counts = _mm512_setzero_si512();
	uint8 bytes[BIT_SUMS];

	for (uint32 i = 0; i < count; i++)
		counts = _mm512_mask_add_epi8(counts, (__mmask64) hashes[i], counts, one);
	_mm512_storeu_si512(bytes, counts);
	for (int bit = 0; bit < BIT_SUMS; bit += 16)
	{
		__m512i wide = _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *) (bytes + bit)));

		_mm512_storeu_si512(counters + bit,
							_mm512_add_epi32(_mm512_loadu_si512(counters + bit), wide));
	}
}

FOR_AVX512 static void
bits_add_avx512(int64 *sums, uint64 hash, int64 weight)
{
	const __m512i weights = _mm512_set1_epi64(weight);
	const __m512i opposite = _mm512_sub_epi64(_mm512_setzero_si512(), weights);

	for (int bit = 0; bit < BIT_SUMS; bit += 8)
	{
		__m512i added = _mm512_mask_blend_epi64((__mmask8) (hash >> bit), opposite, weights);

		_mm512_storeu_si512(sums + bit, _mm512_add_epi64(_mm512_loadu_si512(sums + bit), added));
	}
}

#endif

int
BitSumsKernelsAvailable(BitSumsKernel *kernels)
{
	int count = 0;

	kernels[count++] = (BitSumsKernel){bits_count_portable, bits_add_portable};
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("avx2"))
		kernels[count++] = (BitSumsKernel){bits_count_avx2, bits_add_avx2};
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw"))
		kernels[count++] = (BitSumsKernel){bits_count_avx512, bits_add_avx512};
#endif
	return count;
}

static const BitSumsKernel *
best_kernel(void)
{
	static BitSumsKernel kernels[BIT_SUMS_KERNELS];
	static int available = 0;

	if (available == 0)
		available = BitSumsKernelsAvailable(kernels);
	return &kernels[available - 1];
}

/* Adds to the total; false, with nothing added, if it would overflow. */
static bool
bits_add_total(BitSums *sums, int64 weight)
{
	int64 total;

	if (weight == PG_INT64_MIN ||
		pg_add_s64_overflow(sums->total, weight < 0 ? -weight : weight, &total))
		return false;
	sums->total = total;
	return true;
}

bool
BitSumsAddToken(BitSums *sums, int64 token, int64 weight)
{
	if (!bits_add_total(sums, weight))
		return false;
	best_kernel()->add(sums->sums, TokenHash(token, SIMHASH_SEED), weight);
	return true;
}

void
BitSumsAddTokens(BitSums *sums, const int64 *tokens, uint32 count)
{
	const BitSumsKernel *kernel = best_kernel();
	uint32 counters[BIT_SUMS] = {0};
	uint64 hashes[CHUNK];

	for (uint32 first = 0; first < count; first += CHUNK)
	{
		uint32 length = Min(count - first, CHUNK);

		for (uint32 i = 0; i < length; i++)
			hashes[i] = TokenHash(tokens[first + i], SIMHASH_SEED);
		kernel->count(counters, hashes, length);
	}
	sums->total += count;
	for (int bit = 0; bit < BIT_SUMS; bit++)
		sums->sums[bit] += 2 * (int64) counters[bit] - count;
}

bool
BitSumsAdd(BitSums *sums, const BitSums *added)
{
	if (!bits_add_total(sums, added->total))
		return false;
	for (int bit = 0; bit < BIT_SUMS; bit++)
		sums->sums[bit] += added->sums[bit];
	return true;
}

uint64
BitSumsSigns(const BitSums *sums)
{
	uint64 signs = 0;

	for (int bit = 0; bit < BIT_SUMS; bit++)
		signs |= (uint64) (sums->sums[bit] > 0) << bit;
	return signs;
}
