/*
 * host.c
 *		Counted memory for the join kernel.
 *
 * Every array of the kernel comes from here, so that the peak that
 * ppjoin_stats reports leaves nothing out.
 */
#include "c.h"

#include "join/kernel/host.h"

/* Bytes set between two checks for interrupts. */
#define SET_STRIDE ((Size) 4 << 20)

static Size
array_size(Size count, Size element_size)
{
	if (element_size != 0 && count > SIZE_MAX / element_size)
		return SIZE_MAX;
	return count * element_size;
}

void *
JoinAllocate(JoinHost *host, Size count, Size element_size)
{
	Size size = array_size(count, element_size);
	void *memory = host->allocate(host->context, Max(size, 1));

	host->bytes += size;
	host->peak_bytes = Max(host->peak_bytes, host->bytes);
	return memory;
}

void *
JoinAllocateZero(JoinHost *host, Size count, Size element_size)
{
	void *memory = JoinAllocate(host, count, element_size);
	Size size = array_size(count, element_size);

	for (Size done = 0; done < size; done += SET_STRIDE)
	{
		memset((char *) memory + done, 0, Min(size - done, SET_STRIDE));
		JoinCheckInterrupts(host);
	}
	return memory;
}

void *
JoinEnlarge(JoinHost *host, void *memory, Size old_count, Size new_count, Size element_size)
{
	Size size = array_size(new_count, element_size);

	if (memory == NULL)
		return JoinAllocate(host, new_count, element_size);
	memory = host->enlarge(host->context, memory, size);
	host->bytes += size - array_size(old_count, element_size);
	host->peak_bytes = Max(host->peak_bytes, host->bytes);
	return memory;
}

void
JoinRelease(JoinHost *host, void *memory, Size count, Size element_size)
{
	if (memory == NULL)
		return;
	host->release(host->context, memory);
	host->bytes -= array_size(count, element_size);
}
