/*
 * progress.h
 *		Progress of this process's join, in NOTICEs and the view neardup_progress.
 *
 * Joins nest if one reads the pairs of another. The last one begun is reported, so no call names
 * the join.
 */
#ifndef NEARDUP_JOIN_PROGRESS_H
#define NEARDUP_JOIN_PROGRESS_H

#include <signal.h>

#include "join/progress/progress_report.h"
#include "kernel/host.h"

/*
 * Begins reading. The join ends with the context, or when the (sub)transaction aborts. The host and
 * the counts must stay in place until then; only functions of this file read them.
 */
extern void JoinProgressBegin(MemoryContext context, const char *function, JoinHost *host,
							  const uint64 *rows, const uint64 *pairs);

/* Begins a phase of `total` units; 0 if the kernel counts them (host.h). */
extern void JoinProgressPhase(ProgressPhase phase, uint64 total);

/* Counts units of the phase as done. */
extern void JoinProgressAdvance(uint64 units);

/* Begins another pass over the same rows. The time left is known in the last one only. */
extern void JoinProgressPass(int32 pass, bool is_last);

extern volatile sig_atomic_t join_progress_is_due;
extern void JoinProgressReport(void);

/* Call wherever interrupts are checked. */
static inline void
JoinProgressCheck(void)
{
	if (unlikely(join_progress_is_due))
		JoinProgressReport();
}

#endif
