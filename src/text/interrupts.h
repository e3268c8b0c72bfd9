/*
 * interrupts.h
 *		Loops that can be cancelled at hardly any cost.
 */
#ifndef NEARDUP_INTERRUPTS_H
#define NEARDUP_INTERRUPTS_H

#include "miscadmin.h"

/*
 * For a loop that counts i by ones and takes nanoseconds a round: often enough
 * to be cancelled at once, rarely enough to cost nothing.
 */
#define CHECK_NOW_AND_THEN(i)                                                                      \
	do                                                                                             \
	{                                                                                              \
		if (unlikely(((i) &0xffff) == 0))                                                          \
			CHECK_FOR_INTERRUPTS();                                                                \
	} while (0)

#endif
