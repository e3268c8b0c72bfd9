/*
 * entry_tape.c
 *		Elements that are written one after the other and then read once in the same order.
 *
 * A tape begins in memory, in an array that doubles. When the set's memory does not allow for that,
 * what the tape has so far goes to a logical tape of PostgreSQL, as does what follows. The logical
 * tapes of a set share one temporary file, and blocks that have been read are used again.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "index/entry_tape.h"

#define FIRST_BYTES 1024

/* An array goes to the file by this many bytes at a time, with a check for interrupts for each. */
#define SPILL_BYTES ((Size) 1 << 20)

void
EntryTapeSetBegin(EntryTapeSet *set, Size memory)
{
	*set = (EntryTapeSet){.memory = memory};
}

void
EntryTapeSetEnd(EntryTapeSet *set)
{
	if (set->files != NULL)
		LogicalTapeSetClose(set->files);
	set->files = NULL;
}

/* Doubles the array of a tape. Returns false, and leaves it as it is, if memory does not suffice. */
static bool
tape_grow(EntryTapeSet *set, EntryTape *tape)
{
	Size more = tape->bytes == NULL ? FIRST_BYTES : tape->capacity;

	if (more > set->memory)
		return false;
	set->memory -= more;
	tape->capacity += more;
	tape->bytes = tape->bytes == NULL ? palloc(more) : repalloc_huge(tape->bytes, tape->capacity);
	return true;
}

/* Moves the elements of a tape to the file. */
static void
tape_spill(EntryTapeSet *set, EntryTape *tape)
{
	if (set->files == NULL)
		set->files = LogicalTapeSetCreate(true, NULL, -1);
	tape->file = LogicalTapeCreate(set->files);
	for (Size at = 0; at < tape->used; at += SPILL_BYTES)
	{
		CHECK_FOR_INTERRUPTS();
		LogicalTapeWrite(tape->file, tape->bytes + at, Min(tape->used - at, SPILL_BYTES));
	}
	if (tape->bytes != NULL)
		pfree(tape->bytes);
	tape->bytes = NULL;
	set->memory += tape->capacity;
}

void
EntryTapePut(EntryTapeSet *set, EntryTape *tape, const void *bytes, uint32 size)
{
	while (tape->file == NULL && tape->capacity - tape->used < sizeof(size) + size)
	{
		if (!tape_grow(set, tape))
			tape_spill(set, tape);
	}
	if (tape->file == NULL)
	{
		memcpy(tape->bytes + tape->used, &size, sizeof(size));
		memcpy(tape->bytes + tape->used + sizeof(size), bytes, size);
		tape->used += sizeof(size) + size;
		return;
	}
	LogicalTapeWrite(tape->file, &size, sizeof(size));
	LogicalTapeWrite(tape->file, unconstify(void *, bytes), size);
}

void
EntryTapeRewind(EntryTape *tape)
{
	if (tape->file != NULL)
		LogicalTapeRewindForRead(tape->file, BLCKSZ);
}

/* Reads the next element of the file. */
static const void *
get_from_file(EntryTape *tape, uint32 *size)
{
	if (LogicalTapeRead(tape->file, size, sizeof(*size)) < sizeof(*size))
		return NULL;
	if (*size > tape->element_room)
	{
		if (tape->element != NULL)
			pfree(tape->element);
		tape->element = palloc(*size);
		tape->element_room = *size;
	}
	if (LogicalTapeRead(tape->file, tape->element, *size) < *size)
		elog(ERROR, "a temporary file of the index is too short");
	return tape->element;
}

const void *
EntryTapeGet(EntryTape *tape, uint32 *size)
{
	const char *element;

	if (tape->file != NULL)
		return get_from_file(tape, size);
	if (tape->next == tape->used)
		return NULL;
	memcpy(size, tape->bytes + tape->next, sizeof(*size));
	element = tape->bytes + tape->next + sizeof(*size);
	tape->next += sizeof(*size) + *size;
	return element;
}
