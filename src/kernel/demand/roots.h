/*
 * roots.h
 *		Which members of a forest are connected: those that have the same root.
 */
#ifndef NEARDUP_KERNEL_ROOTS_H
#define NEARDUP_KERNEL_ROOTS_H

#include "c.h"

/* Returns the root of a member, which is its own parent. Halves the path to it. */
static inline uint32
RootOf(uint32 *parents, uint32 member)
{
	while (parents[member] != member)
	{
		parents[member] = parents[parents[member]];
		member = parents[member];
	}
	return member;
}

#endif
