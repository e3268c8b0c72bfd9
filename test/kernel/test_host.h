/*
 * test_host.h
 *		Hosts for the kernel: memory from malloc, counted interrupts, workers.
 */
#ifndef NEARDUP_TEST_HOST_H
#define NEARDUP_TEST_HOST_H

#include "kernel/engines.h"

/* Checks for interrupts, of every host. */
extern uint64 interrupt_checks;

extern uint64 checks_since_last(void);

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
