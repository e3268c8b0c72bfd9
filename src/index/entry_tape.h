/*
 * entry_tape.h
 *		Elements that are written one after the other and then read once in the same order.
 *
 * Tapes of one set share a bound on memory. What it does not hold goes to a temporary file.
 */
#ifndef NEARDUP_INDEX_ENTRY_TAPE_H
#define NEARDUP_INDEX_ENTRY_TAPE_H

#include "utils/logtape.h"

typedef struct EntryTapeSet
{
	Size memory;		   /* bytes that tapes may still take */
	LogicalTapeSet *files; /* NULL as long as all tapes are in memory */
} EntryTapeSet;

/* All zeros if it is empty. */
typedef struct EntryTape
{
	char *bytes; /* elements, each behind its size; NULL if they are in a file */
	Size used;
	Size capacity;
	Size next; /* to be read */

	LogicalTape *file;	 /* NULL if the elements are in memory */
	void *element;		 /* the last one that was read from the file */
	uint32 element_room; /* bytes that are allocated for it */
} EntryTape;

/* Begins a set of tapes, whose memory is in the current context. */
extern void EntryTapeSetBegin(EntryTapeSet *set, Size memory);

/* Removes the file. The memory of the tapes goes with its context. */
extern void EntryTapeSetEnd(EntryTapeSet *set);

/* Appends an element; the bytes are copied. */
extern void EntryTapePut(EntryTapeSet *set, EntryTape *tape, const void *bytes, uint32 size);

/* To be called once, between the last EntryTapePut and the first EntryTapeGet. */
extern void EntryTapeRewind(EntryTape *tape);

/*
 * Returns the bytes of the next element and their number, or NULL after the last one. They are
 * valid until the next call for the tape, and may be unaligned.
 */
extern const void *EntryTapeGet(EntryTape *tape, uint32 *size);

#endif
