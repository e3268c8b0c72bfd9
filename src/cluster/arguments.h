/*
 * arguments.h
 *		Arguments of functions of clusters, which are not STRICT.
 */
#ifndef NEARDUP_CLUSTER_ARGUMENTS_H
#define NEARDUP_CLUSTER_ARGUMENTS_H

#include "fmgr.h"
#include "utils/relcache.h"

/* An argument; null_value_not_allowed, with this name for it, where it is NULL. */
extern Datum ClusterArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);

/* The same for a text. */
extern char *ClusterTextArgumentOrError(FunctionCallInfo fcinfo, int number, const char *name);

/*
 * What has rows, locked as a reader does, so that its name, its columns and its owner stay
 * until the transaction ends. undefined_table where there is none of this OID.
 */
extern Relation ClusterRelationOrError(Oid oid);

#endif
