/*
 * hamming_values.c
 *		Collects values in an array that grows by doubling.
 */
#include "c.h"

#include "kernel/hamming/hamming_values.h"

void
HammingValuesInit(HammingValues *values, JoinHost *host)
{
	memset(values, 0, sizeof(*values));
	values->host = host;
}

void
HammingValuesAppend(HammingValues *values, uint64 value)
{
	if (values->count == values->capacity)
	{
		uint32 capacity = Max(values->capacity * 2, HAMMING_INITIAL_VALUES);

		values->values =
			JoinEnlarge(values->host, values->values, values->capacity, capacity, sizeof(uint64));
		values->capacity = capacity;
	}
	values->values[values->count++] = value;
}

void
HammingValuesFree(HammingValues *values)
{
	if (values->values != NULL)
		JoinRelease(values->host, values->values, values->capacity, sizeof(uint64));
	values->values = NULL;
	values->count = values->capacity = 0;
}
