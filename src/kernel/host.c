/*
 * host.c
 *		Allocation of the kernel's arrays.
 *
 * The host counts the bytes of all arrays outside the arena, now and at the peak. They bound the
 * memory of a join, and are shown to the user.
 */
#include "c.h"

#include "kernel/host.h"

/* The size of a cache line. */
#define ARENA_ALIGNMENT 64

/* Returns SIZE_MAX if the size overflows. */
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
	return memset(JoinAllocate(host, count, element_size), 0, array_size(count, element_size));
}

void *
JoinEnlarge(JoinHost *host, void *memory, Size old_count, Size new_count, Size element_size)
{
	Size old_size = array_size(old_count, element_size);
	Size size = array_size(new_count, element_size);

	if (memory == NULL)
		return JoinAllocate(host, new_count, element_size);
	memory = host->enlarge(host->context, memory, Max(old_size, 1), Max(size, 1));
	host->bytes += size - old_size;
	host->peak_bytes = Max(host->peak_bytes, host->bytes);
	return memory;
}

void *
JoinAllocateShared(JoinHost *host, Size count, Size element_size)
{
	JoinArena *arena = &host->arena;
	Size size = Max(array_size(count, element_size), 1);
	void *memory;

	if (host->participants <= 1)
		return JoinAllocate(host, count, element_size);
	if (size > arena->size - arena->used)
	{
		arena->is_short = true;
		return JoinAllocate(host, count, element_size);
	}
	memory = arena->base + arena->used;
	arena->used = Min(arena->used + TYPEALIGN(ARENA_ALIGNMENT, size), arena->size);
	return memory;
}

void *
JoinAllocateSharedZero(JoinHost *host, Size count, Size element_size)
{
	return memset(JoinAllocateShared(host, count, element_size), 0,
				  array_size(count, element_size));
}

static bool
is_in_arena(const JoinArena *arena, const void *memory)
{
	return arena->size > 0 && (const char *) memory >= arena->base &&
		   (const char *) memory < arena->base + arena->size;
}

void
JoinRelease(JoinHost *host, void *memory, Size count, Size element_size)
{
	Size size = array_size(count, element_size);

	if (memory == NULL || is_in_arena(&host->arena, memory))
		return;
	host->release(host->context, memory, Max(size, 1));
	host->bytes -= size;
}
