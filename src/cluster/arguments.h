/*
 * arguments.h
 *		Arguments of cluster functions, which are not STRICT.
 */
#ifndef NEARDUP_CLUSTER_ARGUMENTS_H
#define NEARDUP_CLUSTER_ARGUMENTS_H

#include "fmgr.h"
#include "utils/relcache.h"

/* null_value_not_allowed, with the argument's name, where it is NULL. */
extern Datum ClusterArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);
extern char *ClusterTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);

/* Locks in AccessShareLock, which fixes name, columns and owner; undefined_table if missing. */
extern Relation ClusterRelationOrError(Oid oid);

#endif
