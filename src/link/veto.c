/*
 * veto.c
 *		Numbering the values that part things.
 */
#include "postgres.h"

#include "allocate.h"
#include "link/veto.h"

Veto
VetoBegin(int column_count, uint32 thing_count)
{
	Veto veto = {.column_count = column_count, .thing_count = thing_count};

	veto.values = AllocateArray(column_count, sizeof(uint32 *));
	veto.numbers = AllocateArray(column_count, sizeof(Copies *));
	veto.counts = AllocateArray(column_count, sizeof(uint32));
	for (int i = 0; i < column_count; i++)
	{
		veto.values[i] = AllocateArray(thing_count, sizeof(uint32));
		memset(veto.values[i], 0xFF, thing_count * sizeof(uint32));
		veto.numbers[i] = CopiesCreate(CurrentMemoryContext);
		veto.counts[i] = 0;
	}
	return veto;
}

void
VetoTake(Veto *veto, int column, uint32 thing, ByteSpan value)
{
	uint32 number;

	if (value.length == 0)
		return;
	number = CopiesFirst(veto->numbers[column], value.data, value.length, veto->counts[column]);
	veto->counts[column] += number == veto->counts[column];
	veto->values[column][thing] = number;
}

void
VetoEndTaking(Veto *veto)
{
	for (int i = 0; i < veto->column_count; i++)
		CopiesFree(veto->numbers[i]);
}

Veto
VetoCopy(const Veto *veto)
{
	Veto copy = {.column_count = veto->column_count, .thing_count = veto->thing_count};

	copy.values = AllocateArray(veto->column_count, sizeof(uint32 *));
	for (int i = 0; i < veto->column_count; i++)
	{
		copy.values[i] = AllocateArray(veto->thing_count, sizeof(uint32));
		memcpy(copy.values[i], veto->values[i], veto->thing_count * sizeof(uint32));
	}
	return copy;
}
