/*
 * kinds.h
 *		The table of all kinds.
 */
#ifndef NEARDUP_KINDS_H
#define NEARDUP_KINDS_H

#include "kinds/kind.h"

/* The kinds, NULL behind the last one. A plan knows a kind by its place. */
extern const Kind *const kinds[];

/* Returns the place of a kind. */
extern int KindNumber(const Kind *kind);

/* Returns the kind whose operator class a family of the access method neardup has. */
extern const Kind *KindOfIndexClass(Oid opfamily);

#endif
