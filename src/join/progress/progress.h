/*
 * progress.h
 *		How far the join of this process is: NOTICEs, and the view neardup_progress.
 *
 * A process has at most one join under way, or several of which each reads the
 * rows of the one after it; the last one begun is the one that is reported.
 * So no call names the join.
 */
#ifndef NEARDUP_JOIN_PROGRESS_H
#define NEARDUP_JOIN_PROGRESS_H

#include <signal.h>

#include "join/progress/progress_report.h"
#include "kernel/host.h"

/*
 * A join is under way, and reads, until the memory context is reset or deleted,
 * or the transaction is aborted. Until then the host and the counts must stay where
 * they are; they are looked at only from within the functions below, but for
 * JoinProgressBegin.
 */
extern void JoinProgressBegin(MemoryContext context, const char *function, JoinHost *host,
							  const uint64 *rows, const uint64 *pairs);

/* The next phase begins, of so many units; 0 where its units are the kernel's (host.h). */
extern void JoinProgressPhase(ProgressPhase phase, uint64 total);

/* So many more units of the phase are done. */
extern void JoinProgressAdvance(uint64 units);

/*
 * Another pass over the same rows begins. Unless it is the last one, its end is not that of the
 * join.
 */
extern void JoinProgressPass(int32 pass, bool is_last);

extern volatile sig_atomic_t join_progress_is_due;
extern void JoinProgressReport(void);

/* To be called wherever interrupts are looked for: reports, if it is time. */
static inline void
JoinProgressCheck(void)
{
	if (unlikely(join_progress_is_due))
		JoinProgressReport();
}

#endif
