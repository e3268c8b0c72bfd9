/*
 * host.h
 *		What the kernel asks of the program around it: memory, interrupts, workers.
 *
 * The kernel is C on top of c.h, without executor, memory contexts or error handling. Each host
 * function but release may leave it by a long jump; then the host frees all memory. A leader and
 * its workers see one arena, each at its own address.
 */
#ifndef NEARDUP_KERNEL_HOST_H
#define NEARDUP_KERNEL_HOST_H

/* Arrays are released together, by restoring this struct. */
typedef struct JoinArena
{
	char *base;
	Size size;
	Size used;
	bool is_short; /* an array did not fit; workers cannot see it */
} JoinArena;

struct JoinParticipant;

typedef struct JoinHost
{
	/* Aligned for any type; never NULL. */
	void *(*allocate)(void *context, Size size);
	/* Keeps the elements; also shrinks. */
	void *(*enlarge)(void *context, void *memory, Size old_size, Size size);
	void (*release)(void *context, void *memory, Size size);
	void *context;
	/* Called every few milliseconds; may be NULL. */
	void (*check_interrupts)(void *context);

	void (*share_step)(void *share_context, struct JoinParticipant *self, int step, uint32 units);
	void *share_context;
	uint32 participants; /* this process and its workers */
	uint32 least_unit;	 /* of a step, in tokens or records */
	JoinArena arena;

	/* Allocated now, and at most. */
	Size bytes;
	Size peak_bytes;
	uint64 work; /* since the last check for interrupts */

	/* Progress of the phase; total is 0 if unknown. */
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

/* Checks for interrupts now and then; `work` is in tokens or entries. */
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

/* Ends a stride of a loop over tokens; the caller ticks for the last one. */
#define JOIN_STRIDE (1 << 16)

static inline uint32
JoinStrideEnd(JoinHost *host, uint32 from, uint32 end)
{
	if (likely(end - from <= JOIN_STRIDE))
		return end;
	JoinTick(host, JOIN_STRIDE);
	return from + JOIN_STRIDE;
}

static inline void
JoinStrideTick(JoinHost *host, uint64 i)
{
	if (unlikely(i % JOIN_STRIDE == 0))
		JoinTick(host, JOIN_STRIDE);
}

/* Arrays; of a size that overflows, the host is asked for SIZE_MAX. */
extern void *JoinAllocate(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateZero(JoinHost *host, Size count, Size element_size);

/* Resizes; `memory` may be NULL. */
extern void *JoinEnlarge(JoinHost *host, void *memory, Size old_count, Size new_count,
						 Size element_size);

/* From the arena, if there are workers. */
extern void *JoinAllocateShared(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateSharedZero(JoinHost *host, Size count, Size element_size);

/* Moves an array into the arena, if there are workers. */
extern void *JoinShare(JoinHost *host, void *memory, Size count, Size element_size);

/* In a worker: turns pointers into the leader's arena into its own. */
typedef struct JoinAdoption
{
	const char *leader_base;
	const char *base;
} JoinAdoption;

static inline void
JoinAdopt(JoinAdoption adoption, void *pointer)
{
	const char **memory = pointer;

	if (*memory != NULL)
		*memory = adoption.base + (*memory - adoption.leader_base);
}

/* With the counts of the allocation. */
extern void JoinRelease(JoinHost *host, void *memory, Size count, Size element_size);

#endif
