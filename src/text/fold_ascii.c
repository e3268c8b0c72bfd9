/*
 * fold_ascii.c
 *		Folds ASCII, byte by byte or in vectors of 64 bytes.
 *
 * Most texts are mostly ASCII, so this loop decides how fast words are made. Neither variant
 * branches on a character. The portable one writes each blank, and lets the next character
 * overwrite it if it followed another blank. AVX-512 computes, for 64 bytes at once, a mask of
 * those that remain, and compresses the vector by it in one instruction.
 */
#include "c.h"

#include "text/fold_ascii.h"

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define HAVE_X86_VARIANTS
#include <immintrin.h>

#define FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")))
#define LANES 64
#endif

const uint8 ascii_folded[128] = {
	['0'] = '0', ['1'] = '1', ['2'] = '2', ['3'] = '3', ['4'] = '4', ['5'] = '5', ['6'] = '6',
	['7'] = '7', ['8'] = '8', ['9'] = '9', ['A'] = 'a', ['B'] = 'b', ['C'] = 'c', ['D'] = 'd',
	['E'] = 'e', ['F'] = 'f', ['G'] = 'g', ['H'] = 'h', ['I'] = 'i', ['J'] = 'j', ['K'] = 'k',
	['L'] = 'l', ['M'] = 'm', ['N'] = 'n', ['O'] = 'o', ['P'] = 'p', ['Q'] = 'q', ['R'] = 'r',
	['S'] = 's', ['T'] = 't', ['U'] = 'u', ['V'] = 'v', ['W'] = 'w', ['X'] = 'x', ['Y'] = 'y',
	['Z'] = 'z', ['a'] = 'a', ['b'] = 'b', ['c'] = 'c', ['d'] = 'd', ['e'] = 'e', ['f'] = 'f',
	['g'] = 'g', ['h'] = 'h', ['i'] = 'i', ['j'] = 'j', ['k'] = 'k', ['l'] = 'l', ['m'] = 'm',
	['n'] = 'n', ['o'] = 'o', ['p'] = 'p', ['q'] = 'q', ['r'] = 'r', ['s'] = 's', ['t'] = 't',
	['u'] = 'u', ['v'] = 'v', ['w'] = 'w', ['x'] = 'x', ['y'] = 'y', ['z'] = 'z',
};

/* Writes every character, but moves on only past those that remain. */
static char *
fold_portable(char *out, const uint8 *p, const uint8 *end, bool *after_blank)
{
	bool previous = *after_blank;

	for (; p < end; p++)
	{
		uint8 folded = ascii_folded[*p];
		bool blank = folded == 0;

		*out = blank ? ' ' : folded;
		out += !(blank & previous);
		previous = blank;
	}
	*after_blank = previous;
	return out;
}

#ifdef HAVE_X86_VARIANTS

/* Returns the lanes whose byte is one of the `count` bytes from `first` on. */
FOR_AVX512 static inline __mmask64
lanes_between(__m512i bytes, char first, int count)
{
	return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(bytes, _mm512_set1_epi8(first)),
								  _mm512_set1_epi8((char) count));
}

/*
 * In the masks, a bit is 1 where the lane's byte is part of a word. What remains is these lanes and
 * the lane right behind each, which is the blank that ends a word; the bit for the first lane comes
 * from the vector before.
 */
FOR_AVX512 static char *
fold_avx512(char *out, const uint8 *p, const uint8 *end, bool *after_blank)
{
	__m512i blanks = _mm512_set1_epi8(' ');
	bool previous = *after_blank;

	while (p < end)
	{
		Size count = Min(end - p, LANES);
		__mmask64 lanes = count == LANES ? ~UINT64CONST(0) : (UINT64CONST(1) << count) - 1;
		__m512i bytes = _mm512_maskz_loadu_epi8(lanes, p);
		__m512i lower = _mm512_or_si512(bytes, blanks);
		__mmask64 letters = lanes_between(lower, 'a', 26);
		__mmask64 words = letters | lanes_between(bytes, '0', 10);
		__m512i folded =
			_mm512_mask_mov_epi8(_mm512_mask_mov_epi8(blanks, words, bytes), letters, lower);
		__mmask64 kept = (words | words << 1 | !previous) & lanes;

		_mm512_storeu_si512(out, _mm512_maskz_compress_epi8(kept, folded));
		out += _mm_popcnt_u64(kept);
		previous = !(words >> (count - 1) & 1);
		p += count;
	}
	*after_blank = previous;
	return out;
}

#endif

int
FoldAsciiAvailable(FoldAscii *variants)
{
	int count = 0;

	variants[count++] = fold_portable;
#ifdef HAVE_X86_VARIANTS
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2"))
		variants[count++] = fold_avx512;
#endif
	return count;
}

FoldAscii
FoldAsciiBest(void)
{
	static FoldAscii best = NULL;
	static FoldAscii variants[FOLD_ASCII_VARIANTS];

	if (best == NULL)
		best = variants[FoldAsciiAvailable(variants) - 1];
	return best;
}
