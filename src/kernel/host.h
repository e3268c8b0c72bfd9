/*
 * host.h
 *		Memory, interrupts and workers, from the program around the kernel.
 *
 * The kernel needs c.h only. Host functions except release may long-jump out of it; the host then
 * frees all memory. Each process maps the arena at its own address.
 */
#ifndef NEARDUP_KERNEL_HOST_H
#define NEARDUP_KERNEL_HOST_H

/* Restoring the struct releases its arrays. */
typedef struct JoinArena
{
	char *base;
	Size size;
	Size used;
	bool is_short; /* an array did not fit */
} JoinArena;

struct JoinParticipant;

typedef struct JoinHost
{
	/* Aligned for any type; never NULL. */
	void *(*allocate)(void *context, Size size);
	/* Also shrinks. */
	void *(*enlarge)(void *context, void *memory, Size old_size, Size size);
	void (*release)(void *context, void *memory, Size size);
	void *context;
	/* May be NULL. */
	void (*check_interrupts)(void *context);

	void (*share_step)(void *share_context, struct JoinParticipant *self, int step, uint32 units);
	void *share_context;
	uint32 participants; /* with this process */
	uint32 least_unit;	 /* in tokens or records */
	JoinArena arena;

	Size bytes;
	Size peak_bytes;
	uint64 work; /* since the last check */

	uint64 done;  /* progress of the phase */
	uint64 total; /* 0 if unknown */
} JoinHost;

#define JOIN_WORK_BETWEEN_CHECKS (1 << 18)

static inline void
JoinCheckInterrupts(JoinHost *host)
{
	if (host->check_interrupts)
		host->check_interrupts(host->context);
}

/* `work` is in tokens or entries. */
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

/* The caller ticks for the last stride. */
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

/* SIZE_MAX bytes on overflow. */
extern void *JoinAllocate(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateZero(JoinHost *host, Size count, Size element_size);

/* `memory` may be NULL. */
extern void *JoinEnlarge(JoinHost *host, void *memory, Size old_count, Size new_count,
						 Size element_size);

/* In the arena, with workers. */
extern void *JoinAllocateShared(JoinHost *host, Size count, Size element_size);
extern void *JoinAllocateSharedZero(JoinHost *host, Size count, Size element_size);

/* Turns pointers of the leader into a worker's. */
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

/* `count` is the allocation's; arrays of the arena stay. */
extern void JoinRelease(JoinHost *host, void *memory, Size count, Size element_size);

#endif
