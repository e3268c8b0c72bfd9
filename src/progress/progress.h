/*
 * progress.h
 *		Reports the progress of this process's join, in NOTICEs and the view neardup_progress.
 *
 * Joins nest where one reads the pairs of another. The last one that began is reported, and all
 * calls are about it.
 */
#ifndef NEARDUP_JOIN_PROGRESS_H
#define NEARDUP_JOIN_PROGRESS_H

#include <signal.h>

#include "progress/progress_report.h"
#include "kernel/host.h"

/*
 * Begins the reports of a join that reads its rows. They end with the memory context, or when the
 * transaction or subtransaction aborts. The host and the counts must stay in place until then; they
 * are read by the functions below only.
 */
extern void JoinProgressBegin(MemoryContext context, const char *function, JoinHost *host,
							  const uint64 *rows, const uint64 *pairs);

/* Begins a phase of `total` units, or 0 if the kernel counts them (host.h). */
extern void JoinProgressPhase(ProgressPhase phase, uint64 total);

/* Counts units of the phase as done. */
extern void JoinProgressAdvance(uint64 units);

/* Begins another pass over the same rows. The time left is estimated in the last one only. */
extern void JoinProgressPass(int32 pass, bool is_last);

/* Set by the timer; then JoinProgressReport makes a report, and clears it. */
extern volatile sig_atomic_t join_progress_is_due;
extern void JoinProgressReport(void);

/* Makes a report if one is due. Called wherever interrupts are checked. */
static inline void
JoinProgressCheck(void)
{
	if (unlikely(join_progress_is_due))
		JoinProgressReport();
}

#endif
