/*
 * progress_view.h
 *		The view neardup_progress: reports of all backends, in shared memory.
 *
 * Reports are kept only if the library is preloaded; otherwise showing and hiding do nothing.
 */
#ifndef NEARDUP_JOIN_PROGRESS_VIEW_H
#define NEARDUP_JOIN_PROGRESS_VIEW_H

#include "progress/progress_report.h"

/* Requests shared memory; only in _PG_init, while libraries are preloaded. */
extern void ProgressViewInit(void);

/* Returns whether the library is preloaded. */
extern bool ProgressViewIsThere(void);

/* Set and remove this backend's row. */
extern void ProgressViewShow(const ProgressReport *report);
extern void ProgressViewHide(void);

#endif
