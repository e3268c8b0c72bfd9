/*
 * veto.h
 *		Values by which two things are never the same: numbers that somebody gave them, such as a DOI.
 *
 * Of each column, a thing has a value or none. Two things that both have a value in a column, and other
 * ones, are parted. Values are compared as they are given, normalized.
 */
#ifndef NEARDUP_LINK_VETO_H
#define NEARDUP_LINK_VETO_H

#include "rows/copies.h"
#include "text/bytes.h"

/* Stands for no value. */
#define VETO_NO_VALUE PG_UINT32_MAX

/* Stands for several ones, each of which parts the thing from all things of other values. */
#define VETO_SEVERAL (PG_UINT32_MAX - 1)

typedef struct Veto
{
	int column_count;
	uint32 thing_count;
	uint32 **values; /* by column, by thing: the number of its value, or VETO_NO_VALUE */

	/* While values are taken, by column: */
	Copies **numbers;
	uint32 *counts;
} Veto;

/* Begins with things that have no values. Allocates in the current memory context. */
extern Veto VetoBegin(int column_count, uint32 thing_count);

/* Gives a thing its value in a column; an empty one is none. */
extern void VetoTake(Veto *veto, int column, uint32 thing, ByteSpan value);

/* Ends taking values. */
extern void VetoEndTaking(Veto *veto);

/* Returns a copy in the current memory context, for things that become one. */
extern Veto VetoCopy(const Veto *veto);

/* Whether two things are parted. */
static inline bool
VetoParts(const Veto *veto, uint32 a, uint32 b)
{
	for (int i = 0; i < veto->column_count; i++)
	{
		uint32 x = veto->values[i][a];
		uint32 y = veto->values[i][b];

		if (x != y && x != VETO_NO_VALUE && y != VETO_NO_VALUE)
			return true;
	}
	return false;
}

/* Gives a thing the values of another one besides its own. */
static inline void
VetoUnite(Veto *veto, uint32 thing, uint32 other)
{
	for (int i = 0; i < veto->column_count; i++)
	{
		uint32 *value = &veto->values[i][thing];
		uint32 of_other = veto->values[i][other];

		if (*value == VETO_NO_VALUE)
			*value = of_other;
		else if (of_other != VETO_NO_VALUE && of_other != *value)
			*value = VETO_SEVERAL;
	}
}

#endif
