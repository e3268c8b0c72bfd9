/*
 * host.h
 *		What the kernel needs from the program around it: memory, temporary files, interrupts, workers.
 *
 * The kernel is C on top of c.h alone, so that it can run in a test without a server. A host is a
 * set of functions that it calls instead. PostgreSQL is the host in join/process.c, where arrays
 * are in a memory context and an interrupt can be an error. All functions except release may
 * therefore leave the kernel by a long jump; the host then frees all memory.
 *
 * The kernel counts its work in tokens or entries (JoinTick). Every so often it calls
 * check_interrupts, which lets users cancel, and shows progress. It may also end finding pairs early:
 * engines look at is_stopped once a record, and return.
 *
 * Where a join has workers, arrays that they need are in the arena: a memory that all processes
 * see, each at an address of its own. Arrays are cut from its beginning to its end, and none is
 * freed by itself. Which arrays these are follows from who allocates: JoinAllocateShared takes from
 * the arena if there are workers. If the arena is full, the array is allocated as any other; the
 * workers then cannot see it, so the leader does all further steps alone (is_short).
 */
#ifndef NEARDUP_KERNEL_HOST_H
#define NEARDUP_KERNEL_HOST_H

/* Restoring an earlier copy of the struct releases the arrays that were allocated since. */
typedef struct JoinArena
{
	char *base;
	Size size;
	Size used;
	bool is_short; /* an array did not fit, so that workers lack it */
} JoinArena;

/* Bytes of a page of a temporary file. */
#define JOIN_FILE_PAGE Max(BLCKSZ, 8192)

/*
 * Temporary files: each is a sequence of pages. They end with the transaction at the latest.
 */
typedef struct JoinFiles
{
	void *(*create)(void *context);
	/* Writes a page after those of the file, whose number is `number`. */
	void (*write)(void *file, uint64 number, const void *page);
	void (*read)(void *file, uint64 number, void *page);
	void (*close)(void *file);
	void *context;
} JoinFiles;

struct JoinParticipant;

typedef struct JoinHost
{
	/* Returns memory that is aligned for any type, never NULL. */
	void *(*allocate)(void *context, Size size);
	/* Returns the memory with another size, larger or smaller, perhaps at another place. */
	void *(*enlarge)(void *context, void *memory, Size old_size, Size size);
	void (*release)(void *context, void *memory, Size size);
	void *context;
	JoinFiles files;
	/* May be NULL. */
	void (*check_interrupts)(void *context);

	/*
	 * Does all units of a step (engine.h) together with the workers. Only called if there are any.
	 */
	void (*share_step)(void *share_context, struct JoinParticipant *self, int step, uint32 units);
	void *share_context;
	uint32 participants; /* workers, and this process */
	uint32 least_unit;	 /* tokens or records that make a unit worth sharing */
	JoinArena arena;

	Size bytes; /* bytes that arrays have now, without the arena's */
	Size peak_bytes;
	uint64 work; /* since the last check for interrupts */

	bool is_stopped; /* no more pairs are wanted */

	/* How much of the present phase is done, in units that the phase chooses. */
	uint64 done;
	uint64 total; /* 0 if it is not known */
} JoinHost;

#define JOIN_WORK_BETWEEN_CHECKS (1 << 18)

/*
 * Counts work, in tokens or entries, and checks for interrupts when there was enough of it. A loop
 * over records or entries ticks in each round, with the tokens that the round reads; what a function
 * does with the tokens of one record it counts at once.
 */
static inline void
JoinTick(JoinHost *host, uint64 work)
{
	host->work += work;
	if (unlikely(host->work >= JOIN_WORK_BETWEEN_CHECKS))
	{
		host->work = 0;
		if (host->check_interrupts)
			host->check_interrupts(host->context);
	}
}

/*
 * Allocates an array; the host raises an error if there is no memory. If the size overflows, the
 * host is asked for SIZE_MAX bytes.
 */
extern void *JoinAllocate(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateZero(JoinHost *host, Size count, Size element_size);

/* Makes an array larger or smaller, and returns where it is now. `memory` may be NULL. */
extern void *JoinEnlarge(JoinHost *host, void *memory, Size old_count, Size new_count,
						 Size element_size);

/*
 * Ensures room for one more element: doubles the array when it is full. It begins as NULL, with a
 * capacity of 0.
 */
#define JOIN_MAKE_ROOM(host, array, count, capacity)                                               \
	do                                                                                             \
	{                                                                                              \
		if ((count) == (capacity))                                                                 \
		{                                                                                          \
			Size larger = Max((Size) (capacity) *2, 16);                                           \
                                                                                                   \
			(array) = JoinEnlarge(host, array, capacity, larger, sizeof(*(array)));                \
			(capacity) = larger;                                                                   \
		}                                                                                          \
	} while (0)

/* Allocates an array that workers can see: in the arena if there are workers. */
extern void *JoinAllocateShared(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateSharedZero(JoinHost *host, Size count, Size element_size);

/* Where the leader and this worker have mapped the arena. */
typedef struct JoinAdoption
{
	const char *leader_base;
	const char *base;
} JoinAdoption;

/*
 * Turns a pointer into the arena, copied from the leader, into this worker's. `pointer` is the
 * address of the pointer, which may be NULL.
 */
static inline void
JoinAdopt(JoinAdoption adoption, void *pointer)
{
	const char **memory = pointer;

	if (*memory != NULL)
		*memory = adoption.base + (*memory - adoption.leader_base);
}

/*
 * Frees an array, given the number of elements that it was allocated with. `memory` may be NULL.
 * An array of the arena stays there.
 */
extern void JoinRelease(JoinHost *host, void *memory, Size count, Size element_size);

#endif
