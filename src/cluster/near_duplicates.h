/*
 * near_duplicates.h
 *		What near_duplicates returns, for another function.
 */
#ifndef NEARDUP_CLUSTER_NEAR_DUPLICATES_H
#define NEARDUP_CLUSTER_NEAR_DUPLICATES_H

#include "nodes/execnodes.h"

#include "cluster/duplicates_request.h"

/* Finds the rows of the request that could go, and puts them into the result, of five columns. */
extern void NearDuplicatesReturn(ReturnSetInfo *result, DuplicatesRequest *request);

#endif
