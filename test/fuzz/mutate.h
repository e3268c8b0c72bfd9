/*
 * mutate.h
 *		Random damage to the bytes of a value.
 */
#ifndef NEARDUP_FUZZ_MUTATE_H
#define NEARDUP_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 16384

typedef struct Bytes
{
	int length;
	char data[MOST_BYTES + 1];
} Bytes;

/* Xorshift (Marsaglia); the state is not 0. */
typedef struct Random
{
	uint64_t state;
} Random;

static inline uint64_t
next_number(Random *random)
{
	random->state ^= random->state << 13;
	random->state ^= random->state >> 7;
	random->state ^= random->state << 17;
	return random->state * UINT64_C(2685821657736338717) >> 11;
}

static inline int
below(Random *random, int n)
{
	return (int) (next_number(random) % (uint64_t) n);
}

static inline Random
seeded(uint64_t seed)
{
	Random random = {(seed + 1) * UINT64_C(0x9e3779b97f4a7c15)};

	next_number(&random);
	return random;
}

/* Puts length bytes in the place of as many as removed from at on, as far as there is room. */
static inline void
replace(Bytes *bytes, int at, int removed, const char *data, int length)
{
	if (bytes->length - removed + length > MOST_BYTES)
		length = MOST_BYTES - (bytes->length - removed);
	memmove(bytes->data + at + length, bytes->data + at + removed,
			(size_t) (bytes->length - at - removed));
	memmove(bytes->data + at, data, (size_t) length);
	bytes->length += length - removed;
}

/* Counts, sizes and tokens at the edge of what they may be. */
static inline uint64_t
edge_number(Random *random)
{
	static const uint64_t edges[] = {0,
									 1,
									 2,
									 3,
									 64,
									 65,
									 127,
									 128,
									 255,
									 256,
									 16384,
									 16385,
									 0x7fff,
									 0xffff,
									 0x01ffffff,
									 0x07fffffe,
									 0x07ffffff,
									 0x08000000,
									 0x0fffffff,
									 0x10000000,
									 0x1fffffff,
									 0x20000000,
									 0x3fffffff,
									 0x40000000,
									 0x7ffffffe,
									 0x7fffffff,
									 0x80000000,
									 0xfffffffe,
									 0xffffffff,
									 UINT64_MAX,
									 INT64_MAX,
									 UINT64_C(1) << 63,
									 UINT64_C(1) << 32};

	return edges[below(random, (int) (sizeof edges / sizeof *edges))];
}

static inline void
mutate_bytes(Random *random, Bytes *bytes)
{
	int at = below(random, bytes->length + 1);
	int rest = bytes->length - at;
	int some = rest == 0 ? 0 : 1 + below(random, rest < 32 ? rest : 32);
	char copy[32];
	char number[8];
	uint64_t value = edge_number(random);
	int width = (int[]){1, 2, 4, 4, 8, 8}[below(random, 6)];

	switch (below(random, 9))
	{
		case 0:
			if (rest > 0)
				bytes->data[at] ^= (char) (1 << below(random, 8));
			break;
		case 1:
			if (rest > 0)
				bytes->data[at] = (char) below(random, 256);
			break;
		case 2: /* cut */
			bytes->length = at;
			break;
		case 3:
			replace(bytes, at, some, "", 0);
			break;
		case 4: /* repeat */
			memcpy(copy, bytes->data + at, (size_t) some);
			replace(bytes, at, 0, copy, some);
			break;
		case 5: /* swap neighbours */
			width = some / 2;
			memcpy(copy, bytes->data + at, (size_t) width);
			memmove(bytes->data + at, bytes->data + at + width, (size_t) width);
			memcpy(bytes->data + at + width, copy, (size_t) width);
			break;
		case 6:
			memset(bytes->data + at, below(random, 2) - 1, (size_t) some);
			break;
		default: /* a number, in network order, most often where fields are */
			if (below(random, 2) == 0)
				at = below(random, bytes->length < 24 ? bytes->length + 1 : 24);
			if (below(random, 4) == 0)
				value = (uint64_t) (bytes->length / (1 + below(random, 16))) +
						(uint64_t) below(random, 3) - 1;
			for (int i = 0; i < width; i++)
				number[i] = (char) (value >> 8 * (width - 1 - i));
			replace(bytes, at, width < bytes->length - at ? width : bytes->length - at, number,
					width);
	}
}

static inline void
mutate_text(Random *random, Bytes *bytes)
{
	static const char *const pieces[] = {"{",
										 "}",
										 "(",
										 ")",
										 ",",
										 ":",
										 "<",
										 ">",
										 "=",
										 ">=",
										 " ",
										 "\t",
										 "\n",
										 ".",
										 "+",
										 "-",
										 "*",
										 "\"",
										 "'",
										 "\\",
										 "0",
										 "1",
										 "9",
										 "00",
										 "x",
										 "X",
										 "e",
										 "E",
										 "NaN",
										 "nan",
										 "Infinity",
										 "-0",
										 "1e999",
										 "1e-999",
										 "0x1f",
										 "9223372036854775807",
										 "9223372036854775808",
										 "-9223372036854775808",
										 "-9223372036854775809",
										 "18446744073709551615",
										 "4294967295",
										 "4294967296",
										 "2147483647",
										 "-2147483648",
										 "16384",
										 "16385",
										 "99999999999999999999999999999999999999999",
										 "0.5",
										 "1.0000000000000001",
										 "0.00000000000000000001",
										 "{}",
										 "k=",
										 "bits=",
										 "seed=",
										 "neardup",
										 "datasketch-legacy",
										 "datasketch-affine32",
										 "jaccard",
										 "cosine",
										 "overlap",
										 "hamming",
										 "containment",
										 "idf_jaccard",
										 "{*:1.5}",
										 "*:",
										 "ffffffffffffffff",
										 "\xc3\xa9",
										 "\xe4\xba\xac",
										 "\xcc\x81",
										 "\xf0\x9f\x98\x80",
										 "\xef\xbf\xbf",
										 "\xe0\xb8\x81",
										 "&amp;",
										 "&#x110000;",
										 "&#38;",
										 "<a href=\"",
										 "</",
										 "<!--",
										 "-->",
										 "<![CDATA["};
	const char *piece = pieces[below(random, (int) (sizeof pieces / sizeof *pieces))];
	int at = below(random, bytes->length + 1);
	int rest = bytes->length - at;
	int digits = 0;

	switch (below(random, 5))
	{
		case 0:
			mutate_bytes(random, bytes);
			break;
		case 1: /* in the place of a number */
			while (at > 0 && bytes->data[at - 1] >= '0' && bytes->data[at - 1] <= '9')
				at--;
			while (at + digits < bytes->length && bytes->data[at + digits] >= '0' &&
				   bytes->data[at + digits] <= '9')
				digits++;
			replace(bytes, at, digits, piece, (int) strlen(piece));
			break;
		case 2:
			for (int i = below(random, 20); i >= 0; i--)
				replace(bytes, at, 0, piece, (int) strlen(piece));
			break;
		default:
			replace(bytes, at, rest > 0 ? below(random, 2) : 0, piece, (int) strlen(piece));
	}
}

/* One value of many, mutated a few times, or spliced with another, or no value at all. */
static inline void
mutated(Random *random, const Bytes *values, int count, bool is_text, Bytes *result)
{
	const Bytes *other = &values[below(random, count)];
	int from = below(random, other->length + 1);
	int to;

	*result = values[below(random, count)];
	if (below(random, 8) == 0)
	{
		to = below(random, result->length + 1);
		replace(result, to, result->length - to, other->data + from, other->length - from);
	}
	if (below(random, 50) == 0)
	{
		result->length = below(random, 64);
		for (int i = 0; i < result->length; i++)
			result->data[i] = (char) (is_text ? 32 + below(random, 95) : below(random, 256));
	}
	/* Some stay as they are. */
	for (int i = below(random, 5); i > 0; i--)
		(is_text ? mutate_text : mutate_bytes)(random, result);
}

#endif
