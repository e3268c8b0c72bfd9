/*
 * supershingles.c
 *		The keys of super-shingles.
 */
#include "c.h"

#include "sketch/band.h"
#include "sketch/supershingles.h"

#define ST_SORT sort_values
#define ST_ELEMENT_TYPE uint32
#define ST_COMPARE(a, b) (*(a) < *(b) ? -1 : *(a) > *(b))
#define ST_SCOPE static
#define ST_DEFINE
#include "lib/sort_template.h"

void
SupershingleKeys(uint32 *values, uint32 k, uint32 size, uint64 *keys)
{
	sort_values(values, k);
	ToLittleEndian(values, k);
	for (uint32 i = 0; i < SupershingleCount(k, size); i++)
		keys[i] = XXH3_64bits_withSeed(values + i, (size_t) size * sizeof(uint32), 0);
}
