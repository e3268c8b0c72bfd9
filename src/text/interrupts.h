/*
 * interrupts.h
 *		Cancellation of tight loops.
 */
#ifndef NEARDUP_INTERRUPTS_H
#define NEARDUP_INTERRUPTS_H

#include "miscadmin.h"

/* Checks for interrupts once in 65,536 rounds of a loop that counts i by ones. */
#define CHECK_NOW_AND_THEN(i)                                                                      \
	do                                                                                             \
	{                                                                                              \
		if (unlikely(((i) &0xffff) == 0))                                                          \
			CHECK_FOR_INTERRUPTS();                                                                \
	} while (0)

#endif
