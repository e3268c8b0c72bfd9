/*
 * bisect.h
 *		Binary search.
 */
#ifndef NEARDUP_BISECT_H
#define NEARDUP_BISECT_H

/*
 * Moves `first`, a number or pointer of the type, to the first place from itself up to `end` for which
 * `is_before` does not hold, an expression of the place `at`. It must hold up to some place, and for
 * none behind that. For example,
 *
 *		BISECT(uint32, first, count, at, sizes[at] < size);
 */
#define BISECT(type, first, end, at, is_before)                                                    \
	do                                                                                             \
	{                                                                                              \
		type bisect_end = (end);                                                                   \
		while ((first) < bisect_end)                                                               \
		{                                                                                          \
			type at = (first) + (bisect_end - (first)) / 2;                                        \
			if (is_before)                                                                         \
				(first) = at + 1;                                                                  \
			else                                                                                   \
				bisect_end = at;                                                                   \
		}                                                                                          \
	} while (0)

#endif
