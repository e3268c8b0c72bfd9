/*
 * test_host.h
 *		Hosts for the kernel: memory from malloc, files in memory, counted interrupts, workers.
 */
#ifndef NEARDUP_TEST_HOST_H
#define NEARDUP_TEST_HOST_H

#include "kernel/engines.h"

/* Checks for interrupts, of every host. */
extern uint64 interrupt_checks;

extern uint64 checks_since_last(void);

/* Files of every host: how many are open, and how many pages were ever written. */
extern int open_files;
extern uint64 pages_written;

extern JoinHost test_host(void);

/*
 * A host with two workers, who see its arena at addresses of their own, as
 * other processes would; the units of each step go round.
 */
#define TEST_WORKERS 2

extern JoinHost test_host_with_workers(void);

/* Units done by each worker. */
extern uint32 worker_units[TEST_WORKERS];

#endif
