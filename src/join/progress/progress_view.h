/*
 * progress_view.h
 *		The view neardup_progress: what each backend reports of its join, for
 *		other sessions to read.
 *
 * There is one only where the library is preloaded. Elsewhere the
 * functions do nothing.
 */
#ifndef NEARDUP_JOIN_PROGRESS_VIEW_H
#define NEARDUP_JOIN_PROGRESS_VIEW_H

#include "join/progress/progress_report.h"

/* Asks for shared memory; in _PG_init, while libraries are preloaded. */
extern void ProgressViewInit(void);

extern bool ProgressViewIsThere(void);

/* This backend's row of the view: there, with these figures; and gone. */
extern void ProgressViewShow(const ProgressReport *report);
extern void ProgressViewHide(void);

#endif
