/*
 * planned_sets.h
 *		What the planner knows of joins of sets.
 */
#ifndef NEARDUP_JOIN_PLANNED_SETS_H
#define NEARDUP_JOIN_PLANNED_SETS_H

#include "kinds/planned_kind.h"

extern const PlannedKind planned_sets;

#endif
