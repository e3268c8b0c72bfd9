/*
 * host.h
 *		What the join kernel asks of the program around it: memory, and a
 *		chance to stop.
 *
 * The kernel is C on top of c.h: no executor, no memory contexts, no error
 * handling of its own. Whoever runs it supplies these functions. allocate,
 * enlarge, check_interrupts and share_step may leave the kernel by a long jump;
 * then the host frees what allocate returned (in PostgreSQL: resets the context).
 *
 * A host may have others help: processes that see one range of memory, the
 * arena, each at an address of its own.
 */
#ifndef NEARDUP_JOIN_HOST_H
#define NEARDUP_JOIN_HOST_H

/*
 * Memory from which arrays are taken one after the other. They are given back
 * together, by setting the arena to what it was.
 */
typedef struct JoinArena
{
	char *base;
	Size size;
	Size used;
	bool is_short; /* it had no room for an array, which those who help cannot see */
} JoinArena;

struct JoinWorker;

typedef struct JoinHost
{
	/* At least size bytes aligned for any type, or no return. */
	void *(*allocate)(void *context, Size size);
	/* What allocate returned for old_size bytes, with more room or less; the rest as allocate. */
	void *(*enlarge)(void *context, void *memory, Size old_size, Size size);
	void (*release)(void *context, void *memory, Size size);
	void *context;
	/* Called at least every few milliseconds; may be NULL. */
	void (*check_interrupts)(void *context);

	/* Shares the units of a step with those who help (step.h), if there are any. */
	void (*share_step)(void *context, struct JoinWorker *self, int step, uint32 units);
	uint32 participants; /* this process and those who help now; at most 1 if there are none */
	uint32 least_unit;	 /* tokens or records that are worth a unit of their own */
	JoinArena arena;	 /* with no bytes if there never were any */

	/* Kept by the kernel: bytes that it holds, the most that it held. */
	Size bytes;
	Size peak_bytes;
	uint64 work; /* since the last check for interrupts */

	/*
	 * Units of the present phase that are done, and all of them: for the host to
	 * read when interrupts are checked, and to set to 0. total is 0 where it is not known.
	 */
	uint64 done;
	uint64 total;
} JoinHost;

#define JOIN_WORK_BETWEEN_CHECKS (1 << 18)

static inline void
JoinCheckInterrupts(JoinHost *host)
{
	if (host->check_interrupts)
		host->check_interrupts(host->context);
}

/*
 * For loops whose steps are short: counts work, in tokens or entries looked
 * at, and checks once in a while, a few milliseconds apart.
 */
static inline void
JoinTick(JoinHost *host, uint64 work)
{
	host->work += work;
	if (unlikely(host->work >= JOIN_WORK_BETWEEN_CHECKS))
	{
		host->work = 0;
		JoinCheckInterrupts(host);
	}
}

/*
 * For loops over the tokens of one record, where even a tick for each would
 * cost as much as what is done: the end of a stride that begins at from. There
 * is a tick for each stride but the last, which is the caller's, with the record.
 */
#define JOIN_STRIDE (1 << 16)

static inline uint32
JoinStrideEnd(JoinHost *host, uint32 from, uint32 end)
{
	if (likely(end - from <= JOIN_STRIDE))
		return end;
	JoinTick(host, JOIN_STRIDE);
	return from + JOIN_STRIDE;
}

/* The same for a loop that counts i by ones from 0. */
static inline void
JoinStrideTick(JoinHost *host, uint64 i)
{
	if (unlikely(i % JOIN_STRIDE == 0))
		JoinTick(host, JOIN_STRIDE);
}

/* Memory for count elements; a size that overflows is asked for as SIZE_MAX, which no host has. */
extern void *JoinAllocate(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateZero(JoinHost *host, Size count, Size element_size);

/* An array of another size with the same first elements; the old one, which may be NULL, is gone. */
extern void *JoinEnlarge(JoinHost *host, void *memory, Size old_count, Size new_count,
						 Size element_size);

/* For what those who help must see: from the arena, if there are any. */
extern void *JoinAllocateShared(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateSharedZero(JoinHost *host, Size count, Size element_size);

/* The array, or what takes its place, for those who help to see. */
extern void *JoinShare(JoinHost *host, void *memory, Size count, Size element_size);

/* The counts must be those that it was allocated with. NULL is let pass. */
extern void JoinRelease(JoinHost *host, void *memory, Size count, Size element_size);

#endif
