/*
 * planned_texts.h
 *		What the planner knows of joins of texts within an edit distance.
 */
#ifndef NEARDUP_JOIN_PLANNED_TEXTS_H
#define NEARDUP_JOIN_PLANNED_TEXTS_H

#include "kinds/planned_kind.h"

extern const PlannedKind planned_texts;

#endif
