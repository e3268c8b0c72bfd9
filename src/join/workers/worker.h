/*
 * worker.h
 *		A parallel worker of a join.
 */
#ifndef NEARDUP_JOIN_WORKER_H
#define NEARDUP_JOIN_WORKER_H

#include "storage/dsm.h"
#include "storage/shm_toc.h"

/* Entry point of a worker, which PostgreSQL calls by this name. */
extern PGDLLEXPORT void JoinWorkerMain(dsm_segment *segment, shm_toc *toc);

#endif
