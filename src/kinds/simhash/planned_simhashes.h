/*
 * planned_simhashes.h
 *		What the planner knows of joins of simhashes.
 */
#ifndef NEARDUP_JOIN_PLANNED_SIMHASHES_H
#define NEARDUP_JOIN_PLANNED_SIMHASHES_H

#include "kinds/planned_kind.h"

extern const PlannedKind planned_simhashes;

#endif
