/*
 * rank_sort.c
 *		Sorting the ranks of sets by a bitonic network (Batcher 1968).
 *
 * A sorting network compares and exchanges values at fixed pairs of places. No step depends on the
 * values, so there is no branch to mispredict, and the processor overlaps steps and sets.
 *
 * A set is loaded into registers of sixteen ranks, filled up with the greatest number. Each
 * register is sorted by itself. Then sorted runs are merged two by two: the second run is reversed,
 * which makes a bitonic sequence of both (one that ascends and then descends), and a bitonic
 * sequence is sorted by exchanging values at half its length, then at a quarter, and so on.
 */
#include "c.h"

#include "kernel/records/rank_sort.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>
#endif

#ifdef HAVE_X86_VARIANTS

#define FOR_AVX512 __attribute__((target("avx512f")))
#define FOR_AVX512_INLINE static inline __attribute__((target("avx512f"), always_inline))

#define LANES 16
#define MOST_VECTORS (RANK_SORT_MOST / LANES)

/* Masks of the lanes whose number has this bit. */
#define WITH_1 0xAAAA
#define WITH_2 0xCCCC
#define WITH_4 0xF0F0
#define WITH_8 0xFF00

/* Returns v with lane i ^ difference in lane i. */
FOR_AVX512_INLINE __m512i
permute(__m512i v, int difference)
{
	const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);

	return _mm512_permutexvar_epi32(_mm512_xor_si512(lanes, _mm512_set1_epi32(difference)), v);
}

/* Compares lanes i and i ^ difference. Of the two, the one in `greater` gets the greater value. */
FOR_AVX512_INLINE __m512i
exchange(__m512i v, int difference, __mmask16 greater)
{
	__m512i other = permute(v, difference);

	return _mm512_mask_max_epu32(_mm512_min_epu32(v, other), greater, v, other);
}

/* Sorts the lanes, which are a bitonic sequence. */
FOR_AVX512_INLINE __m512i
merge_lanes(__m512i v)
{
	v = exchange(v, 8, WITH_8);
	v = exchange(v, 4, WITH_4);
	v = exchange(v, 2, WITH_2);
	return exchange(v, 1, WITH_1);
}

FOR_AVX512_INLINE __m512i
sort_lanes(__m512i v)
{
	v = exchange(v, 1, WITH_1);
	v = exchange(v, 3, WITH_2);
	v = exchange(v, 1, WITH_1);
	v = exchange(v, 7, WITH_4);
	v = exchange(v, 2, WITH_2);
	v = exchange(v, 1, WITH_1);
	v = exchange(v, 15, WITH_8);
	v = exchange(v, 4, WITH_4);
	v = exchange(v, 2, WITH_2);
	return exchange(v, 1, WITH_1);
}

/* Exchanges the values of each lane so that the lesser one is in a. */
FOR_AVX512_INLINE void
exchange_vectors(__m512i *a, __m512i *b)
{
	__m512i least = _mm512_min_epu32(*a, *b);

	*b = _mm512_max_epu32(*a, *b);
	*a = least;
}

/* Sorts vectors that are a bitonic sequence; count is a power of two. */
FOR_AVX512_INLINE void
merge_vectors(__m512i *v, int count)
{
	for (int distance = count / 2; distance > 0; distance /= 2)
	{
		for (int i = 0; i < count; i++)
		{
			if ((i & distance) == 0)
				exchange_vectors(&v[i], &v[i + distance]);
		}
	}
	for (int i = 0; i < count; i++)
		v[i] = merge_lanes(v[i]);
}

/* Merges two sorted sequences of count vectors. */
FOR_AVX512_INLINE void
merge_sorted(__m512i *v, int count)
{
	__m512i *second = v + count;
	__m512i reversed[MOST_VECTORS / 2];

	for (int i = 0; i < count; i++)
		reversed[i] = permute(second[count - 1 - i], LANES - 1);
	for (int i = 0; i < count; i++)
	{
		second[i] = _mm512_max_epu32(v[i], reversed[i]);
		v[i] = _mm512_min_epu32(v[i], reversed[i]);
	}
	merge_vectors(v, count);
	merge_vectors(second, count);
}

/* Loads the ranks of a set into vectors, filled up with the greatest number. */
FOR_AVX512_INLINE void
look_up(const uint32 *rank_of_id, const uint32 *ids, const __mmask16 *present, __m512i *v,
		int vectors)
{
	for (int i = 0; i < vectors; i++)
	{
		__m512i some = _mm512_maskz_loadu_epi32(present[i], ids + i * LANES);

		v[i] = _mm512_mask_i32gather_epi32(_mm512_set1_epi32(-1), present[i], some, rank_of_id,
										   sizeof(uint32));
	}
}

/* Sorts a set; `vectors` is a power of two. */
FOR_AVX512_INLINE void
sort_vectors(__m512i *v, int vectors)
{
	for (int i = 0; i < vectors; i++)
		v[i] = sort_lanes(v[i]);
	for (int sorted = 1; sorted < vectors; sorted *= 2)
	{
		for (int i = 0; i < vectors; i += 2 * sorted)
			merge_sorted(v + i, sorted);
	}
}

/* Loads the next set before it stores this one, since the masked store would stall the load. */
FOR_AVX512_INLINE void
sort_sets(const uint32 *rank_of_id, uint32 *sets, uint32 set_count, uint32 size, int vectors)
{
	__m512i v[MOST_VECTORS];
	__m512i next[MOST_VECTORS];
	__mmask16 present[MOST_VECTORS];

	for (int i = 0; i < vectors; i++)
	{
		int left = (int) size - i * LANES;

		present[i] = left >= LANES ? 0xFFFF : left > 0 ? (__mmask16) ((1u << left) - 1) : 0;
	}
	look_up(rank_of_id, sets, present, next, vectors);
	for (uint32 set = 0; set < set_count; set++)
	{
		for (int i = 0; i < vectors; i++)
			v[i] = next[i];
		look_up(rank_of_id, sets + (uint64) Min(set + 1, set_count - 1) * size, present, next,
				vectors);
		sort_vectors(v, vectors);
		for (int i = 0; i < vectors; i++)
			_mm512_mask_storeu_epi32(sets + (uint64) set * size + i * LANES, present[i], v[i]);
	}
}

FOR_AVX512 static void
sort_avx512(const uint32 *rank_of_id, uint32 *sets, uint32 set_count, uint32 size)
{
	if (size <= LANES)
		sort_sets(rank_of_id, sets, set_count, size, 1);
	else if (size <= 2 * LANES)
		sort_sets(rank_of_id, sets, set_count, size, 2);
	else if (size <= 4 * LANES)
		sort_sets(rank_of_id, sets, set_count, size, 4);
	else
		sort_sets(rank_of_id, sets, set_count, size, MOST_VECTORS);
}

#endif

RankSort
RankSortBest(void)
{
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("avx512f"))
		return sort_avx512;
#endif
	return NULL;
}
